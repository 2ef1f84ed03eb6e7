//! `sluice workflows resume` and `sluice workflows cancel`

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};
use sluice_api::{Run, RunState, RunWait};

use super::target::Target;
use crate::{
    client::{Client, escaped},
    commands::{
        common::Common,
        event_arg::parse_event,
        output::{show, show_json},
    },
};

/// Resume a waiting run now
///
/// The run waits for a resume or cancel request, a delay, or its next attempt.
#[derive(Debug, Args)]
pub(crate) struct ResumeOptions {
    #[command(flatten)]
    run: WaitingRun,
    /// Body of the request that resumes it, for the next step: JSON, @FILE for a file with JSON, or - for standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    body: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Cancel a waiting run
#[derive(Debug, Args)]
pub(crate) struct CancelOptions {
    #[command(flatten)]
    run: WaitingRun,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct WaitingRun {
    #[command(flatten)]
    target: Target,
    /// Id of the run
    #[arg(value_name = "RUN")]
    run: String,
}

pub(super) async fn resume(options: ResumeOptions) -> anyhow::Result<()> {
    let body = match &options.body {
        Some(body) => parse_event(body).context("cannot read --body")?,
        None => json!({}),
    };
    let client = options.common.connection.client()?;
    let wait = options.run.find(&client).await?;
    let state = call(&client, wait.resume_url.as_deref(), &body).await?;
    show_state(&state, "resumed", options.common.json)
}

pub(super) async fn cancel(options: CancelOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let wait = options.run.find(&client).await?;
    let state = call(&client, wait.cancel_url.as_deref(), &json!({})).await?;
    show_state(&state, "cancelled", options.common.json)
}

impl WaitingRun {
    async fn find(&self, client: &Client) -> anyhow::Result<RunWait> {
        let workflow = self.target.find(client).await?;
        let path = format!("/workflows/{}/runs/{}", workflow.id, escaped(&self.run));
        let run: Run = client.get(&path).await?;
        match run.waits_for {
            Some(wait) => Ok(wait),
            None => bail!(
                "run {} is {}: only a waiting run can be resumed or cancelled",
                run.id,
                run.state
            ),
        }
    }
}

/// Sends a request to the address of a waiting run, at the URL that the client has for the server.
async fn call(client: &Client, address: Option<&str>, body: &Value) -> anyhow::Result<RunState> {
    let path = address.and_then(path_of);
    let path = path.context("the run has no address: the server may be of another version")?;
    Ok(client.post_callback(path, body).await?)
}

/// The path of an address. The public URL of the server before it may not be reachable from here.
fn path_of(address: &str) -> Option<&str> {
    address.rfind("/workflows/").map(|at| &address[at..])
}

fn show_state(state: &RunState, done: &str, json: bool) -> anyhow::Result<()> {
    if json {
        return show_json(state);
    }
    Ok(show(&format!("{} is {done}\n", state.id))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_url_is_left_out() {
        assert_eq!(
            path_of("https://sluice.example.com/base/workflows/resume/k1"),
            Some("/workflows/resume/k1")
        );
        assert_eq!(path_of("https://example.com/"), None);
    }
}
