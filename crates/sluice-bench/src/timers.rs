//! Section e: the delay of timers when many are due in the same second.
//!
//! The component emits the time of the run, by the clock that decides when timers are due.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, ensure};
use serde_json::json;
use sluice_testkit::Api;
use tokio::time::{Instant, sleep};

use crate::{
    deployment::{Source, deploy, events, save_component},
    report::{Measurement, SectionResult, quantile},
    settings::Settings,
    ticks::Window,
};

/// Every minute. All timers are due together at the first tick after the last deployment.
const EVERY_MINUTE: &str = "30 * * * * *";
const PERIOD_SECONDS: u32 = 60;
/// Up to one minute until the tick, and time for the runs.
const DEADLINE: Duration = Duration::from_mins(4);
const POLL_INTERVAL: Duration = Duration::from_secs(2);
const MAX_SLOWEST_MS: f64 = 15_000.0;

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    eprintln!("e: waiting for {} timers", settings.timers);
    let server = settings.start_server(&[]).await?;
    let api = server.api();
    let component = save_component(&api, "timer_source.mjs").await?;
    let props = json!({ "timer": { "cron": EVERY_MINUTE } });
    let sources = deploy(&api, &component, &props, settings.timers).await?;

    let first_ticks = sources.iter().filter_map(|source| source.next_run_at);
    let common_tick = first_ticks.max().context("no timers")?;
    let deadline = Instant::now() + DEADLINE;
    let mut millis = Vec::with_capacity(sources.len());
    // One source at a time, so that polling does not compete with the runs.
    for source in &sources {
        millis.push(lateness_ms(&api, source, common_tick, deadline).await?);
    }
    let measurement = |name: &str, value| Measurement::new('e', name, value, "ms");
    let slowest = measurement("tick to run, slowest", quantile(&mut millis, 1000));
    Ok(vec![
        measurement("tick to run, p50", quantile(&mut millis, 500)),
        measurement("tick to run, p99", quantile(&mut millis, 990)),
        slowest.at_most(MAX_SLOWEST_MS),
    ])
}

/// Waits until a source has run for a tick, and returns how late it did.
async fn lateness_ms(
    api: &Api,
    source: &Source,
    tick: i64,
    deadline: Instant,
) -> anyhow::Result<f64> {
    let window = Window::of_one_tick(tick, PERIOD_SECONDS);
    loop {
        let lateness = window.lateness(tick, &events(api, source).await?)?;
        if let Some(seconds) = lateness.first() {
            return Ok(seconds * 1e3);
        }
        ensure!(
            Instant::now() < deadline,
            "{} did not run within {DEADLINE:?}",
            source.id
        );
        sleep(POLL_INTERVAL).await;
    }
}
