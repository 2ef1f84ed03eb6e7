//! `sluice sessions end`

use anyhow::bail;
use clap::Args;
use serde_json::json;
use sluice_model::SessionId;

use crate::{
    commands::{
        ask::Confirmation,
        common::Common,
        output::{show, show_json},
    },
    exit::NotFound,
};

/// End a session of the console, or all of them
///
/// The browser is signed out with its next request.
#[derive(Debug, Args)]
pub(crate) struct EndOptions {
    /// Id of the session
    #[arg(value_name = "ID")]
    session: Option<String>,
    /// End all your sessions
    #[arg(long, conflicts_with = "session")]
    all: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn end(options: EndOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let json = options.common.json;
    let Some(id) = options.session else {
        if !options.all {
            bail!("name a session of `sluice sessions list`, or end all of them with --all");
        }
        let question = "End all your sessions?".to_owned();
        options.confirmation.require(question, json).await?;
        client.delete("/users/me/sessions").await?;
        return report(json, "all", "Ended all sessions");
    };
    let missing = || {
        NotFound(format!(
            "no session {id}: list yours with `sluice sessions list`"
        ))
    };
    let session = SessionId::parse(&id).ok_or_else(missing)?;
    let question = format!("End the session {session}?");
    options.confirmation.require(question, json).await?;
    let ended = client
        .delete(&format!("/users/me/sessions/{session}"))
        .await;
    ended.map_err(|error| {
        if error.is_not_found() {
            missing().into()
        } else {
            anyhow::Error::from(error)
        }
    })?;
    report(json, session.as_str(), &format!("Ended {session}"))
}

fn report(json: bool, ended: &str, text: &str) -> anyhow::Result<()> {
    if json {
        return show_json(&json!({ "ended": ended }));
    }
    Ok(show(&format!("{text}\n"))?)
}
