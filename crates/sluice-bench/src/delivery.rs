//! Sections f and g: deliveries per second to one webhook, and to many webhooks that listen to the same source.
//!
//! The receiver responds 200 at once and shares the machine with the server. Unless stated otherwise, each request emits a
//! burst of events, and the time is measured from the first request to the last delivery.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use sluice_testkit::receiver::Receiver;

use crate::{
    listeners::Emitter,
    load::{self, Load, post_json},
    report::{Measurement, SectionResult, count},
    settings::Settings,
    throughput::{BODY, split_url},
};

const DEADLINE: Duration = Duration::from_mins(5);
/// Events of one request of section f.
const BURST: usize = 500;
/// Opens the connections and warms up JIT compilers and caches.
const WARM_UP: usize = 1_000;
/// With a concurrency above 1, deliveries are not in order.
const AT_ONCE: usize = 16;
/// Events for each webhook of section g.
const FANNED_OUT: usize = 20;

pub(crate) async fn to_one(settings: Arc<Settings>) -> SectionResult {
    eprintln!("f: delivering to one webhook");
    let ordered = burst_rate(&settings, 1).await?;
    let unordered = burst_rate(&settings, AT_ONCE).await?;
    let loaded = rate_under_load(&settings).await?;
    let under_load = format!("in order, under load of {} clients", settings.connections);
    let measurement = |name: &str, value| Measurement::new('f', name, value, "per second");
    Ok(vec![
        measurement("to one webhook, in order", ordered),
        measurement("to one webhook, concurrency 16", unordered),
        measurement(&under_load, loaded),
    ])
}

pub(crate) async fn to_many(settings: Arc<Settings>) -> SectionResult {
    eprintln!("g: delivering to {} webhooks", settings.webhooks);
    let emitter = Emitter::start(&settings, "burst_source.mjs").await?;
    let receiver = Receiver::counting();
    let urls = (0..settings.webhooks).map(|number| receiver.url(&format!("/{number}")));
    emitter.add_webhooks(urls, 1).await?;
    let to_all = async |events| deliver(&emitter, &receiver, events, settings.webhooks).await;
    to_all(1).await?;
    let one = to_all(1).await?;
    let all = to_all(FANNED_OUT).await?;
    let per_second = count(FANNED_OUT * settings.webhooks) / all.as_secs_f64();
    let label = |name: &str| format!("{name} to {} webhooks", settings.webhooks);
    let millis = |name: &str, time: Duration| {
        Measurement::new('g', &label(name), time.as_secs_f64() * 1e3, "ms")
    };
    Ok(vec![
        Measurement::new('g', &label("deliveries"), per_second, "per second"),
        millis("last of 20 events", all),
        millis("last of one event", one),
    ])
}

/// Deliveries per second of bursts of events.
async fn burst_rate(settings: &Settings, concurrency: usize) -> anyhow::Result<f64> {
    let emitter = Emitter::start(settings, "burst_source.mjs").await?;
    let receiver = Receiver::counting();
    emitter
        .add_webhooks([receiver.url("/")], concurrency)
        .await?;
    deliver(&emitter, &receiver, WARM_UP, 1).await?;
    let elapsed = deliver(&emitter, &receiver, settings.deliveries, 1).await?;
    Ok(count(settings.deliveries) / elapsed.as_secs_f64())
}

/// Emits events, waits until each of the webhooks has received them, and returns the elapsed time.
async fn deliver(
    emitter: &Emitter,
    receiver: &Receiver,
    events: usize,
    webhooks: usize,
) -> anyhow::Result<Duration> {
    let expected = receiver.count() + events * webhooks;
    let start = Instant::now();
    let mut left = events;
    while left > 0 {
        let burst = left.min(BURST);
        emitter.burst(burst).await?;
        left -= burst;
    }
    receiver.wait_within(DEADLINE, expected).await;
    ensure!(
        receiver.count() == expected,
        "{} deliveries came, {expected} were due",
        receiver.count()
    );
    let last = receiver.last_at().context("nothing was delivered")?;
    Ok(last.saturating_duration_since(start))
}

/// Deliveries per second under a closed-loop load of requests with one event each.
async fn rate_under_load(settings: &Settings) -> anyhow::Result<f64> {
    let emitter = Emitter::start(settings, "echo_source.mjs").await?;
    let receiver = Receiver::counting();
    emitter.add_webhooks([receiver.url("/")], 1).await?;
    let (addr, path) = split_url(emitter.source.endpoint()?)?;
    let load = Load {
        request: post_json(&addr, &path, BODY),
        addr,
        connections: settings.connections,
        duration: settings.duration(),
    };
    let tally = load::run(&load).await;
    let delivered = receiver.count();
    ensure!(tally.errors.is_empty(), "connections broke");
    Ok(count(delivered) / tally.elapsed.as_secs_f64())
}
