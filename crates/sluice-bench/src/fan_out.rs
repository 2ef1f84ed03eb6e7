//! Section h: many readers of the event stream of one source: events received per second by all readers together, and the
//! server's memory for each reader.
//!
//! The source emits the next burst when every reader has received the last one. Otherwise the server would disconnect
//! readers that fall behind, because this program reads all streams on one thread.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::time::{sleep, timeout};

use crate::{
    listeners::Emitter,
    proc_fs::resident_bytes,
    report::{Measurement, SectionResult, count},
    settings::Settings,
    stream_readers::StreamReaders,
};

/// Well below the number of events that a reader may fall behind.
const BURST: usize = 50;
const BURSTS: usize = 10;
/// Waits until the memory of the start is freed.
const SETTLE: Duration = Duration::from_secs(3);
const DEADLINE: Duration = Duration::from_mins(2);

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    let readers = settings.readers;
    eprintln!("h: {readers} readers of one stream");
    let emitter = Emitter::start(&settings, "burst_source.mjs").await?;
    // Warms up the process and the memory of the server before the readers connect.
    emitter.burst(BURST).await?;
    sleep(SETTLE).await;
    let before = resident_bytes(emitter.server.pid())?;
    let path = format!("/v1/sources/{}/sse", emitter.source.id);
    let key = emitter.api.key();
    let mut streams = StreamReaders::open(emitter.server.addr(), &path, key, readers).await?;
    sleep(SETTLE).await;
    let after = resident_bytes(emitter.server.pid())?;

    // Warms up JIT compilers and caches.
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

/// Emits a burst and waits until every reader has received it.
async fn burst(emitter: &Emitter, streams: &mut StreamReaders) -> anyhow::Result<()> {
    emitter.burst(BURST).await?;
    timeout(DEADLINE, streams.receive(BURST))
        .await
        .context("not every reader received every event in time")?
}
