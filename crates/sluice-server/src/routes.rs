//! The handlers, by resource. Each extracts, calls a service or reads the store, and maps to the wire.

pub(crate) mod accounts;
pub(crate) mod activity;
pub(crate) mod apps;
pub(crate) mod components;
pub(crate) mod connect;
pub(crate) mod data_stores;
pub(crate) mod deliveries;
mod event_list;
mod event_search;
pub(crate) mod events;
pub(crate) mod flow;
pub(crate) mod forms;
pub(crate) mod imports;
pub(crate) mod log_summary;
pub(crate) mod logs;
pub(crate) mod older_events;
pub(crate) mod one_event;
pub(crate) mod operations;
pub(crate) mod registry;
pub(crate) mod replay;
mod run_view;
pub(crate) mod runs;
pub(crate) mod server;
pub(crate) mod session;
pub(crate) mod signup;
pub(crate) mod sources;
pub(crate) mod streams;
pub(crate) mod subscriptions;
pub(crate) mod summary;
pub(crate) mod uploads;
pub(crate) mod user_admin;
pub(crate) mod users;
pub(crate) mod webhooks;
pub(crate) mod workflow_events;
pub(crate) mod workflow_versions;
pub(crate) mod workflows;

/// Accounts carry dates in ISO 8601, to the millisecond.
fn iso_date(epoch_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(epoch_ms)
        .map(|instant| format!("{instant:.3}"))
        .unwrap_or_default()
}

/// Resources carry epoch seconds, the store epoch milliseconds.
fn epoch_seconds(epoch_ms: i64) -> i64 {
    epoch_ms.div_euclid(1000)
}
