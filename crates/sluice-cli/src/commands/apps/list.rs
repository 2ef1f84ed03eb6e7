//! `sluice apps list`

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sluice_api::{AppOauth, AuthType, List};

use super::hints::authentication;
use crate::{
    client::Client,
    commands::{
        common::Common,
        output::{sanitized, show_json, show_list, show_stderr},
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
    /// Show all apps, not only the best known ones
    #[arg(long)]
    all: bool,
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

/// The number of apps in a table, unless all are wanted.
const FIRST: &str = "50";
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
    query.push(("include", FIELDS));
    let rows = if options.all {
        client.all_matching("/apps", &query).await?
    } else {
        first_rows(&client, query).await?
    };
    show_table(&rows)
}

/// The first apps, with a note about the others.
async fn first_rows(client: &Client, mut query: Vec<(&str, &str)>) -> anyhow::Result<Vec<Row>> {
    query.push(("limit", FIRST));
    let List { page_info, data } = client.page("/apps", &query).await?;
    let total = page_info.total_count;
    if page_info.end_cursor.is_some() && total > data.len() as u64 {
        let shown = data.len();
        show_stderr(&format!(
            "The first {shown} of {total} apps. Find others with --query, or show them with --all.\n"
        ))?;
    }
    Ok(data)
}

fn show_table(rows: &[Row]) -> anyhow::Result<()> {
    let header = ["SLUG", "NAME", "AUTHENTICATION", "SOURCES", "ACTIONS"];
    show_list(rows, false, &header, "No matches", |row| {
        vec![
            row.name_slug.clone(),
            sanitized(&row.name),
            authentication(row.auth_type, row.oauth.as_ref()),
            row.sources.to_string(),
            row.actions.to_string(),
        ]
    })
}
