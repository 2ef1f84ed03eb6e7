//! The commands that are clients of a server, as people and scripts run them.

mod apply;
mod apply_secrets;
mod connection;
mod export;
mod fixtures;
mod round_trip;
mod workflow_commands;
mod workflow_deploy;
