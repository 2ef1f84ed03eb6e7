//! `sluice test`

mod event;
mod faults;
mod files;
mod local;
mod report;
mod sample;
mod stores;
mod subject;
mod tap;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use self::{local::LocalRuntime, subject::Subject};
use super::given_props::GivenProps;

/// Run the tests of a component, or send it an event, on this machine and without a server
///
/// Tests are the file beside the component with `.test` before its extension. They are written with `node:test` and
/// `node:assert`, and import `run` from `sluice/test`, which runs a component and tells what it did. A component without tests is
/// sent a sample of what it would get on a server: a request, a tick of its timer, or the event of a workflow.
///
/// Components run in the same sandbox as on a server, within the limits that the environment variables of `sluice serve` set.
/// Their npm packages are kept in `$XDG_CACHE_HOME/sluice`.
#[derive(Debug, Args)]
pub(crate) struct TestOptions {
    /// A component, a file of tests, or a folder, of which all tests run
    #[arg(value_name = "FILE|FOLDER")]
    path: PathBuf,
    /// Send this to the component instead of running tests: JSON, @FILE with JSON, or - for JSON on standard input. What is left out of
    /// a request is filled in
    #[arg(long, value_name = "JSON|@FILE|-")]
    event: Option<String>,
    #[command(flatten)]
    props: GivenProps,
    /// Print JSON: the tests with their outcomes, or what the component did
    #[arg(long)]
    json: bool,
}

pub(crate) async fn test(options: TestOptions) -> anyhow::Result<ExitCode> {
    let wants_sample = options.event.is_some() || !options.props.is_empty();
    let subject = Subject::of(&options.path, wants_sample)?;
    let local = LocalRuntime::start()?;
    match subject {
        Subject::Tests(tests) => files::run(&local.runtime, &tests, options.json).await,
        Subject::Component(file) => sample::run(&local, &file, &options).await,
    }
}
