//! From a part of a trace up to its root.

use sluice_model::{EmitterId, EmitterKind, EventAddress, InvocationId, UserId, WorkflowId};
use sluice_store::{Conn, StoreError, inbox, provenance::Cause, traces};

use super::{
    source::{Records, event_with_its_id},
    spot::Spot,
};

/// Longer chains are cut: the server ends chains of events before.
const MOST_SPOTS: usize = 400;

/// The way from the root to a spot, both included.
pub(super) struct Path {
    pub(super) spots: Vec<Spot>,
    /// What caused the root, in the words of [`Cause::kind`]; none when the root is an event.
    pub(super) cause: Option<String>,
}

/// The cause of a spot.
enum Above {
    Spot(Spot),
    Root(Option<String>),
}

pub(super) fn climb(
    c: &mut dyn Conn,
    user: &UserId,
    from: Spot,
    records: &mut Records,
) -> Result<Path, StoreError> {
    let mut spots = vec![from];
    // The cause of an invocation is stored with its events.
    let mut known: Option<Cause> = None;
    let mut cause = None;
    while let Some(spot) = spots.last() {
        match above(c, user, spot, &mut known, records)? {
            Above::Spot(spot) if spots.len() < MOST_SPOTS && !spots.contains(&spot) => {
                spots.push(spot);
            }
            Above::Spot(_) => break,
            Above::Root(kind) => {
                cause = kind;
                break;
            }
        }
    }
    spots.reverse();
    Ok(Path { spots, cause })
}

/// `known` is the cause of an invocation whose event was looked at before.
fn above(
    c: &mut dyn Conn,
    user: &UserId,
    spot: &Spot,
    known: &mut Option<Cause>,
    records: &mut Records,
) -> Result<Above, StoreError> {
    match spot {
        Spot::Delivery(id) => {
            let found = traces::delivery(c, user, id)?;
            Ok(found.map_or(Above::Root(None), |found| {
                Above::Spot(Spot::Event(EventAddress {
                    emitter: found.delivery.emitter_id,
                    id: found.delivery.event_id,
                }))
            }))
        }
        Spot::Event(address) => {
            let event = traces::event(c, address)?;
            let Some(provenance) = event.and_then(|event| event.provenance) else {
                return Ok(Above::Root(None));
            };
            *known = Some(provenance.cause);
            let emitter = address.emitter.clone();
            Ok(Above::Spot(Spot::Invocation(
                emitter,
                provenance.invocation,
            )))
        }
        Spot::Invocation(emitter, id) => {
            let known = known.take();
            invocation(c, user, (emitter, id), known, records)
        }
    }
}

fn invocation(
    c: &mut dyn Conn,
    user: &UserId,
    (emitter, id): (&EmitterId, &InvocationId),
    known: Option<Cause>,
    records: &mut Records,
) -> Result<Above, StoreError> {
    match emitter.kind() {
        EmitterKind::Workflow(workflow) => run(c, user, &workflow, id),
        EmitterKind::Source(_) => {
            let cause = match known {
                Some(cause) => Some(cause),
                None => records.of(c, emitter, id)?.cause(),
            };
            of_cause(c, user, id, cause)
        }
    }
}

fn of_cause(
    c: &mut dyn Conn,
    user: &UserId,
    id: &InvocationId,
    cause: Option<Cause>,
) -> Result<Above, StoreError> {
    if let Some(event) = cause.as_ref().and_then(Cause::event) {
        return Ok(Above::Spot(Spot::Event(event)));
    }
    let event = match cause {
        None => event_with_its_id(c, user, id)?,
        Some(_) => None,
    };
    Ok(match event {
        Some(event) => Above::Spot(Spot::Event(event)),
        None => Above::Root(cause.map(|cause| cause.kind().to_owned())),
    })
}

fn run(
    c: &mut dyn Conn,
    user: &UserId,
    workflow: &WorkflowId,
    id: &InvocationId,
) -> Result<Above, StoreError> {
    let Some(run) = traces::run(c, workflow, id)? else {
        let item = inbox::get(c, workflow, id)?;
        let cause = item.map(|item| Cause::of(item.kind, item.prop.as_deref()));
        return of_cause(c, user, id, cause);
    };
    let origin = run.origin;
    if let Some(first) = origin.replay_of {
        let emitter = workflow.clone().into();
        return Ok(Above::Spot(Spot::Invocation(emitter, first)));
    }
    let emitter = origin.emitter_id.as_deref().and_then(EmitterId::parse);
    if let Some((emitter, id)) = emitter.zip(origin.event_id) {
        return Ok(Above::Spot(Spot::Event(EventAddress { emitter, id })));
    }
    Ok(Above::Root(Some(origin.source_type)))
}
