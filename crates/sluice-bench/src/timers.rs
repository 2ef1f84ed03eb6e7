//! Section e: the delay of timers when many are due in the same second.
//!
//! The component emits the time of the run and the time of the tick, by the same clock.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use sluice_testkit::Api;
use tokio::time::{Instant, sleep};

use crate::{
    deployment::{Source, deploy, events, save_component},
    report::{Measurement, SectionResult, quantile},
    settings::Settings,
};

/// Every minute. All timers are due together at the first tick after the last deployment.
const EVERY_MINUTE: &str = "30 * * * * *";
/// Up to one minute until the tick, and time for the runs.
const DEADLINE: Duration = Duration::from_mins(4);
const POLL_INTERVAL: Duration = Duration::from_secs(2);

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    eprintln!("e: waiting for {} timers", settings.timers);
    let server = settings.start_server(&[]).await?;
    let api = server.api();
    let component = save_component(&api, "timer_source.mjs").await?;
    let props = json!({ "timer": { "cron": EVERY_MINUTE } });
    let sources = deploy(&api, &component, &props, settings.timers).await?;

    let tick = first_common_tick(&api, &sources).await?;
    let mut millis = Vec::with_capacity(sources.len());
    for source in &sources {
        millis.push(lateness(&api, source, tick).await?);
    }
    let measurement = |name: &str, value| Measurement::new('e', name, value, "ms");
    Ok(vec![
        measurement("tick to run, p50", quantile(&mut millis, 500)),
        measurement("tick to run, p99", quantile(&mut millis, 990)),
        measurement("tick to run, slowest", quantile(&mut millis, 1000)),
    ])
}

/// Waits until every source has run for the first tick of the last source, and returns that tick. It polls one source at a
/// time, so that polling does not compete with the runs.
async fn first_common_tick(api: &Api, sources: &[Source]) -> anyhow::Result<f64> {
    let deadline = Instant::now() + DEADLINE;
    let last = sources.last().context("no sources")?;
    let tick = loop {
        if let Some(run) = events(api, last).await?.last() {
            break tick_of(run)?;
        }
        pause(deadline, last).await?;
    };
    for source in sources {
        while run_at(&events(api, source).await?, tick).is_none() {
            pause(deadline, source).await?;
        }
    }
    Ok(tick)
}

async fn pause(deadline: Instant, source: &Source) -> anyhow::Result<()> {
    ensure!(
        Instant::now() < deadline,
        "{} did not run within {DEADLINE:?}",
        source.id
    );
    sleep(POLL_INTERVAL).await;
    Ok(())
}

async fn lateness(api: &Api, source: &Source, tick: f64) -> anyhow::Result<f64> {
    let events = events(api, source).await?;
    let run = run_at(&events, tick).context("the run was deleted")?;
    let ran_at = run["ran_at_ms"]
        .as_f64()
        .context("the event has no ran_at_ms")?;
    Ok(ran_at - tick * 1e3)
}

fn run_at(events: &[Value], tick: f64) -> Option<&Value> {
    events
        .iter()
        .find(|event| tick_of(event).is_ok_and(|found| (found - tick).abs() < 0.5))
}

fn tick_of(event: &Value) -> anyhow::Result<f64> {
    event["due_at_s"]
        .as_f64()
        .with_context(|| format!("no due_at_s in {event}"))
}
