//! Deploys sources, sends requests to them, and reads their events and metrics.

use std::{fs, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use serde_json::{Value, json};
use sluice_testkit::{Api, Method, wait_for};
use tokio::{sync::Semaphore, task::JoinSet};

use crate::settings::script;

/// The number of concurrent requests while a section is set up.
pub(crate) const CONCURRENT_REQUESTS: usize = 32;

/// One deployed source.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) id: String,
    /// The URL of its endpoint, if it has one.
    pub(crate) endpoint: Option<String>,
}

/// Saves a component of this crate and returns its id.
pub(crate) async fn save_component(api: &Api, file: &str) -> anyhow::Result<String> {
    let path = script(file);
    let code =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let component = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    text(&component, "/id")
}

/// Deploys `count` sources of one component concurrently. The result is in the order of creation.
pub(crate) async fn deploy(
    api: &Api,
    component: &str,
    props: &Value,
    count: usize,
) -> anyhow::Result<Vec<Source>> {
    let places = Arc::new(Semaphore::new(CONCURRENT_REQUESTS));
    let mut requests = JoinSet::new();
    for number in 0..count {
        let (api, places) = (api.clone(), Arc::clone(&places));
        let name = format!("source {number}");
        let body = json!({ "component_id": component, "name": name, "configured_props": props });
        requests.spawn(async move {
            let _place = places.acquire().await?;
            source_of(&api.post("/sources", &body).await.ok())
        });
    }
    let mut sources = Vec::with_capacity(count);
    while let Some(source) = requests.join_next().await {
        sources.push(source??);
    }
    Ok(sources)
}

/// Sends `body` to the source's endpoint, which must accept it.
pub(crate) async fn send(api: &Api, source: &Source, body: &Value) -> anyhow::Result<()> {
    let endpoint = source
        .endpoint
        .as_deref()
        .context("the source has no endpoint")?;
    let answer = api.absolute(Method::POST, endpoint).json(body).send().await;
    if answer.status != 200 {
        bail!("the endpoint responded {}: {}", answer.status, answer.text);
    }
    Ok(())
}

/// The value of a metric; zero when it does not exist.
pub(crate) async fn metric(api: &Api, name: &str) -> f64 {
    let text = api.root(Method::GET, "/metrics").send().await.text;
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
        .unwrap_or(0.0)
}

/// How many events the source has emitted.
pub(crate) async fn event_count(api: &Api, source: &Source) -> anyhow::Result<u64> {
    let path = format!("/sources/{}/event_summaries?limit=1", source.id);
    let page = api.get(&path).await.expect(200);
    page["page_info"]["total_count"]
        .as_u64()
        .context("the page has no total_count")
}

/// The events of the source, newest first.
pub(crate) async fn events(api: &Api, source: &Source) -> anyhow::Result<Vec<Value>> {
    let path = format!(
        "/sources/{}/event_summaries?limit=100&expand=event",
        source.id
    );
    let page = api.get(&path).await.expect(200);
    let summaries = page["data"].as_array().context("the page has no data")?;
    Ok(summaries
        .iter()
        .map(|summary| summary["event"].clone())
        .collect())
}

/// The value of a counter, summed over its labels; zero when it does not exist yet.
pub(crate) async fn counter(api: &Api, name: &str) -> u64 {
    let metrics = api.root(Method::GET, "/metrics").send().await;
    sum_of(&metrics.text, name)
}

/// Waits until a counter has reached a value.
pub(crate) async fn wait_for_counter(api: &Api, name: &str, at_least: u64, deadline: Duration) {
    let condition = format!("{name} to reach {at_least}");
    wait_for(deadline, &condition, async || {
        (counter(api, name).await >= at_least).then_some(())
    })
    .await;
}

fn sum_of(metrics: &str, name: &str) -> u64 {
    let samples = metrics.lines().filter_map(|line| line.strip_prefix(name));
    let values = samples.filter(|rest| rest.starts_with([' ', '{']));
    values
        .filter_map(|rest| rest.rsplit_once(' ')?.1.parse::<u64>().ok())
        .sum()
}

fn source_of(data: &Value) -> anyhow::Result<Source> {
    let endpoint = data.pointer("/configured_props/http/endpoint_url");
    Ok(Source {
        id: text(data, "/id")?,
        endpoint: endpoint.and_then(Value::as_str).map(str::to_owned),
    })
}

/// A string in a response.
pub(crate) fn text(data: &Value, pointer: &str) -> anyhow::Result<String> {
    let value = data.pointer(pointer).and_then(Value::as_str);
    Ok(value
        .with_context(|| format!("no {pointer} in {data}"))?
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_the_sum_over_its_labels_and_no_other_metric() {
        let metrics = "# TYPE runs counter\nruns_total{outcome=\"ok now\"} 3\nruns_total 4\nruns_total_seconds 9\n";
        assert_eq!(sum_of(metrics, "runs_total"), 7);
        assert_eq!(sum_of(metrics, "absent_total"), 0);
    }
}
