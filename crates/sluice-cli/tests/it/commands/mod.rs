//! The commands that are clients of a server, as people and scripts run them.

mod apply;
mod apply_secrets;
mod connection;
mod deploy;
mod deploy_follow;
mod deploy_script;
mod dev;
mod dev_errors;
mod export;
mod fixtures;
mod form;
mod form_accounts;
mod form_options;
mod init;
mod round_trip;
mod test_files;
mod test_sample;
mod update;
mod workflow_commands;
mod workflow_deploy;
mod workshop;
