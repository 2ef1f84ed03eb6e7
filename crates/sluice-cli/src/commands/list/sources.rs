//! Sources, and the streams of sources and workflows.

use serde::Serialize;
use serde_json::{Map, Value};
use sluice_api::{Source, Workflow};

use crate::{
    client::Client,
    commands::{
        output::{activity, local_time, show_list},
        source_summary::{has_endpoint, schedules},
    },
};

const NO_SOURCES: &str = "No sources: create one with `sluice init source NAME`, and deploy it with `sluice deploy FILE`";

pub(super) async fn list(client: &Client, json: bool) -> anyhow::Result<()> {
    let sources: Vec<Source> = client.all("/users/me/sources").await?;
    let header = ["SLUG", "ID", "STATE", "TRIGGER", "CHANGED"];
    show_list(&sources, json, &header, NO_SOURCES, |source| {
        vec![
            source.name_slug.clone(),
            source.id.to_string(),
            activity(source.active),
            triggers(&source.configured_props),
            local_time(source.updated_at * 1000),
        ]
    })
}

/// The triggers of a source, such as `http, every 60 s`.
fn triggers(props: &Map<String, Value>) -> String {
    let http = has_endpoint(props).then(|| "http".to_owned());
    let triggers: Vec<String> = http.into_iter().chain(schedules(props)).collect();
    triggers.join(", ")
}

/// An event stream.
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
    let source_stream = |source: &Source| Stream {
        name: source.name_slug.clone(),
        kind: "source",
        visibility: "private",
        sse: format!("{url}/v1/sources/{}/sse", source.id),
    };
    // The stream of `$.send.sse` needs no API key.
    let workflow_stream = |workflow: &Workflow| Stream {
        name: workflow.name_slug.clone(),
        kind: "workflow",
        visibility: "public",
        sse: format!("{url}/v1/workflows/{}/sse", workflow.id),
    };
    let streams: Vec<Stream> = sources
        .iter()
        .map(source_stream)
        .chain(workflows.iter().map(workflow_stream))
        .collect();
    let header = ["NAME", "TYPE", "VISIBILITY", "SSE"];
    let hint = "No streams: each source and each workflow has one";
    show_list(&streams, json, &header, hint, |stream| {
        vec![
            stream.name.clone(),
            stream.kind.to_owned(),
            stream.visibility.to_owned(),
            stream.sse.clone(),
        ]
    })
}
