//! From an id to its place.

use sluice_model::{
    DeliveryId, EmitId, EmitterId, EmitterKind, EventAddress, EventId, InvocationId, TraceContext,
    UserId,
};
use sluice_store::{Conn, StoreError, inbox, traces};

use super::{source::Records, spot::Spot};

/// The most events and runs of a trace of OpenTelemetry whose roots are looked for.
const MOST_STARTS: u32 = 20;
/// The digits of a trace id of OpenTelemetry.
const TRACE_ID: usize = 32;

/// The places that an id names, and the key of the node with this id.
pub(super) struct Found {
    pub(super) spots: Vec<Spot>,
    pub(super) selected: Option<String>,
}

impl Found {
    fn one(spot: Spot) -> Found {
        Found {
            selected: Some(spot.key()),
            spots: vec![spot],
        }
    }
}

/// Finds an id of the user's; with an emitter, an id in this one.
pub(super) fn find(
    c: &mut dyn Conn,
    user: &UserId,
    id: &str,
    emitter: Option<&EmitterId>,
    records: &mut Records,
) -> Result<Option<Found>, StoreError> {
    if let Some(emitter) = emitter
        && !traces::owns(c, user, emitter)?
    {
        return Ok(None);
    }
    if let Some(delivery) = DeliveryId::parse(id) {
        let found = traces::delivery(c, user, &delivery)?;
        return Ok(found.map(|_| Found::one(Spot::Delivery(delivery))));
    }
    if let Some(event) = EventId::parse(id) {
        return event_with_id(c, user, event, emitter);
    }
    if let Some(address) = EventAddress::parse(id) {
        return event_with_id(c, user, address.id, Some(&address.emitter));
    }
    if let Some(invocation) = InvocationId::parse(id) {
        return invocation_or_emit(c, user, invocation, emitter, records);
    }
    match trace_id(id) {
        Some(trace) => trace_of_telemetry(c, user, trace),
        None => Ok(None),
    }
}

fn event_with_id(
    c: &mut dyn Conn,
    user: &UserId,
    id: EventId,
    emitter: Option<&EmitterId>,
) -> Result<Option<Found>, StoreError> {
    let found = traces::events_with_id(c, user, id, MOST_STARTS)?;
    let mut found = found.into_iter().map(|event| event.address);
    let address = found.find(|address| emitter.is_none_or(|emitter| *emitter == address.emitter));
    Ok(address.map(|address| Found::one(Spot::Event(address))))
}

/// An id of a run, an invocation, a send or an emit. That of an event is also that of its listeners' runs.
fn invocation_or_emit(
    c: &mut dyn Conn,
    user: &UserId,
    id: InvocationId,
    emitter: Option<&EmitterId>,
    records: &mut Records,
) -> Result<Option<Found>, StoreError> {
    if let Some(emitter) = emitter {
        return invocation_in(c, emitter, id, records);
    }
    if let Some(run) = traces::runs_of(c, user, &id, 1)?.pop() {
        let spot = Spot::Invocation(run.workflow_id.into(), id);
        return Ok(Some(Found::one(spot)));
    }
    let Some(emit) = EmitId::parse(id.as_str()) else {
        return Ok(None);
    };
    if let Some((workflow, run)) = traces::run_of_send(c, user, &emit)? {
        return Ok(Some(Found {
            spots: vec![Spot::Invocation(workflow.into(), run)],
            selected: Some(id.to_string()),
        }));
    }
    if let Some(event) = traces::event_of_emit(c, user, &emit)? {
        return Ok(Some(Found::one(Spot::Event(event.address))));
    }
    if let Some(address) = traces::payload(c, user, &emit)? {
        return Ok(Some(Found::one(Spot::Event(address))));
    }
    let emitter = traces::emitter_of(c, user, &id)?;
    Ok(emitter.map(|emitter| Found::one(Spot::Invocation(emitter, id))))
}

/// The invocation or the run, if there is any record of it.
fn invocation_in(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    id: InvocationId,
    records: &mut Records,
) -> Result<Option<Found>, StoreError> {
    let spot = Spot::Invocation(emitter.clone(), id);
    let is_recorded = inbox::contains(c, emitter, &id)?
        || match emitter.kind() {
            EmitterKind::Workflow(workflow) => traces::run(c, &workflow, &id)?.is_some(),
            EmitterKind::Source(_) => records.of(c, emitter, &id)?.is_recorded(),
        };
    Ok(is_recorded.then(|| Found::one(spot)))
}

/// A trace id of OpenTelemetry, or a whole `traceparent`.
fn trace_id(text: &str) -> Option<u128> {
    if let Some(context) = TraceContext::parse(text) {
        return Some(context.trace_id());
    }
    let is_id = text.len() == TRACE_ID && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u128::from_str_radix(text, 16).ok().filter(|_| is_id)
}

fn trace_of_telemetry(
    c: &mut dyn Conn,
    user: &UserId,
    trace: u128,
) -> Result<Option<Found>, StoreError> {
    let found = traces::in_trace(c, user, trace, MOST_STARTS)?;
    let runs = found.runs.into_iter();
    let runs = runs.map(|(workflow, run)| Spot::Invocation(workflow.into(), run));
    let spots: Vec<Spot> = found
        .events
        .into_iter()
        .map(Spot::Event)
        .chain(runs)
        .collect();
    Ok((!spots.is_empty()).then_some(Found {
        spots,
        selected: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_of_opentelemetry_is_known_by_its_id_or_its_header() {
        const ID: &str = "0af7651916cd43dd8448eb211c80319c";
        let number = u128::from_str_radix(ID, 16).unwrap();
        assert_eq!(trace_id(ID), Some(number));
        let parent = format!("00-{ID}-b7ad6b7169203331-01");
        assert_eq!(trace_id(&parent), Some(number));
        assert_eq!(trace_id("+af7651916cd43dd8448eb211c80319c"), None);
        assert_eq!(trace_id("0af7"), None);
    }
}
