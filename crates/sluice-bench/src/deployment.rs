//! Deploys sources, sends requests to them, and reads their events and metrics.

use std::{fs, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use serde_json::{Value, json};
use sluice_testkit::{Api, Method, wait_for};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::settings::script;

/// The number of concurrent requests while a section is set up.
const CONCURRENT_REQUESTS: usize = 32;

/// One deployed source.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) id: String,
    /// The URL of its endpoint, if it has one.
    endpoint: Option<String>,
    /// When its timer was due next after the deployment, in epoch milliseconds. None if it has none, or if it ticked at once.
    pub(crate) next_run_at: Option<i64>,
}

impl Source {
    pub(crate) fn endpoint(&self) -> anyhow::Result<&str> {
        let endpoint = self.endpoint.as_deref();
        endpoint.context("the source has no endpoint")
    }
}

/// Saves a component of this crate and returns its id.
pub(crate) async fn save_component(api: &Api, file: &str) -> anyhow::Result<String> {
    save_code(api, &code_of(file)?).await
}

/// Saves components whose code differs only in a constant, and returns their ids.
pub(crate) async fn save_variants(
    api: &Api,
    file: &str,
    count: usize,
) -> anyhow::Result<Vec<String>> {
    let code = code_of(file)?;
    let mut ids = Vec::with_capacity(count);
    for number in 1..=count {
        ids.push(save_code(api, &format!("const VARIANT = {number};\n{code}")).await?);
    }
    Ok(ids)
}

fn code_of(file: &str) -> anyhow::Result<String> {
    let path = script(file);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

async fn save_code(api: &Api, code: &str) -> anyhow::Result<String> {
    let body = json!({ "component_code": code });
    text(&api.post("/components", &body).await.ok(), "/id")
}

/// Deploys `count` sources of one component concurrently.
pub(crate) async fn deploy(
    api: &Api,
    component: &str,
    props: &Value,
    count: usize,
) -> anyhow::Result<Vec<Source>> {
    deploy_over(api, &[component.to_owned()], props, count, Duration::ZERO).await
}

/// Deploys `count` sources of these components in turn, evenly over a time. It takes longer if the server is slower.
pub(crate) async fn deploy_over(
    api: &Api,
    components: &[String],
    props: &Value,
    count: usize,
    time: Duration,
) -> anyhow::Result<Vec<Source>> {
    let start = Instant::now();
    let share = time / u32::try_from(count.max(1))?;
    let numbered = (0_u32..).zip(components.iter().cycle()).take(count);
    concurrently(numbered.map(|(number, component)| {
        let api = api.clone();
        let name = format!("source {number}");
        let body = json!({ "component_id": component, "name": name, "configured_props": props });
        async move {
            sleep_until(start + share * number).await;
            source_of(&api.post("/sources", &body).await.ok())
        }
    }))
    .await
}

/// Runs requests, a limited number of them at the same time, which start in this order. The results are in the order of completion.
pub(crate) async fn concurrently<T: Send + 'static>(
    requests: impl IntoIterator<Item = impl Future<Output = anyhow::Result<T>> + Send + 'static>,
) -> anyhow::Result<Vec<T>> {
    let permits = Arc::new(Semaphore::new(CONCURRENT_REQUESTS));
    let mut tasks = JoinSet::new();
    for request in requests {
        let permits = Arc::clone(&permits);
        tasks.spawn(async move {
            let _permit = permits.acquire().await?;
            request.await
        });
    }
    let mut results = Vec::with_capacity(tasks.len());
    while let Some(result) = tasks.join_next().await {
        results.push(result??);
    }
    Ok(results)
}

/// Sends `body` to the source's endpoint, which must accept it.
pub(crate) async fn send(api: &Api, source: &Source, body: &Value) -> anyhow::Result<()> {
    let endpoint = source.endpoint()?;
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

/// A time at which the timer of the source is or was due, in epoch milliseconds.
pub(crate) async fn due_time(api: &Api, source: &Source) -> anyhow::Result<i64> {
    let data = api.get(&format!("/sources/{}", source.id)).await.ok();
    // While a tick runs, the next one is not planned.
    let due = data["next_run_at"].as_i64();
    due.or_else(|| data.pointer("/ticks/last_tick_at")?.as_i64())
        .with_context(|| format!("{} has no timer, or has never run", source.id))
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
        next_run_at: data["next_run_at"].as_i64(),
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
