//! `sluice workflows …`

mod activity;
mod delete;
mod deploy;
mod describe;
mod events;
mod list;
mod pauses;
mod place_text;
mod replay;
mod rollback;
mod run;
mod run_text;
mod runs;
mod target;
mod test;
mod test_text;
mod versions;

use std::process::ExitCode;

use clap::Subcommand;
use sluice_model::workflow::SCHEMA;

pub(crate) use self::list::show_all;
use super::output::show;

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowsCommand {
    Deploy(deploy::DeployOptions),
    List(list::ListOptions),
    Describe(describe::DescribeOptions),
    Test(test::TestOptions),
    Run(run::RunOptions),
    Runs(runs::RunsOptions),
    Replay(replay::ReplayOptions),
    Resume(pauses::ResumeOptions),
    Cancel(pauses::CancelOptions),
    Events(events::EventsOptions),
    Activate(activity::ActivateOptions),
    Deactivate(activity::DeactivateOptions),
    Versions(versions::VersionsOptions),
    Rollback(rollback::RollbackOptions),
    Delete(delete::DeleteOptions),
    /// Print the JSON Schema of workflow documents
    Schema,
}

pub(crate) async fn run(command: WorkflowsCommand) -> anyhow::Result<ExitCode> {
    match command {
        WorkflowsCommand::Deploy(options) => return deploy::deploy(options).await,
        WorkflowsCommand::Test(options) => return test::test(options).await,
        WorkflowsCommand::Run(options) => return run::run(options).await,
        WorkflowsCommand::List(options) => list::list(options).await?,
        WorkflowsCommand::Describe(options) => describe::describe(options).await?,
        WorkflowsCommand::Runs(options) => runs::runs(options).await?,
        WorkflowsCommand::Replay(options) => replay::replay(options).await?,
        WorkflowsCommand::Resume(options) => pauses::resume(options).await?,
        WorkflowsCommand::Cancel(options) => pauses::cancel(options).await?,
        WorkflowsCommand::Events(options) => events::events(options).await?,
        WorkflowsCommand::Activate(options) => activity::activate(options).await?,
        WorkflowsCommand::Deactivate(options) => activity::deactivate(options).await?,
        WorkflowsCommand::Versions(options) => versions::versions(options).await?,
        WorkflowsCommand::Rollback(options) => rollback::rollback(options).await?,
        WorkflowsCommand::Delete(options) => delete::delete(options).await?,
        WorkflowsCommand::Schema => show(SCHEMA)?,
    }
    Ok(ExitCode::SUCCESS)
}
