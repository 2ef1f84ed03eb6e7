//! Sections m and n: timers of many sources beside idle ones: all due in the same second, and spread evenly over the period.
//!
//! Each case has a server of its own with default settings, once with one component and once with several. Nothing reads from
//! the server while ticks are measured. CPU time is that of the server and its processes, without PostgreSQL.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::{Value, json};
use sluice_testkit::{Api, now_ms};
use tokio::time::sleep;

use crate::{
    deployment::{
        Source, concurrently, deploy, deploy_over, due_time, events, save_component, save_variants,
    },
    process_tree::cpu_time,
    report::{Measurement, SectionResult, count, quantile},
    settings::Settings,
    ticks::Window,
};

/// After the window, for ticks that were due at its end.
const GRACE: Duration = Duration::from_secs(15);
/// The targets are for two cores.
const CORES: f64 = 2.0;
const MAX_CPU_PERCENT: f64 = 60.0;
/// Of the last tick, all being due in the same second.
const MAX_LAST_SECONDS: f64 = 30.0;
/// Of ticks that are spread evenly.
const MAX_P99_SECONDS: f64 = 1.0;

/// When the timers of a case are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Schedule {
    SameSecond,
    Spread,
}

struct Case {
    schedule: Schedule,
    components: usize,
}

/// The results of a case.
struct Ticks {
    expected: usize,
    /// Seconds, of each tick that ran.
    lateness: Vec<f64>,
    cpu_percent: f64,
}

pub(crate) async fn crons(settings: Arc<Settings>) -> SectionResult {
    measure(&settings, Schedule::SameSecond).await
}

pub(crate) async fn spread(settings: Arc<Settings>) -> SectionResult {
    measure(&settings, Schedule::Spread).await
}

async fn measure(settings: &Settings, schedule: Schedule) -> SectionResult {
    let mut measurements = Vec::new();
    for components in [1, settings.tick_components] {
        let case = Case {
            schedule,
            components,
        };
        let ticks = run(settings, &case).await?;
        measurements.extend(case.rows(settings.tick_sources, ticks));
    }
    Ok(measurements)
}

async fn run(settings: &Settings, case: &Case) -> anyhow::Result<Ticks> {
    let title = case.title(settings.tick_sources);
    let section = case.section();
    eprintln!("{section}: deploying {title}");
    let server = settings.start_server(&[]).await?;
    let api = server.api();
    let idle = save_component(&api, "echo_source.mjs").await?;
    deploy(&api, &idle, &json!({}), settings.tick_idle_sources).await?;
    let sources = case.deploy(&api, settings).await?;

    let window = Window::after_warm_up(now_ms(), settings.tick_period, settings.tick_periods);
    let seconds = until(window.end()).as_secs();
    eprintln!("{section}: observing {title} for {seconds} s");
    sleep(until(window.start())).await;
    let (start, cpu_before) = (Instant::now(), cpu_time(server.pid())?);
    sleep(until(window.end())).await;
    let cpu = cpu_time(server.pid())?.saturating_sub(cpu_before);
    let cpu_percent = cpu.as_secs_f64() / start.elapsed().as_secs_f64() / CORES * 100.0;

    sleep(GRACE).await;
    Ok(Ticks {
        expected: sources.len() * usize::try_from(window.expected())?,
        lateness: lateness(&api, sources, window).await?,
        cpu_percent,
    })
}

/// The time until an epoch millisecond.
fn until(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time - now_ms()).unwrap_or(0))
}

async fn lateness(api: &Api, sources: Vec<Source>, window: Window) -> anyhow::Result<Vec<f64>> {
    let reads = sources.into_iter().map(|source| {
        let api = api.clone();
        async move {
            let events = events(&api, &source).await?;
            if events.is_empty() {
                return Ok(Vec::new());
            }
            window.lateness(due_time(&api, &source).await?, &events)
        }
    });
    Ok(concurrently(reads).await?.concat())
}

impl Case {
    fn section(&self) -> char {
        match self.schedule {
            Schedule::SameSecond => 'm',
            Schedule::Spread => 'n',
        }
    }

    fn title(&self, timers: usize) -> String {
        let kind = match self.schedule {
            Schedule::SameSecond => "crons",
            Schedule::Spread => "timers",
        };
        match self.components {
            1 => format!("{timers} {kind}, 1 component"),
            several => format!("{timers} {kind}, {several} components"),
        }
    }

    async fn deploy(&self, api: &Api, settings: &Settings) -> anyhow::Result<Vec<Source>> {
        let period = settings.tick_period;
        ensure!(
            60 % period == 0,
            "a period of {period} s is no part of a minute"
        );
        let components = save_variants(api, "tick_source.mjs", self.components).await?;
        let (timer, time) = match self.schedule {
            Schedule::SameSecond => (json!({ "cron": cron(period) }), Duration::ZERO),
            // An interval begins with the deployment, and is due then for the first time.
            Schedule::Spread => (interval(period), Duration::from_secs(period.into())),
        };
        let props = json!({ "timer": timer });
        deploy_over(api, &components, &props, settings.tick_sources, time).await
    }

    fn rows(&self, timers: usize, mut ticks: Ticks) -> Vec<Measurement> {
        let title = self.title(timers);
        let row = |name: &str, value: f64, unit: &'static str| {
            Measurement::new(self.section(), &format!("{title}, {name}"), value, unit)
        };
        let expected = count(ticks.expected);
        let ran = row("ticks run", count(ticks.lateness.len()), "");
        let p50 = row(
            "lateness p50",
            quantile(&mut ticks.lateness, 500),
            "seconds",
        );
        let p99 = row(
            "lateness p99",
            quantile(&mut ticks.lateness, 990),
            "seconds",
        );
        let last = row(
            "lateness max",
            quantile(&mut ticks.lateness, 1000),
            "seconds",
        );
        let (p99, last) = match self.schedule {
            Schedule::SameSecond => (p99, last.at_most(MAX_LAST_SECONDS)),
            Schedule::Spread => (p99.at_most(MAX_P99_SECONDS), last),
        };
        vec![
            row("ticks due", expected, ""),
            ran.at_least(expected),
            p50,
            p99,
            last,
            row("CPU", ticks.cpu_percent, "% of 2 cores").at_most(MAX_CPU_PERCENT),
        ]
    }
}

/// Due when the seconds of the clock are a multiple of the period.
fn cron(period: u32) -> String {
    match period {
        60 => "* * * * *".to_owned(),
        seconds => format!("*/{seconds} * * * * *"),
    }
}

fn interval(period: u32) -> Value {
    json!({ "intervalSeconds": period })
}
