//! Notifications: users are told when a source, a workflow or a webhook starts to fail, and when it works again.
//!
//! [`job`] looks at the subjects that are due and writes messages into the outbox, which sends them. [`verdict`] decides about
//! one subject, and [`message`] words the messages.

mod changed_fields;
mod job;
mod manage;
mod message;
mod recipients;
mod test_message;
#[cfg(test)]
mod tests;
mod verdict;

pub use job::Notifier;
pub use manage::{NotificationChange, NotificationView, Notifications};
pub use test_message::TestResults;
