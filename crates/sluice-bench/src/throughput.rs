//! Sections a and b: durable events per second through an HTTP source, and the baseline under the same load.
//!
//! The rounds alternate, each with new processes, so that changes in the speed of the machine affect both. The rate of
//! section a counts events and not responses: the time ends when the last event is committed.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::json;
use sluice_testkit::{Backend, Server};

use crate::{
    baseline::Baseline,
    cpu_parts::{CpuParts, http_alone},
    deployment::{counter, deploy, event_count, save_component, wait_for_counter},
    load::{self, Load, Tally, post_json},
    report::{Measurement, SectionResult, median},
    settings::Settings,
};

pub(crate) const WARM_UP: Duration = Duration::from_secs(1);
pub(crate) const DRAIN_DEADLINE: Duration = Duration::from_mins(5);
pub(crate) const INVOCATIONS: &str = "sluice_invocations_total";
const COMMITS: &str = "sluice_commits_total";
/// The target for the rate of section a relative to the baseline, on SQLite.
const TARGET_RATIO: f64 = 0.35;
pub(crate) const DURABLE_EVENTS: &str = "durable events";
/// An event of typical size.
pub(crate) const BODY: &str = r#"{"type":"order.paid","id":"ord_18374","customer":{"id":"cus_991","name":"Ada Lovelace","email":"ada@example.com"},"items":[{"sku":"A-100","quantity":2,"price":1999},{"sku":"B-250","quantity":1,"price":4950}],"currency":"EUR","paid":true}"#;

/// Which kinds of rounds to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    pub(crate) ingest: bool,
    pub(crate) baseline: bool,
}

/// The measurements of one round.
struct Round {
    per_second: f64,
    /// Accepted requests that were not committed when the load ended.
    backlog: u64,
    p50: Duration,
    p99: Duration,
    /// CPU time by part, and the size of commits, over which its fixed costs spread.
    costs: Vec<Measurement>,
}

impl Round {
    /// How long committing the backlog takes at the rate of the round.
    fn backlog_seconds(&self) -> f64 {
        let backlog = u32::try_from(self.backlog).unwrap_or(u32::MAX);
        f64::from(backlog) / self.per_second.max(1.0)
    }
}

pub(crate) async fn measure(settings: Arc<Settings>, rounds: Rounds) -> SectionResult {
    let (mut ingest, mut baseline) = (Vec::new(), Vec::new());
    for number in 1..=settings.rounds {
        if rounds.baseline {
            eprintln!("b: round {number} of {}", settings.rounds);
            baseline.push(baseline_round(&settings).await?);
        }
        if rounds.ingest {
            eprintln!("a: round {number} of {}", settings.rounds);
            let server = settings.start_server(&[]).await?;
            ingest.push(ingest_round(&settings, &server).await?);
        }
    }
    let mut measurements = Vec::new();
    measurements.extend(summary('a', DURABLE_EVENTS, &ingest));
    if rounds.ingest {
        let seconds = median(ingest.iter().map(Round::backlog_seconds));
        let backlog = Measurement::new('a', "backlog at the end", seconds, "seconds");
        measurements.push(backlog.at_most(1.0));
        measurements.extend(
            ingest
                .last()
                .map(|round| round.costs.clone())
                .unwrap_or_default(),
        );
    }
    measurements.extend(summary('b', "bare Deno handler, responses", &baseline));
    if rounds.ingest && rounds.baseline {
        let ratio = median_rate(&ingest) / median_rate(&baseline);
        let ratio = Measurement::new('a', "ratio a/b", ratio, "");
        measurements.push(match settings.backend() {
            Backend::Sqlite => ratio.at_least(TARGET_RATIO),
            Backend::Postgres => ratio,
        });
    }
    Ok(measurements)
}

async fn baseline_round(settings: &Settings) -> anyhow::Result<Round> {
    let baseline = Baseline::start().await?;
    let request = post_json(&baseline.addr, "/", BODY);
    let load = load_of(settings, baseline.addr.clone(), request);
    warm_up(&load).await?;
    let tally = load::run(&load).await;
    check(&tally)?;
    Ok(round_of(&tally, tally.responses_per_second()))
}

/// Durable events per second on this server, which is new.
pub(crate) async fn ingest_rate(settings: &Settings, server: &Server) -> anyhow::Result<f64> {
    Ok(ingest_round(settings, server).await?.per_second)
}

