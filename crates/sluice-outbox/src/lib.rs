//! Everything that leaves the server: events to webhooks, and the HTTP requests, mails and S3 objects of workflows.
//!
//! Rows wait in the store: `deliveries` and `sends`. The dispatcher gives each queue with waiting rows one worker, so that a
//! slow receiver delays its own queue only. All queues share one worker loop, one retry schedule type and one circuit
//! breaker type; senders and strategies hold the differences. Nothing is handed over in memory, so a restart needs no care.
//!
//! Several nodes may share the store. A worker claims its queue first, so that one node at a time works on it.

mod attempt_trace;
mod circuit_breaker;
mod claims;
mod clock_correction;
mod decision;
mod delivery_observer;
mod delivery_table;
mod destination;
mod destination_watch;
mod dispatcher;
mod error;
mod finder;
mod gone;
mod http_response;
mod journal;
mod net_guard;
mod outbox;
mod pruning;
mod queue_key;
mod recording;
mod registry;
mod requested_attempt;
mod retry_schedule;
mod row;
mod s3_object;
mod send_table;
mod send_test;
mod sender;
mod senders;
mod signing;
mod strategy;
mod table;
#[cfg(test)]
mod tests;
mod wakeup;
mod worker;

pub use delivery_observer::DeliveryObserver;
pub use error::OutboxError;
pub use journal::JournalCopy;
pub use net_guard::{NetGuard, is_refusal, root_cause};
pub use outbox::Outbox;
pub use requested_attempt::AttemptPermit;
pub use send_test::SendResult;
