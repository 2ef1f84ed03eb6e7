//! `sluice tools enable`

use clap::Args;
use sluice_api::{EnableTool, Tool};

use crate::{
    client::escaped,
    commands::{
        common::Common,
        component::ComponentName,
        output::{sanitized, show, show_json},
        prop_args::PropArgs,
    },
};

const EXAMPLES: &str = "\
Examples:
  sluice tools enable slack-send-message --account apn_Ab12cd --prop channel=C0123
  sluice tools enable http-request --name fetch_page --description 'Fetch a web page'";

/// Enable an action as a tool for AI agents and other programs
///
/// Programs give the props that have no value here. Preset values, such as the account, are neither shown to programs nor changed
/// by them. A tool of the same name is replaced.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnableOptions {
    /// Action: a key of the registry, a file, or the URL of a file
    #[arg(value_name = "KEY|FILE|URL")]
    action: String,
    /// Name of the tool: letters, digits, - and _ [default: the key of the action]
    #[arg(long)]
    name: Option<String>,
    /// What the tool does, for the program that chooses it [default: the description of the action]
    #[arg(long)]
    description: Option<String>,
    /// Id of the account for the app of the action
    #[arg(long, value_name = "ID", help_heading = "Props")]
    account: Option<String>,
    #[command(flatten)]
    props: PropArgs,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn enable(options: EnableOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let saved = ComponentName::parse(&options.action)
        .resolve(&client)
        .await?
        .require_action()?;
    let props = options.props.values(&saved.component.configurable_props)?;
    let component = saved.id_or_key();
    let key = saved.component.key.clone();
    let name = options
        .name
        .unwrap_or_else(|| key.unwrap_or_else(|| component.clone()));
    let body = EnableTool {
        component: Some(component),
        description: options.description,
        configured_props: Some(props),
        account: options.account,
    };
    let tool: Tool = client
        .put(&format!("/tools/{}", escaped(&name)), &body)
        .await?;
    if options.common.json {
        return show_json(&tool);
    }
    Ok(show(&format!("{} enabled\n", sanitized(&tool.name)))?)
}
