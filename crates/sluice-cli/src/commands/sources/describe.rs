//! `sluice describe`

use clap::Args;
use serde_json::Value;
use sluice_api::{Component, Source};

use super::target::Target;
use crate::{
    client::Client,
    commands::{
        common::Common,
        output::{activity, fields, local_time, sanitized, show, show_json},
        source_summary::schedules,
    },
};

const EXAMPLES: &str = "\
Examples:
  sluice describe orders
  sluice describe orders --code > orders.mjs
  sluice describe orders --json | jq .configured_props";

/// Show the state, endpoint, schedule, stream and props of a source
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DescribeOptions {
    #[command(flatten)]
    target: Target,
    /// Print only the code
    #[arg(long)]
    code: bool,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn describe(options: DescribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let path = format!("/components/{}", source.component_id);
    if options.code {
        let component: Component = client.get(&path).await?;
        if options.common.json {
            return show_json(&component);
        }
        let end = if component.code.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        return Ok(show(&format!("{}{end}", component.code))?);
    }
    if options.common.json {
        return show_json(&source);
    }
    let component: Option<Component> = client.find(&path).await?;
    Ok(show(&source_text(&client, &source, component.as_ref()))?)
}

fn source_text(client: &Client, source: &Source, component: Option<&Component>) -> String {
    let component = component.map_or_else(
        || source.component_id.to_string(),
        |component| {
            let (name, version) = (sanitized(&component.name), &component.version);
            format!("{name} {version} ({})", component.id)
        },
    );
    let mut lines = vec![
        ("name", sanitized(&source.name)),
        ("slug", source.name_slug.clone()),
        ("id", source.id.to_string()),
        ("state", activity(source.active)),
        ("component", component),
    ];
    let endpoints = source.configured_props.values();
    let endpoints = endpoints.filter_map(|value| value["endpoint_url"].as_str());
    lines.extend(endpoints.map(|url| ("endpoint", url.to_owned())));
    let timers = schedules(&source.configured_props).into_iter();
    lines.extend(timers.map(|schedule| ("timer", schedule)));
    lines.push((
        "stream",
        format!("{}/v1/sources/{}/sse", client.url(), source.id),
    ));
    lines.push(("created", local_time(source.created_at * 1000)));
    lines.push(("changed", local_time(source.updated_at * 1000)));
    if let Some(retention) = source.retention {
        let events = retention.max_events.map(|count| format!("{count} events"));
        let age = retention.max_age_seconds.map(|age| format!("{age} s"));
        let kept: Vec<String> = events.into_iter().chain(age).collect();
        lines.push(("retention", kept.join(", ")));
    }
    let mut text = fields(&lines);
    let plain: Vec<(&str, String)> = source
        .configured_props
        .iter()
        .filter(|(_, value)| !is_interface(value))
        .map(|(name, value)| (name.as_str(), sanitized(&value.to_string())))
        .collect();
    if !plain.is_empty() {
        text.push_str("\nprops\n");
        let props = fields(&plain);
        let props = props.lines().map(|line| format!("  {line}\n"));
        text.extend(props);
    }
    text
}

/// Whether a value is an endpoint or a timer, which are shown above.
fn is_interface(value: &Value) -> bool {
    ["endpoint_url", "cron", "interval_seconds"]
        .iter()
        .any(|field| value.get(field).is_some())
}
