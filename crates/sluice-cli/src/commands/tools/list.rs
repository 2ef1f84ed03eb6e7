//! `sluice tools list`

use clap::Args;
use sluice_api::Tool;

use crate::commands::{
    common::Common,
    output::{BAD, sanitized, show_list, styled},
};

/// List the tools: actions that are enabled for AI agents and other programs
#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let tools: Vec<Tool> = client.get("/tools").await?;
    let header = ["TOOL", "ACTION", "PRESET PROPS", "NOTE"];
    let hint = "No tools: enable an action with `sluice tools enable`";
    show_list(&tools, options.common.json, &header, hint, |tool| {
        let preset: Vec<&str> = tool.configured_props.keys().map(String::as_str).collect();
        let problem = tool.problem.as_deref().map(|text| styled(BAD, text));
        vec![
            tool.name.clone(),
            sanitized(&tool.component),
            sanitized(&preset.join(", ")),
            problem.unwrap_or_default(),
        ]
    })
}
