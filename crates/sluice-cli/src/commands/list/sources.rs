//! Sources, and the streams of sources and workflows.

use serde::Serialize;
use serde_json::{Map, Value};
use sluice_api::{Source, Workflow};

use crate::{
    client::Client,
    commands::{
        output::{moment, show_list},
        workflows::activity,
    },
};

const NO_SOURCES: &str =
    "No sources yet: `sluice init source NAME` writes one, and `sluice deploy FILE` deploys it";

pub(super) async fn list(client: &Client, json: bool) -> anyhow::Result<()> {
    let sources: Vec<Source> = client.all("/users/me/sources").await?;
    let header = ["SLUG", "ID", "STATE", "TRIGGER", "CHANGED"];
    show_list(&sources, json, &header, NO_SOURCES, |source| {
        vec![
            source.name_slug.clone(),
            source.id.to_string(),
            activity(source.active),
            trigger_words(&source.configured_props).join(", "),
            moment(source.updated_at * 1000),
        ]
    })
}

/// What makes a source run, one phrase for each interface.
pub(crate) fn trigger_words(props: &Map<String, Value>) -> Vec<String> {
    let words = |value: &Value| {
        if value.get("endpoint_url").is_some() {
            return Some("http".to_owned());
        }
        match (value.get("cron"), value.get("interval_seconds")) {
            (Some(Value::String(cron)), _) => Some(cron.clone()),
            (_, Some(Value::Number(seconds))) => Some(format!("every {seconds} s")),
            _ => None,
        }
    };
    props.values().filter_map(words).collect()
}

/// Where events can be followed.
#[derive(Serialize)]
struct Stream {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    visibility: &'static str,
    sse: String,
}

pub(super) async fn streams(client: &Client, json: bool) -> anyhow::Result<()> {
    let sources: Vec<Source> = client.all("/users/me/sources").await?;
    let workflows: Vec<Workflow> = client.all("/workflows").await?;
    let url = client.url();
    let of_source = |source: &Source| Stream {
        name: source.name_slug.clone(),
        kind: "source",
        visibility: "private",
        sse: format!("{url}/v1/sources/{}/sse", source.id),
    };
    // What a workflow sends with `$.send.sse` is for whoever has the address.
    let of_workflow = |workflow: &Workflow| Stream {
        name: workflow.name_slug.clone(),
        kind: "workflow",
        visibility: "public",
        sse: format!("{url}/v1/workflows/{}/sse", workflow.id),
    };
    let streams: Vec<Stream> = sources
        .iter()
        .map(of_source)
        .chain(workflows.iter().map(of_workflow))
        .collect();
    let header = ["NAME", "TYPE", "VISIBILITY", "SSE"];
    let hint = "No streams yet: every source and every workflow has one";
    show_list(&streams, json, &header, hint, |stream| {
        vec![
            stream.name.clone(),
            stream.kind.to_owned(),
            stream.visibility.to_owned(),
            stream.sse.clone(),
        ]
    })
}
