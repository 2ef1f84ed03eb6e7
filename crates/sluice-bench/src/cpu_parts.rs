//! CPU time of a server by its parts: threads of the store, other threads (HTTP and the engine), and component processes.

use std::{ops::Sub, time::Duration};

use anyhow::Context;

use crate::{
    load::{self, Load, post_json},
    proc_fs::{descendants, thread_times},
    report::Measurement,
};

/// Threads of the database.
const STORE: &str = "store-";
/// HTTP alone is measured this long.
const HTTP_ALONE: Duration = Duration::from_secs(2);
/// A path without a route: only HTTP has work with it.
const NO_ROUTE: &str = "/v1/no-such-route";

/// CPU times since the start of the processes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CpuParts {
    store: Duration,
    /// HTTP and the engine share their threads.
    server: Duration,
    deno: Duration,
}

impl Sub for CpuParts {
    type Output = CpuParts;

    fn sub(self, before: CpuParts) -> CpuParts {
        CpuParts {
            store: self.store.saturating_sub(before.store),
            server: self.server.saturating_sub(before.server),
            deno: self.deno.saturating_sub(before.deno),
        }
    }
}

impl CpuParts {
    pub(crate) fn of(pid: u32) -> anyhow::Result<CpuParts> {
        let mut parts = CpuParts::default();
        for (name, time) in thread_times(pid)? {
            if name.starts_with(STORE) {
                parts.store += time;
            } else {
                parts.server += time;
            }
        }
        for process in descendants(pid)? {
            // It may have ended since.
            let times = thread_times(process).unwrap_or_default();
            parts.deno += times.iter().map(|(_, time)| *time).sum::<Duration>();
        }
        Ok(parts)
    }

    /// Microseconds per event by part. `http` is the time of HTTP alone for a request.
    pub(crate) fn per_event(self, events: u64, http: Duration) -> anyhow::Result<Vec<Measurement>> {
        let events = u32::try_from(events)
            .ok()
            .filter(|events| *events > 0)
            .context("no events")?;
        let part = |name: &str, time: Duration| {
            let micros = time.as_secs_f64() * 1e6;
            Measurement::new('a', &format!("CPU per event, {name}"), micros, "µs")
        };
        Ok(vec![
            part("HTTP", http),
            part("engine", (self.server / events).saturating_sub(http)),
            part("store", self.store / events),
            part("Deno", self.deno / events),
        ])
    }
}

/// The CPU time of one request that has no route.
pub(crate) async fn http_alone(pid: u32, load: &Load, body: &str) -> anyhow::Result<Duration> {
    let before = CpuParts::of(pid)?;
    let tally = load::run(&Load {
        request: post_json(&load.addr, NO_ROUTE, body),
        duration: HTTP_ALONE,
        ..load.clone()
    })
    .await;
    let used = CpuParts::of(pid)? - before;
    let responses = u32::try_from(tally.accepted + tally.rejected)?.max(1);
    Ok(used.server / responses)
}
