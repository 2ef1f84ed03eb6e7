//! Traces: from any part of the work of a user to its causes and effects. Causes are stored with their effects. Effects are found
//! by their ids, and events of an invocation among those that follow its acceptance, so that no write pays for an index.

mod bounds;
mod effects;
mod event;
mod find;

pub use effects::{
    LOG_LINES, TracedDelivery, TracedSend, deliveries, delivery, logged, replays_of_run, run,
    runs_of, sends,
};
pub use event::{
    Emitted, TracedEvent, contexts, emitted_at, emitted_by, event, event_of_emit, events_with_id,
};
pub use find::{InTrace, emitter_of, in_trace, owns, payload, run_of_send};
