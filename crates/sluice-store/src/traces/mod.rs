//! Traces: from any part of the work of a user to its causes and effects. Causes are stored with their effects. Effects are found
//! by their ids, and events of an invocation among those that follow its acceptance, so that no write pays for an index.

mod effects;
mod event;
mod find;

pub use effects::{TracedDelivery, TracedSend, deliveries, delivery, logged, run, runs_of, sends};
pub use event::{
    Emitted, TracedEvent, emitted_at, emitted_by, event, event_of_emit, events_with_id,
};
pub use find::{InTrace, emitter_of, in_trace, owns, payload, run_of_send};

/// The emitters of the user ?1.
const EMITTERS: &str = "(SELECT id FROM sources WHERE user_id = ?1 \
     UNION ALL SELECT id FROM workflows WHERE user_id = ?1)";

/// How far behind the time of an emit id the time of its event may be: a commit has one time for both.
const COMMIT_MS: i64 = 1000;
