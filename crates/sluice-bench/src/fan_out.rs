//! Section h: one source with many readers of its event stream: events received per second over all of them, and what a
//! reader costs the server.
//!
//! The source emits a burst, and the next one when every reader has the last: a reader that lags too far behind is
//! dropped, as it should be, and this program reads for all of them on one thread.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::time::{sleep, timeout};

use crate::{
    Outcome,
    listeners::Emitter,
    proc_fs::resident_bytes,
    report::{Measurement, count},
    settings::Settings,
    stream_readers::StreamReaders,
};

/// Well below what a reader may lag behind.
const BURST: usize = 50;
const BURSTS: usize = 10;
/// Lets what the start left behind be freed.
const SETTLE: Duration = Duration::from_secs(3);
const DEADLINE: Duration = Duration::from_mins(2);

pub(crate) async fn measure(settings: Arc<Settings>) -> Outcome {
    let readers = settings.readers;
    eprintln!("h: {readers} readers of one stream");
    let emitter = Emitter::start(&settings, "burst_source.mjs").await?;
    // The process of the source runs and memory has grown to what events need before readers are counted.
    emitter.burst(BURST).await?;
    sleep(SETTLE).await;
    let before = resident_bytes(emitter.server.pid())?;
    let path = format!("/v1/sources/{}/sse", emitter.source.id);
    let key = emitter.api.key();
    let mut streams = StreamReaders::open(emitter.server.addr(), &path, key, readers).await?;
    sleep(SETTLE).await;
    let after = resident_bytes(emitter.server.pid())?;

    // Compilers and caches settle.
    burst(&emitter, &mut streams).await?;
    let start = Instant::now();
    for _ in 0..BURSTS {
        burst(&emitter, &mut streams).await?;
    }
    let events = count(BURSTS * BURST * readers);
    let per_second = events / start.elapsed().as_secs_f64();
    let grown = u32::try_from(after.saturating_sub(before) / 1000)?;
    let each = f64::from(grown) / count(readers);
    let label = format!("events to {readers} stream readers");
    Ok(vec![
        Measurement::new('h', &label, per_second, "per second"),
        Measurement::new('h', "server's memory for each reader", each, "kB"),
    ])
}

/// Emits a burst and waits until every reader has all of it.
async fn burst(emitter: &Emitter, streams: &mut StreamReaders) -> anyhow::Result<()> {
    emitter.burst(BURST).await?;
    timeout(DEADLINE, streams.receive(BURST))
        .await
        .context("not every reader got every event in time")?
}
