//! The sample events of components.

use anyhow::bail;
use serde_json::{Value, json};
use sluice_api::{Component, Source, Workflow, WorkflowTrigger};
use sluice_model::PropType;

use crate::client::Client;

/// An event for `sluice run --sample`: the sample of the source, as a request if the source has an HTTP interface.
pub(crate) async fn for_source(client: &Client, source: &Source) -> anyhow::Result<Value> {
    let component = component_of(client, source).await?;
    let slug = &source.name_slug;
    let Some(sample) = component.sample_event else {
        bail!(
            "{slug} has no sample: it is read from a file test-event.mjs beside the code of the component"
        );
    };
    let mut props = component
        .configurable_props
        .iter()
        .map(|prop| &prop.prop_type);
    let has_http = props.clone().any(|kind| *kind == PropType::Http);
    if has_http {
        return Ok(request(&sample));
    }
    if props.any(|kind| *kind == PropType::Timer) {
        bail!(
            "{slug} runs on a timer: its sample is an event that it emits, which a run cannot use"
        );
    }
    Ok(sample)
}

/// The sample of the first source that triggers a workflow and has one.
pub(crate) async fn for_workflow(client: &Client, workflow: &Workflow) -> anyhow::Result<Value> {
    for trigger in &workflow.triggers {
        let WorkflowTrigger::Events { emitter_id, .. } = trigger else {
            continue;
        };
        let source: Option<Source> = client.find(&format!("/sources/{emitter_id}")).await?;
        let Some(source) = source else { continue };
        if let Some(sample) = component_of(client, &source).await?.sample_event {
            return Ok(sample);
        }
    }
    bail!(
        "no trigger of {} is a source with a sample event",
        workflow.name_slug
    )
}

async fn component_of(client: &Client, source: &Source) -> anyhow::Result<Component> {
    let path = format!("/components/{}", source.component_id);
    Ok(client.get(&path).await?)
}

/// A request with a JSON body, as an endpoint would receive it.
fn request(body: &Value) -> Value {
    let raw = body.to_string();
    json!({
        "method": "POST",
        "path": "/",
        "query": {},
        "headers": { "content-type": "application/json" },
        "body": body,
        "bodyRaw": raw,
    })
}
