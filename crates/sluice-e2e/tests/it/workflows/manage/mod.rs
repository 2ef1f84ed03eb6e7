//! Deploying and changing workflows, and looking after their runs.

mod accounts;
mod custom_responses;
mod deploy;
mod event_summaries;
mod event_triggers;
mod faults;
mod pauses;
mod props;
mod replay;
mod retention;
mod runs;
mod schedules;
mod secrets;
mod step_code;
mod subscriptions;
mod versions;
