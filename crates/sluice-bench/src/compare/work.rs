//! The rate, latency, memory and CPU time of a program under load.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde::Serialize;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{instance::Instance, order, program::Program};
use crate::{
    load::{self, Load},
    process_tree::{cpu_time, memory},
    report::megabytes,
};

const QUIET: Duration = Duration::from_secs(1);
const DRAIN_DEADLINE: Duration = Duration::from_mins(5);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const MEMORY_INTERVAL: Duration = Duration::from_millis(500);
/// The number of the order that is sent over and over.
const ORDER: u64 = 18_374;

/// The load of one round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    pub(crate) connections: usize,
    pub(crate) warm_up: Duration,
    pub(crate) duration: Duration,
}

/// The results of one round.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Work {
    pub(crate) connections: usize,
    /// Events whose code step has run, per second, from the first request until the last of them was processed.
    pub(crate) events_per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Responses with a status other than 2xx.
    pub(crate) rejected: u64,
    pub(crate) broken_connections: usize,
    /// Memory of all processes before the load.
    pub(crate) idle_megabytes: f64,
    /// The most memory of all processes during the load.
    pub(crate) peak_megabytes: f64,
    pub(crate) cpu_ms_per_event: f64,
}

impl Work {
    /// Requests that were not accepted. A connection that broke has left one without a response.
    pub(crate) fn errors(&self) -> u64 {
        self.rejected + self.broken_connections as u64
    }
}

/// Runs one round on a new instance.
pub(crate) async fn measure<P: Program>(program: &mut P, round: Round) -> anyhow::Result<Work> {
    let instance = Instance::start(program).await?;
    let before = instance.settle(QUIET, DRAIN_DEADLINE).await?;
    let idle = memory(instance.pid())?;
    let addr = instance.addr();
    let load = Load {
        request: order::request(&addr, instance.path(), ORDER),
        addr,
        connections: round.connections,
        duration: round.duration,
    };
    let warm_up = Load {
        duration: round.warm_up,
        ..load.clone()
    };
    let warm = load::run(&warm_up).await.accepted;
    drain(&instance, before, warm).await?;

    let (cpu_before, start) = (cpu_time(instance.pid())?, Instant::now());
    let mut peak = idle;
    let tally = tokio::select! {
        tally = load::run(&load) => tally,
        error = watch_memory(instance.pid(), &mut peak) => return Err(error),
    };
    ensure!(
        tally.accepted > 0,
        "it accepted no request and rejected {}; {} connections broke, the first: {:?}",
        tally.rejected,
        tally.errors.len(),
        tally.errors.first()
    );
    drain(&instance, before, warm + tally.accepted).await?;
    let elapsed = start.elapsed();
    let cpu = cpu_time(instance.pid())?.saturating_sub(cpu_before);
    let peak = peak.max(memory(instance.pid())?);

    let events = f64::from(u32::try_from(tally.accepted)?);
    let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
    Ok(Work {
        connections: round.connections,
        events_per_second: events / elapsed.as_secs_f64(),
        p50_ms: millis(tally.latencies.quantile(500)),
        p99_ms: millis(tally.latencies.quantile(990)),
        rejected: tally.rejected,
        broken_connections: tally.errors.len(),
        idle_megabytes: megabytes(idle),
        peak_megabytes: megabytes(peak),
        cpu_ms_per_event: millis(cpu) / events,
    })
}

/// Waits until as many events were processed as were accepted, if the program counts them.
async fn drain<P: Program>(
    instance: &Instance<'_, P>,
    before: Option<u64>,
    accepted: u64,
) -> anyhow::Result<()> {
    let Some(before) = before else {
        return Ok(());
    };
    let deadline = Instant::now() + DRAIN_DEADLINE;
    loop {
        let processed = instance.program().processed(instance.place()).await?;
        let missing = (before + accepted).saturating_sub(processed.unwrap_or_default());
        if missing == 0 {
            return Ok(());
        }
        ensure!(
            Instant::now() < deadline,
            "{missing} of {accepted} events were not processed within {} s",
            DRAIN_DEADLINE.as_secs()
        );
        sleep(POLL_INTERVAL).await;
    }
}

/// Samples the memory of the process tree until it is dropped. Returns only on an error.
async fn watch_memory(pid: u32, peak: &mut u64) -> anyhow::Error {
    let mut ticks = interval(MEMORY_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // Reading the maps of a large process takes milliseconds, in which the load must go on.
        match tokio::task::spawn_blocking(move || memory(pid)).await {
            Ok(Ok(bytes)) => *peak = bytes.max(*peak),
            Ok(Err(error)) => return error,
            Err(error) => return error.into(),
        }
    }
}
