//! `sluice whoami`

use clap::Args;
use serde_json::{Value, json};
use sluice_api::{Session, UserPlan};

use crate::commands::{
    common::Common,
    output::{fields, sanitized, show, show_json},
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
    let Session { user, .. } = client.get("/session").await?;
    let role = if user.operator { "operator" } else { "user" };
    let plan = match user.plan {
        UserPlan::Free => "free",
        UserPlan::Paid => "paid",
    };
    let name = format!("{} ({})", user.username, user.email);
    let lines = [
        ("user", sanitized(&name)),
        ("id", user.id.to_string()),
        ("role", role.to_owned()),
        ("plan", plan.to_owned()),
        ("server", client.url().to_owned()),
    ];
    Ok(show(&fields(&lines))?)
}
