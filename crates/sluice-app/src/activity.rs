//! Activity over time: counts of an account, or of one of its sources and workflows.

use sluice_engine::EngineError;
use sluice_infra::{Infra, MS_PER_HOUR};
use sluice_model::{EmitterId, EmitterKind, UserId};
use sluice_store::{
    Conn, StoreError,
    activity::{self, Counts, Hour},
    emitters, sources, state, workflows,
};

/// Hours of history that are kept, including the current one.
pub const MOST_HOURS: u32 = 31 * DAY_HOURS;
/// The overview and lists cover this many hours, including the current one.
const DAY_HOURS: u32 = 24;

/// The time that one point of a chart covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Hour,
    /// From midnight to midnight, in UTC.
    Day,
}

impl Step {
    fn hours(self) -> u32 {
        match self {
            Step::Hour => 1,
            Step::Day => DAY_HOURS,
        }
    }
}

/// The last hours up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub hours: u32,
    pub step: Step,
}

/// Points, oldest first. The last one is not complete yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    pub start_ms: i64,
    pub step_ms: i64,
    pub points: Vec<Counts>,
}

/// Activity of a source or a workflow in the last 24 hours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitterActivity {
    /// Time of its last event, however long ago.
    pub last_event_at: Option<i64>,
    /// Oldest first.
    pub hours: Vec<Counts>,
}

/// Filter for sources or workflows by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmitterState {
    Active,
    Inactive,
    /// Something failed in the last 24 hours.
    Failing,
}

/// Filter for lists of sources or workflows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmitterSelection {
    /// Part of the name or the slug.
    pub text: Option<String>,
    pub state: Option<EmitterState>,
}

impl EmitterSelection {
    pub(crate) fn filter(&self, now_ms: i64) -> emitters::EmitterFilter {
        let state = self.state.map(|state| match state {
            EmitterState::Active => emitters::EmitterState::Active,
            EmitterState::Inactive => emitters::EmitterState::Inactive,
            EmitterState::Failing => emitters::EmitterState::Failing {
                since: LAST_DAY.first_hour(now_ms),
            },
        });
        emitters::EmitterFilter::new(self.text.as_deref(), state)
    }
}

pub(crate) const LAST_DAY: Span = Span {
    hours: DAY_HOURS,
    step: Step::Hour,
};

impl Span {
    /// The first hour of the first point.
    pub(crate) fn first_hour(self, now_ms: i64) -> i64 {
        let step = self.step.hours();
        let points = self.hours.max(1).div_ceil(step);
        let current = now_ms.div_euclid(MS_PER_HOUR).div_euclid(step.into());
        (current + 1 - i64::from(points)) * i64::from(step)
    }

    pub(crate) fn chart(self, now_ms: i64, hours: &[Hour]) -> Chart {
        let (first, step) = (self.first_hour(now_ms), i64::from(self.step.hours()));
        let last = now_ms.div_euclid(MS_PER_HOUR);
        let index = |hour: i64| usize::try_from((hour - first).div_euclid(step)).ok();
        let mut points = vec![Counts::default(); index(last).map_or(0, |index| index + 1)];
        for Hour { hour, counts } in hours {
            // After the clock was set back, there may be hours in the future.
            if let Some(point) = index(*hour).and_then(|index| points.get_mut(index)) {
                *point += *counts;
            }
        }
        Chart {
            start_ms: first * MS_PER_HOUR,
            step_ms: step * MS_PER_HOUR,
            points,
        }
    }
}

/// Charts of activity.
#[derive(Clone)]
pub struct Activity {
    infra: Infra,
}

impl Activity {
    pub fn new(infra: &Infra) -> Activity {
        Activity {
            infra: infra.clone(),
        }
    }

    /// The chart of the whole account, or of one of its sources and workflows.
    pub async fn chart(
        &self,
        user: &UserId,
        emitter: Option<EmitterId>,
        span: Span,
    ) -> Result<Chart, EngineError> {
        let (user, now_ms) = (user.clone(), self.infra.now_ms());
        let first = span.first_hour(now_ms);
        let read = self.infra.store.read(move |c| match emitter {
            None => activity::of_user(c, &user, first).map(Some),
            Some(id) if owns(c, &user, &id)? => activity::of_emitter(c, &id, first).map(Some),
            Some(_) => Ok(None),
        });
        let hours = read
            .await?
            .ok_or(EngineError::NotFound("source or workflow"))?;
        Ok(span.chart(now_ms, &hours))
    }

