//! The timers of a source or a workflow, as rows.

use std::collections::BTreeMap;

use sluice_model::{EmitterId, TimerSpec};
use sluice_store::{
    Conn, StoreError,
    timers::{self, Timer},
};

/// How a change of an emitter affects its timers.
pub(crate) enum Schedule<'a> {
    /// Arm all of them: the emitter is being activated.
    Begin,
    /// The emitter stays active: a timer with an unchanged value keeps its due time.
    Keep(&'a [Timer]),
    /// Disarm all of them: the emitter is inactive.
    Stop,
}

/// Stores the timers of an emitter in place of those it has.
pub(crate) fn store_timers(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    specs: &BTreeMap<String, TimerSpec>,
    schedule: &Schedule<'_>,
    now_ms: i64,
) -> Result<(), StoreError> {
    for timer in timers::of_emitter(c, emitter)? {
        if !specs.contains_key(&timer.prop) {
            timers::remove(c, emitter, &timer.prop)?;
        }
    }
    for (prop, spec) in specs {
        match schedule {
            Schedule::Stop => timers::upsert(c, emitter, prop, spec, None)?,
            Schedule::Begin => timers::upsert(c, emitter, prop, spec, first_due(spec, now_ms))?,
            Schedule::Keep(before) => match before.iter().find(|timer| timer.prop == *prop) {
                Some(timer) if timer.spec == *spec => {}
                // Its tick is in the inbox. The commit of that tick arms the timer with the new schedule.
                Some(timer) if timer.due_at.is_none() => {
                    timers::upsert(c, emitter, prop, spec, None)?;
                }
                _ => timers::upsert(c, emitter, prop, spec, first_due(spec, now_ms))?,
            },
        }
    }
    Ok(())
}

/// An interval timer ticks once at activation, a cron timer at its next slot.
fn first_due(spec: &TimerSpec, now_ms: i64) -> Option<i64> {
    match spec {
        TimerSpec::Interval { .. } => Some(now_ms),
        TimerSpec::Cron { .. } => spec.next_after(now_ms),
    }
}
