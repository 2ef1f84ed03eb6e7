//! The endpoints and timers that a source needs, compared with those it has.

use std::collections::BTreeMap;

use sluice_infra::Ids;
use sluice_model::{ComponentShape, EndpointKey, PropType, SourceId, TimerSpec};
use sluice_runtime::LogLevel;
use sluice_store::{
    Conn, StoreError,
    endpoints::{self, Endpoint},
    logs::{self, NewLog},
    sources::Source,
};

/// The endpoints of a source. A prop keeps its address, even when an update renames it.
pub(super) fn endpoints(
    source: &SourceId,
    shape: &ComponentShape,
    existing: &[Endpoint],
    ids: &Ids,
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
                    || EndpointKey::random(&mut ids.rng()),
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

/// Logs the warnings of the component in the source.
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
