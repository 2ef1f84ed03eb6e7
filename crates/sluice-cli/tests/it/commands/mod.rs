//! The commands that are clients of a server, as people and scripts run them.

mod account_commands;
mod apply;
mod apply_secrets;
mod completions;
mod connection;
mod deploy;
mod deploy_follow;
mod deploy_script;
mod export;
mod first_start;
mod fixtures;
mod form;
mod form_accounts;
mod form_options;
mod home;
mod lists;
mod publishing;
mod round_trip;
mod session;
mod source_commands;
mod source_streams;
mod update;
mod user_commands;
mod webhook_commands;
mod workflow_commands;
mod workflow_deploy;
