//! `sluice whoami`

use clap::Args;
use serde_json::{Value, json};

use super::profile::user_of;
use crate::commands::{
    common::Common,
    output::{fields, show, show_json},
};

/// Show the current user and server
#[derive(Debug, Args)]
pub(crate) struct WhoamiOptions {
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn whoami(options: WhoamiOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    if options.common.json {
        let mut user: Value = client.get("/users/me").await?;
        user["url"] = json!(client.url());
        return show_json(&user);
    }
    let (id, username, email) = user_of(&client).await?;
    let lines = [
        ("user", format!("{username} ({email})")),
        ("id", id),
        ("server", client.url().to_owned()),
    ];
    Ok(show(&fields(&lines))?)
}
