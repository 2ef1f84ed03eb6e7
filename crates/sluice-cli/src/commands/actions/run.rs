//! `sluice actions run`

use std::process::ExitCode;

use clap::Args;
use sluice_api::{ActionRun, RunAction};

use super::text::{outcome, show_logs};
use crate::{
    commands::{
        common::Common,
        component::ComponentName,
        form::{Form, FormValues, PropFlags, Subject},
        output::{show, show_json},
        progress::during,
    },
    exit::interruptible,
};

const EXAMPLES: &str = "\
Examples:
  sluice actions run http-request --prop url=https://example.com
  sluice actions run slack-send-message --account slack=work --prop channel=C1 --prop text=hi
  sluice actions run ./send.mjs --props values.yaml --json | jq .return_value";

/// Run an action once, and print its value
///
/// The value is printed as JSON on standard output, and log lines on standard error. The exit code of an action that fails is 1.
/// The run goes on when the command is interrupted.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RunOptions {
    /// Action: a key of the registry, a file, or the URL of a file
    #[arg(value_name = "KEY|FILE|URL")]
    action: String,
    /// Time limit in seconds [default: the limit of the server]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,
    /// Print the id of the run, and do not wait for its end
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    props: PropFlags,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn run(options: RunOptions) -> anyhow::Result<ExitCode> {
    interruptible(run_once(options)).await
}

async fn run_once(options: RunOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let saved = ComponentName::parse(&options.action)
        .resolve(&client)
        .await?
        .require_action()?;
    let subject = Subject {
        component: saved.id_or_key(),
        props: saved.component.configurable_props.clone(),
        source: None,
    };
    let form = Form::new(&client, subject, &options.props, options.common.json)?;
    let run = form
        .submit(async |filled| {
            let FormValues {
                configured_props,
                dynamic_props_id,
            } = filled;
            let reference = saved.reference();
            let body = RunAction {
                component_id: reference.component_id,
                key: reference.key,
                configured_props: Some(configured_props),
                dynamic_props_id,
                timeout_seconds: options.timeout,
                wait: Some(!options.no_wait),
                ..RunAction::default()
            };
            during("Running", client.post::<ActionRun>("/actions/run", &body)).await
        })
        .await?;
    if options.common.json {
        show_json(&run)?;
    } else if options.no_wait {
        show(&format!("{}\n", run.id))?;
    } else {
        show_logs(&run)?;
        outcome(&run)?;
    }
    Ok(if ["failed", "cancelled"].contains(&run.state.as_str()) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
