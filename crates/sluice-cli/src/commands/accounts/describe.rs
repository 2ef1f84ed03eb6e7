//! `sluice accounts describe`

use clap::Args;

use super::{
    health::{health, renewal},
    target::Target,
};
use crate::commands::{
    common::Common,
    output::{fields, sanitized, show, show_json},
};

/// Show an account, without its credentials
#[derive(Debug, Args)]
pub(super) struct DescribeOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn describe(options: DescribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let account = options.target.find(&client).await?;
    if options.common.json {
        return show_json(&account);
    }
    let app = &account.app;
    let mut lines = vec![
        ("name", sanitized(&account.name)),
        ("id", account.id.to_string()),
        (
            "app",
            format!("{} ({})", sanitized(&app.name), app.name_slug),
        ),
        ("state", health(&account)),
        ("created", account.created_at.clone()),
        ("changed", account.updated_at.clone()),
    ];
    let expires = account.expires_at.clone();
    lines.extend(expires.map(|time| ("expires", time)));
    let renewal = renewal(&account).map(str::to_owned);
    lines.extend(renewal.map(|text| ("renewal", text)));
    let error = account.error.as_deref().map(sanitized);
    lines.extend(error.map(|error| ("error", error)));
    Ok(show(&fields(&lines))?)
}
