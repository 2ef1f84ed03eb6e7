//! Components that are saved, published, or in the registry.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    client::Client,
    commands::output::{moment, show_json, show_list},
};

/// Which components, of many.
#[derive(Debug, Args)]
pub(super) struct Filter {
    /// Only components with all these words in key, name, description or app
    #[arg(long, short, value_name = "TEXT")]
    query: Option<String>,
    /// Only components of this app
    #[arg(long, value_name = "SLUG")]
    app: Option<String>,
    /// Only components of this kind
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

/// What a table shows of a component.
#[derive(Serialize, Deserialize)]
struct Row {
    id: String,
    name: String,
    version: String,
    key: Option<String>,
    updated_at: i64,
}

const SHOWN: &str = "id,name,version,key,updated_at";

pub(super) async fn list(
    client: &Client,
    scope: Scope,
    filter: &Filter,
    json: bool,
) -> anyhow::Result<()> {
    let (scope, hint) = match scope {
        Scope::Own => (
            "own",
            "No components: `sluice deploy FILE` saves what it deploys",
        ),
        Scope::Published => (
            "published",
            "Nothing is published: `sluice publish FILE` does it",
        ),
        Scope::Registry => (
            "registry",
            "Nothing in the registry: its operator fills it with `sluice registry import`, or `sluice publish --server`",
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
        let components: Vec<Value> = client.selected("/components", &query).await?;
        return show_json(&components);
    }
    // Code is most of a component, and no table has it.
    query.push(("include", SHOWN));
    let rows: Vec<Row> = client.selected("/components", &query).await?;
    let header = ["ID", "NAME", "VERSION", "UPDATED", "KEY"];
    let hint = if filter.is_empty() {
        hint
    } else {
        "Nothing matches"
    };
    show_list(&rows, false, &header, hint, |row| {
        vec![
            row.id.clone(),
            row.name.clone(),
            row.version.clone(),
            moment(row.updated_at * 1000),
            row.key.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    })
}
