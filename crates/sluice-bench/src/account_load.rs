//! Section q: commits per second when many sources of one account get requests at the same time.
//!
//! Each source commits on its own, and all of them count toward one account. The settings of the server are the defaults, so the
//! sources share its processes. The rate can be compared with that of another binary.

use std::{sync::Arc, time::Instant};

use anyhow::ensure;
use serde_json::json;
use sluice_testkit::Api;

use crate::{
    deployment::{Source, deploy, metric, save_component},
    live_sources::wake_all,
    load::{self, Load, post_json},
    report::{Measurement, SectionResult},
    settings::Settings,
    throughput::{BODY, split_url},
};

const COMMITS: &str = "sluice_commits_total{result=\"ok\"}";
const EVENTS: &str = "sluice_events_total";

/// Counters of the server at one time.
struct Counters {
    at: Instant,
    commits: f64,
    events: f64,
}

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    let sources = settings.account_sources;
    eprintln!("q: requests to {sources} sources");
    let server = settings.start_server(&[]).await?;
    let api = server.api();
    let component = save_component(&api, "echo_source.mjs").await?;
    let deployed = deploy(&api, &component, &json!({}), sources).await?;
    wake_all(&api, &deployed).await?;

    let loads = loads(&settings, &deployed)?;
    let before = Counters::read(&api).await;
    let tally = load::run_all(&loads).await;
    let after = Counters::read(&api).await;
    ensure!(
        tally.errors.is_empty(),
        "{} connections broke; the first: {:?}",
        tally.errors.len(),
        tally.errors.first()
    );
    let processes = metric(&api, "sluice_processes").await;
    let time = after.at.duration_since(before.at);
    let row = |name: &str, value: f64| {
        Measurement::new(
            'q',
            &format!("{sources} sources, {name}"),
            value,
            "per second",
        )
    };
    let rate = |before: f64, after: f64| (after - before) / time.as_secs_f64();
    Ok(vec![
        row("commits", rate(before.commits, after.commits)),
        row("events", rate(before.events, after.events)),
        row("responses", tally.responses_per_second()),
        Measurement::new('q', "component processes", processes, ""),
    ])
}

fn loads(settings: &Settings, sources: &[Source]) -> anyhow::Result<Vec<Load>> {
    let load = |source: &Source| {
        let (addr, path) = split_url(source.endpoint()?)?;
        Ok(Load {
            request: post_json(&addr, &path, BODY),
            addr,
            connections: settings.account_connections,
            duration: settings.duration(),
        })
    };
    sources.iter().map(load).collect()
}

impl Counters {
    async fn read(api: &Api) -> Counters {
        Counters {
            commits: metric(api, COMMITS).await,
            events: metric(api, EVENTS).await,
            at: Instant::now(),
        }
    }
}
