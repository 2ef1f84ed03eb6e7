//! The commands that are clients of a server.

mod account;
mod code;
mod common;
mod dev;
#[expect(unused, reason = "the commands that follow something come next")]
mod follow;
mod given_props;
mod init;
mod output;
mod places;
mod secrets;
mod sources;
mod test;
mod workflow_files;
mod workflows;
mod yaml;

use std::{io, process::ExitCode};

use anyhow::Context;
use clap::Subcommand;

use self::{
    account::{ApplyOptions, ExportOptions},
    dev::DevOptions,
    init::InitOptions,
    test::TestOptions,
    workflows::WorkflowsCommand,
};

#[derive(Subcommand)]
pub(crate) enum ClientCommand {
    /// Deploy, run and look after workflows
    #[command(subcommand)]
    Workflows(WorkflowsCommand),
    Export(ExportOptions),
    Apply(ApplyOptions),
    Dev(DevOptions),
    Init(InitOptions),
    Test(TestOptions),
}

pub(crate) fn run(command: ClientCommand) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the asynchronous runtime could not be started")?;
    let outcome = runtime.block_on(async {
        match command {
            ClientCommand::Workflows(command) => workflows::run(command).await,
            ClientCommand::Export(options) => account::export(options).await,
            ClientCommand::Apply(options) => account::apply(options).await,
            ClientCommand::Dev(options) => dev::dev(options).await,
            ClientCommand::Init(options) => init::init(&options),
            ClientCommand::Test(options) => test::test(options).await,
        }
    });
    outcome.or_else(|error| {
        if is_closed_pipe(&error) {
            Ok(ExitCode::SUCCESS)
        } else {
            Err(error)
        }
    })
}

/// Whether whoever read the output has seen enough.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