async fn ingest_round(settings: &Settings, server: &Server) -> anyhow::Result<Round> {
    let api = server.api();
    let component = save_component(&api, "echo_source.mjs").await?;
    let sources = deploy(&api, &component, &json!({}), 1).await?;
    let source = sources.first().context("one source was deployed")?;
    let (addr, path) = split_url(source.endpoint()?)?;
    let load = load_of(settings, addr.clone(), post_json(&addr, &path, BODY));

    let before = counter(&api, INVOCATIONS).await;
    let warm = warm_up(&load).await?;
    wait_for_counter(&api, INVOCATIONS, before + warm, DRAIN_DEADLINE).await;

    let commits_before = counter(&api, COMMITS).await;
    let (start, cpu_before) = (Instant::now(), CpuParts::of(server.pid())?);
    let tally = load::run(&load).await;
    check(&tally)?;
    let accepted = warm + tally.accepted;
    let committed = counter(&api, INVOCATIONS).await - before;
    wait_for_counter(&api, INVOCATIONS, before + accepted, DRAIN_DEADLINE).await;
    let elapsed = start.elapsed();
    let cpu = CpuParts::of(server.pid())? - cpu_before;
    let commits = counter(&api, COMMITS).await - commits_before;
    let http = http_alone(server.pid(), &load, BODY).await?;

    let kept = event_count(&api, source).await?;
    ensure!(
        kept == accepted,
        "{accepted} requests were accepted, but {kept} events are there"
    );
    let events = u32::try_from(tally.accepted)?;
    let mut costs = cpu.per_event(tally.accepted, http)?;
    let per_commit = f64::from(events) / f64::from(u32::try_from(commits)?.max(1));
    costs.push(Measurement::new('a', "events per commit", per_commit, ""));
    Ok(Round {
        backlog: accepted.saturating_sub(committed),
        costs,
        ..round_of(&tally, f64::from(events) / elapsed.as_secs_f64())
    })
}

fn load_of(settings: &Settings, addr: String, request: Vec<u8>) -> Load {
    Load {
        addr,
        request,
        connections: settings.connections,
        duration: settings.duration(),
    }
}

/// Warms up JIT compilers and caches. Returns the number of requests.
async fn warm_up(load: &Load) -> anyhow::Result<u64> {
    let tally = load::run(&Load {
        duration: WARM_UP,
        ..load.clone()
    })
    .await;
    check(&tally)?;
    Ok(tally.accepted)
}

/// A round with rejected requests or broken connections is not comparable.
pub(crate) fn check(tally: &Tally) -> anyhow::Result<()> {
    ensure!(
        tally.rejected == 0,
        "{} requests were rejected",
        tally.rejected
    );
    if let Some(error) = tally.errors.first() {
        anyhow::bail!(
            "{} connections broke; the first: {error}",
            tally.errors.len()
        );
    }
    Ok(())
}

fn round_of(tally: &Tally, per_second: f64) -> Round {
    Round {
        per_second,
        backlog: 0,
        costs: Vec::new(),
        p50: tally.latencies.quantile(500),
        p99: tally.latencies.quantile(990),
    }
}

fn summary(section: char, name: &str, rounds: &[Round]) -> Vec<Measurement> {
    if rounds.is_empty() {
        return Vec::new();
    }
    let millis = |pick: fn(&Round) -> Duration| {
        median(rounds.iter().map(|round| pick(round).as_secs_f64() * 1e3))
    };
    vec![
        Measurement::new(section, name, median_rate(rounds), "per second"),
        Measurement::new(section, "response, p50", millis(|round| round.p50), "ms"),
        Measurement::new(section, "response, p99", millis(|round| round.p99), "ms"),
    ]
}

fn median_rate(rounds: &[Round]) -> f64 {
    median(rounds.iter().map(|round| round.per_second))
}

/// Splits `http://host:port/path` into the address and the path.
pub(crate) fn split_url(url: &str) -> anyhow::Result<(String, String)> {
    let rest = url
        .strip_prefix("http://")
        .with_context(|| format!("not plain HTTP: {url}"))?;
    let (addr, path) = rest.split_once('/').unwrap_or((rest, ""));
    Ok((addr.to_owned(), format!("/{path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_split_into_address_and_path() {
        let split = split_url("http://127.0.0.1:3000/e/abc").expect("it is plain HTTP");
        assert_eq!(split, ("127.0.0.1:3000".to_owned(), "/e/abc".to_owned()));
        assert!(split_url("https://example.com/").is_err());
    }

    #[test]
    fn the_body_is_json() {
        assert!(serde_json::from_str::<serde_json::Value>(BODY).is_ok_and(|body| body.is_object()));
    }
}
