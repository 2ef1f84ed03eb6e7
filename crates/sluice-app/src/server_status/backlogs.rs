//! Reads for `/metrics`, in the background, what is too expensive for each scrape: backlogs, failing webhooks, the size of the
//! database and the free space on disk.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_store::{
    Conn, StoreError,
    backlog::{self, Backlog},
    size, webhook_health,
};
use tokio::time::Instant;

use super::usage::Space;

const PERIOD: Duration = Duration::from_secs(15);
/// Reading takes at most one part in so many of the time.
const FRACTION: u32 = 20;

type Read = fn(&mut dyn Conn, i64) -> Result<Backlog, StoreError>;

/// Each by its name in the label `queue`.
const QUEUES: [(&str, Read); 6] = [
    ("inbox", |c, _| backlog::of_sources(c)),
    ("runs", |c, _| backlog::of_workflows(c)),
    ("waiting_runs", backlog::of_waiting_runs),
    ("timers", backlog::of_timers),
    ("deliveries", backlog::of_deliveries),
    ("sends", backlog::of_sends),
];

/// Runs until the server drains. One node reads for all.
pub(crate) async fn run(infra: Infra) {
    while !infra.shutdown.is_draining() {
        let before = Instant::now();
        update(&infra).await;
        infra
            .shutdown
            .sleep(PERIOD.max(before.elapsed() * FRACTION))
            .await;
    }
    infra.metrics.backlogs.clear();
}

/// Reads everything once.
pub async fn update(infra: &Infra) {
    update_disk(infra).await;
    if !infra.cluster.does_job("backlogs") {
        infra.metrics.backlogs.clear();
        return;
    }
    match read(infra).await {
        Ok(()) => {
            let now = as_seconds(infra.now_ms());
            infra.metrics.backlogs.read_at_seconds.set(Some(now));
        }
        Err(error) => tracing::warn!(%error, "backlogs not read; retrying later"),
    }
}

/// In several transactions, so that no other read waits for all of it. What was read before an error counts.
async fn read(infra: &Infra) -> Result<(), StoreError> {
    let (store, metrics) = (&infra.store, &infra.metrics.backlogs);
    for (queue, read) in QUEUES {
        let now = infra.now_ms();
        let Backlog { items, due_since } = store.read(move |c| read(c, now)).await?;
        let waited = due_since.map_or(0, |since| (now - since).max(0));
        metrics.set(queue, as_float(items), as_seconds(waited));
    }
    let now = infra.now_ms();
    let webhooks = store.read(move |c| webhook_health::failing_of_all_users(c, now));
    let webhooks = webhooks.await?;
    metrics.webhooks_failing.set(Some(as_float(webhooks.all)));
    metrics.webhooks_paused.set(Some(as_float(webhooks.paused)));
    let bytes = store.read(size::bytes).await?;
    metrics.database_bytes.set(Some(as_float(bytes)));
    Ok(())
}

async fn update_disk(infra: &Infra) {
    let folder = infra.settings.data_dir.clone();
    let space = tokio::task::spawn_blocking(move || Space::of(&folder)).await;
    let space = space.ok().flatten();
    let metrics = &infra.metrics;
    metrics
        .disk_free_bytes
        .set(space.map(|space| as_float(space.free)));
    metrics
        .disk_size_bytes
        .set(space.map(|space| as_float(space.size)));
}

fn as_seconds(ms: i64) -> f64 {
    as_float(u64::try_from(ms).unwrap_or_default()) / 1_000.0
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers above 2^53 need not be exact in a metric"
)]
fn as_float(number: u64) -> f64 {
    number as f64
}
