//! The numbers of an account at a glance: how the last 24 hours were, and what deserves a look.

use std::cmp::Reverse;

use sluice_model::{EmitterId, EmitterKind, UserId};
use sluice_store::{
    Conn, StoreError, activity,
    delivery_lists::{self, UserTally},
    emitters::{self, Standing},
    sources, state,
    users::User,
    workflows,
};

use crate::{
    Engine,
    activity::{Chart, LAST_DAY},
    error::EngineError,
    vitals::Vitals,
};

/// How many are named as the busiest, and as failing.
const NAMED: usize = 5;

pub struct Overview {
    /// Of the last 24 hours.
    pub activity: Chart,
    pub sources: Tally,
    pub workflows: Tally,
    pub busiest: Vec<ActiveEmitter>,
    pub failing: Vec<ActiveEmitter>,
    pub deliveries: UserTally,
    /// For operators.
    pub server: Option<Vitals>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub total: u64,
    pub active: u64,
    /// Those in which something failed in the last 24 hours.
    pub failing: u64,
}

/// A source or a workflow, with what it did in the last 24 hours.
pub struct ActiveEmitter {
    pub id: EmitterId,
    pub name: String,
    pub name_slug: String,
    pub events: u64,
    pub errors: u64,
    pub last_event_at: Option<i64>,
}

impl Engine {
    pub async fn overview(&self, user: &User) -> Result<Overview, EngineError> {
        let (id, now_ms) = (user.id.clone(), self.context.clock.now_ms());
        let since = LAST_DAY.first_hour(now_ms);
        let read = self.context.store.read(move |c| {
            let hours = activity::of_user(c, &id, since)?;
            let sources = emitters::sources(c, &id, since)?;
            let workflows = emitters::workflows(c, &id, since)?;
            let tallies = (tally(&sources), tally(&workflows));
            let all: Vec<Standing> = sources.into_iter().chain(workflows).collect();
            Ok(Overview {
                activity: LAST_DAY.chart(now_ms, &hours),
                sources: tallies.0,
                workflows: tallies.1,
                busiest: named(c, &id, first_by(&all, |one| one.events))?,
                failing: named(c, &id, first_by(&all, |one| one.errors))?,
                deliveries: delivery_lists::tally_of_user(c, &id)?,
                server: None,
            })
        });
        let overview = read.await?;
        let server = if user.operator {
            Some(self.vitals().await?)
        } else {
            None
        };
        Ok(Overview { server, ..overview })
    }
}

fn tally(all: &[Standing]) -> Tally {
    let count = |which: fn(&Standing) -> bool| all.iter().filter(|one| which(one)).count() as u64;
    Tally {
        total: all.len() as u64,
        active: count(|one| one.active),
        failing: count(|one| one.errors > 0),
    }
}

/// Those with most of something, and at least some of it.
fn first_by(all: &[Standing], number: fn(&Standing) -> u64) -> Vec<&Standing> {
    let mut some: Vec<&Standing> = all.iter().filter(|one| number(one) > 0).collect();
    some.sort_by_key(|one| (Reverse(number(one)), &one.id));
    some.truncate(NAMED);
    some
}

fn named(
    c: &mut dyn Conn,
    user: &UserId,
    standings: Vec<&Standing>,
) -> Result<Vec<ActiveEmitter>, StoreError> {
    let mut emitters = Vec::new();
    for Standing {
        id, events, errors, ..
    } in standings
    {
        let names = match id.kind() {
            EmitterKind::Source(id) => {
                sources::get(c, user, &id)?.map(|source| (source.name, source.name_slug))
            }
            EmitterKind::Workflow(id) => {
                workflows::get(c, user, &id)?.map(|workflow| (workflow.name, workflow.name_slug))
            }
        };
        if let Some((name, name_slug)) = names {
            emitters.push(ActiveEmitter {
                id: id.clone(),
                name,
                name_slug,
                events: *events,
                errors: *errors,
                last_event_at: state::last_emit_at(c, id)?,
            });
        }
    }
    Ok(emitters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(id: &str, active: bool, events: u64, errors: u64) -> Standing {
        Standing {
            id: EmitterId::parse(id).unwrap(),
            active,
            events,
            errors,
        }
    }

    #[test]
    fn the_first_are_those_with_most_and_none_that_have_nothing() {
        let all = [
            standing("dc_a", true, 0, 2),
            standing("dc_b", true, 5, 0),
            standing("p_c", false, 9, 1),
            standing("dc_d", true, 5, 0),
        ];
        let ids = |number| {
            let first = first_by(&all, number);
            first.iter().map(|one| one.id.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(ids(|one| one.events), ["p_c", "dc_b", "dc_d"]);
        assert_eq!(ids(|one| one.errors), ["dc_a", "p_c"]);
        let many: Vec<_> = (0..9).map(|n| standing("dc_x", true, n, 0)).collect();
        assert_eq!(first_by(&many, |one| one.events).len(), NAMED);
    }

    #[test]
    fn a_tally_counts_the_active_and_the_failing() {
        let all = [
            standing("dc_a", true, 0, 2),
            standing("dc_b", false, 5, 1),
            standing("dc_c", true, 9, 0),
        ];
        let expected = Tally {
            total: 3,
            active: 2,
            failing: 2,
        };
        assert_eq!(tally(&all), expected);
    }
}
