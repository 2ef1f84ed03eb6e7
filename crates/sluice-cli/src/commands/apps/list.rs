//! `sluice apps list`

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sluice_api::{AppOauth, AuthType};

use super::hints::authentication;
use crate::{
    client::Client,
    commands::{
        common::Common,
        output::{sanitized, show_json, show_list},
    },
};

const EXAMPLES: &str = "\
Examples:
  sluice apps list --query google
  sluice apps list --with-components
  sluice apps list --json | jq -r '.[] | select(.oauth.is_ready) | .name_slug'";

/// List the apps of the catalogue and of the operator, best known first
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListOptions {
    /// Show only apps with this text in slug or name
    #[arg(long, short, value_name = "TEXT")]
    query: Option<String>,
    /// Show only apps with components in the registry
    #[arg(long)]
    with_components: bool,
    #[command(flatten)]
    common: Common,
}

/// The columns of the table.
#[derive(Serialize, Deserialize)]
struct Row {
    name_slug: String,
    name: String,
    auth_type: AuthType,
    oauth: Option<AppOauth>,
    sources: u64,
    actions: u64,
}

const FIELDS: &str = "name_slug,name,auth_type,oauth,sources,actions";

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let mut query = vec![("sort", "popularity")];
    query.extend(options.query.as_deref().map(|text| ("q", text)));
    if options.with_components {
        query.push(("has_components", "true"));
    }
    if options.common.json {
        let apps: Vec<Value> = client.all_matching("/apps", &query).await?;
        return show_json(&apps);
    }
    show_table(&client, query).await
}

async fn show_table(client: &Client, mut query: Vec<(&str, &str)>) -> anyhow::Result<()> {
    query.push(("include", FIELDS));
    let rows: Vec<Row> = client.all_matching("/apps", &query).await?;
    let header = ["SLUG", "NAME", "AUTHENTICATION", "SOURCES", "ACTIONS"];
    show_list(&rows, false, &header, "No matches", |row| {
        vec![
            row.name_slug.clone(),
            sanitized(&row.name),
            authentication(row.auth_type, row.oauth.as_ref()),
            row.sources.to_string(),
            row.actions.to_string(),
        ]
    })
}
