//! Saved and published components, and those of the registry.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    client::Client,
    commands::output::{local_time, show_json, show_list},
};

/// The filter options.
#[derive(Debug, Args)]
pub(super) struct Filter {
    /// Show only components with all these words in key, name, description or app
    #[arg(long, short, value_name = "TEXT")]
    query: Option<String>,
    /// Show only components of this app
    #[arg(long, value_name = "SLUG")]
    app: Option<String>,
    /// Show only components of this kind
    #[arg(long = "type", value_enum, value_name = "KIND")]
    kind: Option<Kind>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Source,
    Action,
}

impl Filter {
    pub(super) fn is_empty(&self) -> bool {
        self.query.is_none() && self.app.is_none() && self.kind.is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Own,
    Published,
    Registry,
}

/// The columns of the table.
#[derive(Serialize, Deserialize)]
struct Row {
    id: String,
    name: String,
    version: String,
    key: Option<String>,
    updated_at: i64,
}

const FIELDS: &str = "id,name,version,key,updated_at";

pub(super) async fn list(
    client: &Client,
    scope: Scope,
    filter: &Filter,
    json: bool,
) -> anyhow::Result<()> {
    let (scope, hint) = match scope {
        Scope::Own => ("own", "No components: `sluice deploy FILE` saves one"),
        Scope::Published => (
            "published",
            "No published components: publish one with `sluice publish FILE`",
        ),
        Scope::Registry => (
            "registry",
            "The registry is empty: the operator fills it with `sluice registry import` or `sluice publish --server`",
        ),
    };
    let mut query = vec![("scope", scope)];
    query.extend(filter.query.as_deref().map(|text| ("q", text)));
    query.extend(filter.app.as_deref().map(|app| ("app", app)));
    query.extend(filter.kind.map(|kind| match kind {
        Kind::Source => ("type", "source"),
        Kind::Action => ("type", "action"),
    }));
    if json {
        let components: Vec<Value> = client.all_matching("/components", &query).await?;
        return show_json(&components);
    }
    // The table does not need the code, which is most of the response.
    query.push(("include", FIELDS));
    let rows: Vec<Row> = client.all_matching("/components", &query).await?;
    let header = ["ID", "NAME", "VERSION", "UPDATED", "KEY"];
    let hint = if filter.is_empty() {
        hint
    } else {
        "No matches"
    };
    show_list(&rows, false, &header, hint, |row| {
        vec![
            row.id.clone(),
            row.name.clone(),
            row.version.clone(),
            local_time(row.updated_at * 1000),
            row.key.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    })
}
