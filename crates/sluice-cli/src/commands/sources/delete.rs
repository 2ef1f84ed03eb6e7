//! `sluice delete`

use clap::Args;
use serde_json::json;
use sluice_api::Source;

use super::target::Target;
use crate::commands::{
    ask::Confirmation,
    common::Common,
    output::{counted, show, show_json},
};

const EXAMPLES: &str = "\
Examples:
  sluice delete orders
  sluice delete orders dc_a1b2c3 --yes
  sluice delete broken --ignore-hook-errors";

/// Delete sources with their events and logs
///
/// The `deactivate` hooks run first. On a terminal, the command asks for confirmation.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteOptions {
    /// Ids or slugs of the sources
    #[arg(required = true, value_name = "ID|SLUG")]
    sources: Vec<String>,
    /// Delete a source even if its `deactivate` hook fails
    #[arg(long)]
    ignore_hook_errors: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let json = options.common.json;
    let client = options.common.connection.client()?;
    // All sources are looked up first, so that a wrong name deletes nothing.
    let mut sources: Vec<Source> = Vec::new();
    for name in options.sources {
        let source = Target { source: name }.find(&client).await?;
        if sources.iter().all(|other| other.id != source.id) {
            sources.push(source);
        }
    }
    let slugs: Vec<&str> = sources.iter().map(|it| it.name_slug.as_str()).collect();
    let question = format!(
        "Delete {} with all events and logs: {}?",
        counted(sources.len(), "source"),
        slugs.join(", ")
    );
    options.confirmation.require(question, json).await?;
    let suffix = if options.ignore_hook_errors {
        "?ignore_hook_errors=true"
    } else {
        ""
    };
    for source in &sources {
        let path = format!("/sources/{}{suffix}", source.id);
        client.delete(&path).await?;
        if !json {
            show(&format!("Deleted {}\n", source.name_slug))?;
        }
    }
    if json {
        let ids: Vec<_> = sources.iter().map(|source| &source.id).collect();
        show_json(&json!({ "deleted": ids }))?;
    }
    Ok(())
}
