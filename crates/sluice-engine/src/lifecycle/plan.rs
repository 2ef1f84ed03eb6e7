//! Which endpoints and timers a source needs, given what it has.

use std::collections::BTreeMap;

use sluice_model::{ComponentShape, EmitterId, EndpointKey, PropType, SourceId, TimerSpec};
use sluice_runtime::LogLevel;
use sluice_store::{
    Conn, StoreError,
    endpoints::{self, Endpoint},
    logs::{self, NewLog},
    sources::Source,
    timers::{self, Timer},
};

/// The endpoints of a source: a prop keeps its address, also when an update renamed it.
pub(super) fn endpoints(
    source: &SourceId,
    shape: &ComponentShape,
    existing: &[Endpoint],
) -> Vec<Endpoint> {
    let props: Vec<&str> = shape
        .props
        .iter()
        .filter(|prop| prop.prop_type.has_endpoint())
        .map(|prop| prop.name.as_str())
        .collect();
    let mut orphans = existing
        .iter()
        .filter(|endpoint| !props.contains(&endpoint.prop.as_str()));
    props
        .iter()
        .map(|prop| {
            let key = existing
                .iter()
                .find(|endpoint| endpoint.prop == *prop)
                .or_else(|| orphans.next())
                .map_or_else(
                    || EndpointKey::random(&mut rand::rng()),
                    |endpoint| endpoint.key.clone(),
                );
            Endpoint {
                key,
                emitter_id: source.clone().into(),
                prop: (*prop).to_owned(),
            }
        })
        .collect()
}

pub(super) fn store_endpoints(
    c: &mut dyn Conn,
    source: &SourceId,
    wanted: &[Endpoint],
    existing: &[Endpoint],
) -> Result<(), StoreError> {
    for endpoint in existing
        .iter()
        .filter(|endpoint| !wanted.contains(endpoint))
    {
        endpoints::remove(c, source, &endpoint.prop)?;
    }
    for endpoint in wanted
        .iter()
        .filter(|endpoint| !existing.contains(endpoint))
    {
        endpoints::insert(c, &endpoint.key, source, &endpoint.prop)?;
    }
    Ok(())
}

/// The schedules of a source's timers, as configured.
pub(super) fn timers(source: &Source, shape: &ComponentShape) -> BTreeMap<String, TimerSpec> {
    shape
        .props_of(&PropType::Timer)
        .filter_map(|prop| {
            let configured = source.configured_props.get(&prop.name)?;
            Some((prop.name.clone(), TimerSpec::from_json(configured).ok()?))
        })
        .collect()
}

/// What the timers were before, when that is to be kept.
pub(crate) enum Schedule<'a> {
    /// Arm them all: their emitter is being activated.
    Begin,
    /// It stays active: a timer whose value did not change keeps its schedule.
    Keep(&'a [Timer]),
    /// It is inactive: nothing is due.
    Stop,
}

/// Stores the timers; gives the earliest due time among those it armed.
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
                // Its tick is in the inbox; the commit of that tick arms it with the new schedule.
                Some(timer) if timer.due_at.is_none() => {
                    timers::upsert(c, emitter, prop, spec, None)?;
                }
                _ => timers::upsert(c, emitter, prop, spec, first_due(spec, now_ms))?,
            },
        }
    }
    Ok(())
}

/// Shows the source's owner what the component's author should know.
pub(super) fn store_warnings(
    c: &mut dyn Conn,
    source: &SourceId,
    warnings: &[String],
    now_ms: i64,
) -> Result<(), StoreError> {
    for warning in warnings {
        let line = NewLog {
            invocation: None,
            ts: now_ms,
            kind: "warning",
            level: LogLevel::Warn.as_str(),
            message: warning,
        };
        logs::insert(c, source, &line)?;
    }
    Ok(())
}

/// An interval timer runs once at activation, a cron timer at its slot.
fn first_due(spec: &TimerSpec, now_ms: i64) -> Option<i64> {
    match spec {
        TimerSpec::Interval { .. } => Some(now_ms),
        TimerSpec::Cron { .. } => spec.next_after(now_ms),
    }
}
