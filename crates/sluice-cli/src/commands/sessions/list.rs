//! `sluice sessions list`

use clap::Args;
use sluice_api::ListedSession;

use crate::commands::{
    common::Common,
    output::{local_time, sanitized, show_list},
};

/// List the browsers that are signed in to the console as you, newest first
#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let sessions: Vec<ListedSession> = client.all("/users/me/sessions").await?;
    let header = [
        "ID",
        "ADDRESS",
        "SIGNED IN",
        "LAST USED",
        "EXPIRES",
        "BROWSER",
    ];
    let hint = "No sessions: nobody is signed in to the console with this account";
    show_list(&sessions, options.common.json, &header, hint, |session| {
        let time = |at: i64| local_time(at * 1000);
        vec![
            session.id.to_string(),
            sanitized(&session.address),
            time(session.created_at),
            time(session.last_used_at),
            time(session.expires_at),
            sanitized(&session.user_agent),
        ]
    })
}
