//! Section o: memory of the component processes of many live sources of one account and one component.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use sluice_testkit::Api;
use tokio::time::sleep;

use crate::{
    deployment::{
        Source, concurrently, counter, deploy, metric, save_component, send, wait_for_counter,
    },
    proc_fs::usage_of_descendants,
    report::{Measurement, SectionResult, count, megabytes},
    settings::Settings,
    throughput::INVOCATIONS,
};

/// Waits until the memory of the start is freed. Shorter than the time after which an idle source is stopped.
const SETTLE: Duration = Duration::from_secs(5);
const DEADLINE: Duration = Duration::from_mins(2);
/// For the default number of sources.
const MAX_MEGABYTES: f64 = 1_200.0;

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    let sources = settings.live_sources;
    eprintln!("o: starting {sources} sources");
    let server = settings.start_server(&[]).await?;
    let api = server.api();
    let component = save_component(&api, "echo_source.mjs").await?;
    let deployed = deploy(&api, &component, &json!({}), sources).await?;
    wake_all(&api, &deployed).await?;
    sleep(SETTLE).await;

    let live = metric(&api, "sluice_live_sources").await;
    let (processes, memory) = usage_of_descendants(server.pid())?;
    let row = |name: &str, value: f64, unit: &'static str| Measurement::new('o', name, value, unit);
    let title = format!("component processes of {sources} sources");
    Ok(vec![
        row("live sources", live, "").at_least(count(sources)),
        row(&title, count(processes), ""),
        row(
            "memory of all component processes",
            megabytes(memory.proportional),
            "MB",
        )
        .at_most(MAX_MEGABYTES),
    ])
}

/// Sends a request to each source, and waits until they have run.
pub(crate) async fn wake_all(api: &Api, sources: &[Source]) -> anyhow::Result<()> {
    let before = counter(api, INVOCATIONS).await;
    let requests = sources.iter().cloned().map(|source| {
        let api = api.clone();
        async move { send(&api, &source, &json!({ "first": true })).await }
    });
    let sent = concurrently(requests).await?.len();
    wait_for_counter(api, INVOCATIONS, before + u64::try_from(sent)?, DEADLINE).await;
    Ok(())
}
