//! `sluice test`

mod event;
mod files;
mod load_errors;
mod local;
mod report;
mod sample;
mod stores;
mod subject;
mod tap;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use self::{local::LocalRuntime, sample::SampleInput, subject::Subject};
use super::prop_args::PropArgs;

/// Run the tests of a component, or send it an event, without a server
///
/// The tests of `name.mjs` are in `name.test.mjs`. They use `node:test` and `node:assert`, and import `run` from `sluice/test`,
/// which runs a component and returns what it did. A component without tests gets a sample event: a request, a timer tick, or
/// the event of a workflow.
///
/// Components run in the same sandbox as on a server, with the limits from the environment variables of `sluice serve`. Their
/// npm packages are cached in `$XDG_CACHE_HOME/sluice`.
#[derive(Debug, Args)]
pub(crate) struct TestOptions {
    /// Component, test file, or folder with test files
    #[arg(value_name = "FILE|FOLDER")]
    path: PathBuf,
    /// Send this event instead of running tests: JSON, @FILE for a file with JSON, or - for standard input. Missing fields of a
    /// request are filled in
    #[arg(long, value_name = "JSON|@FILE|-")]
    event: Option<String>,
    #[command(flatten)]
    props: PropArgs,
    /// Print JSON: the results of the tests, or the result of the component
    #[arg(long)]
    json: bool,
}

pub(crate) async fn test(options: TestOptions) -> anyhow::Result<ExitCode> {
    let has_event = options.event.is_some() || !options.props.is_empty();
    let subject = Subject::find(&options.path, has_event)?;
    let local = LocalRuntime::start().await?;
    match subject {
        Subject::Tests(tests) => files::run(&local.runtime, &tests, options.json).await,
        Subject::Component(file) => {
            let input = SampleInput {
                event: options.event.as_deref(),
                props: &options.props,
                json: options.json,
            };
            sample::run(&local, &file, &input).await
        }
    }
}