    /// The last 24 hours of each of these, in their order. Does not check who owns them.
    pub async fn of_emitters(
        &self,
        emitters: Vec<EmitterId>,
    ) -> Result<Vec<EmitterActivity>, EngineError> {
        let now_ms = self.infra.now_ms();
        let read = self.infra.store.read(move |c| {
            let hours = activity::of_emitters(c, &emitters, LAST_DAY.first_hour(now_ms))?;
            let last = state::last_emits(c, &emitters)?;
            let each = emitters.iter().map(|emitter| {
                let hours = hours.get(emitter).map_or(&[][..], Vec::as_slice);
                EmitterActivity {
                    last_event_at: last.get(emitter).copied(),
                    hours: LAST_DAY.chart(now_ms, hours).points,
                }
            });
            Ok(each.collect())
        });
        Ok(read.await?)
    }
}

fn owns(c: &mut dyn Conn, user: &UserId, emitter: &EmitterId) -> Result<bool, StoreError> {
    Ok(match emitter.kind() {
        EmitterKind::Source(id) => sources::get(c, user, &id)?.is_some(),
        EmitterKind::Workflow(id) => workflows::get(c, user, &id)?.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An hour in the middle of a day, and a little more.
    const NOW: i64 = (100 * 24 + 13) * MS_PER_HOUR + 5;
    const HOUR: i64 = NOW.div_euclid(MS_PER_HOUR);

    fn events(hours: u32, step: Step, happened: &[(i64, u64)]) -> (i64, Vec<u64>) {
        let hours_of = happened.iter().map(|(hour, events)| Hour {
            hour: *hour,
            counts: Counts {
                events: *events,
                ..Counts::default()
            },
        });
        let chart = Span { hours, step }.chart(NOW, &hours_of.collect::<Vec<_>>());
        assert_eq!(chart.step_ms, i64::from(step.hours()) * MS_PER_HOUR);
        let points = chart.points.iter().map(|point| point.events).collect();
        (chart.start_ms / MS_PER_HOUR, points)
    }

    #[test]
    fn the_last_point_is_the_running_hour_and_hours_without_events_are_zeros() {
        let happened = [(HOUR - 2, 3), (HOUR, 7)];
        assert_eq!(events(3, Step::Hour, &happened), (HOUR - 2, vec![3, 0, 7]));
        assert_eq!(events(1, Step::Hour, &happened), (HOUR, vec![7]));
        let (start, points) = events(MOST_HOURS, Step::Hour, &[]);
        assert_eq!((start, points.len()), (HOUR - 743, 744));
    }

    #[test]
    fn days_begin_at_midnight_and_the_last_one_is_today() {
        let midnight = HOUR - 13;
        let happened = [
            (midnight - 24, 1),
            (midnight - 1, 2),
            (midnight, 4),
            (HOUR, 8),
        ];
        assert_eq!(
            events(48, Step::Day, &happened),
            (midnight - 24, vec![3, 12])
        );
        for hours in [1, 24] {
            assert_eq!(events(hours, Step::Day, &happened), (midnight, vec![12]));
        }
        assert_eq!(events(25, Step::Day, &[]), (midnight - 24, vec![0, 0]));
        let (start, points) = events(MOST_HOURS, Step::Day, &[]);
        assert_eq!((start, points.len()), (midnight - 30 * 24, 31));
        // The engine keeps this much, also at the end of a day.
        let last_hour = midnight + 23;
        assert!(last_hour + 1 - i64::from(MOST_HOURS) <= start);
    }

    #[test]
    fn hours_outside_the_span_are_not_counted() {
        let happened = [(HOUR - 2, 1), (HOUR - 1, 2), (HOUR + 1, 4)];
        assert_eq!(events(2, Step::Hour, &happened).1, [2, 0]);
    }
}
