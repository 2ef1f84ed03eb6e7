//! Retention by age, and that removing what is old does not hold up what is new.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Postgres, Server, now_ms, wait_for};

use super::fixtures::page;
use crate::support::{Deployed, PATIENCE, deploy, own_server};

/// Emits and logs as much as it is told to.
const MANY: &str = r#"module.exports = {
  name: "Many", version: "0.0.1", props: { http: "$.interface.http" },
  run({ count = 1 }) { for (let n = 1; n <= count; n++) { this.$emit({ n, text: "x".repeat(200) }); } console.log("ran"); },
};"#;

async fn total(source: &Deployed, path: &str) -> u64 {
    let list = page(&source.api, &source.path(path)).await;
    list.info["total_count"].as_u64().expect("a number")
}

async fn total_events(source: &Deployed) -> u64 {
    total(source, "/event_summaries?limit=1").await
}

async fn run_many(source: &Deployed, count: u64) {
    let expected = total_events(source).await + count;
    source.run(json!({ "count": count })).await;
    wait_for(PATIENCE, &format!("{expected} events"), async || {
        (total_events(source).await == expected).then_some(())
    })
    .await;
}

async fn until(ms: i64) {
    wait_for(PATIENCE, "the time", async || (now_ms() > ms).then_some(())).await;
}

#[rstest]
#[tokio::test]
async fn what_is_older_than_the_settings_say_goes_unless_its_source_says_otherwise(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let options = own_server()
        .arg("--event-max-age")
        .arg("1s")
        .arg("--log-max-age")
        .arg("1s");
    let options = match backend {
        Backend::Sqlite => options,
        Backend::Postgres => options.postgres(&Postgres::database()),
    };
    let mut server = Server::start(options).await;
    let source = deploy(&server.api(), MANY).await;
    let keeper = deploy(&server.api(), MANY).await;
    let body = json!({ "retention": { "max_age_seconds": 3600 } });
    server.api().put(&keeper.path(""), &body).await.expect(200);
    for source in [&source, &keeper] {
        run_many(source, 3).await;
        source.log_with("ran").await;
    }
    until(now_ms() + 1_000).await;
    // A server that starts looks at once.
    server.restart().await;
    let api = server.api();
    let (source, keeper) = (
        Deployed {
            api: api.clone(),
            ..source
        },
        Deployed { api, ..keeper },
    );
    wait_for(PATIENCE, "what is old to go", async || {
        let left = [
            total_events(&source).await,
            total(&source, "/logs?limit=1").await,
            total(&keeper, "/logs?limit=1").await,
        ];
        (left == [0, 0, 0]).then_some(())
    })
    .await;
    assert_eq!(total_events(&keeper).await, 3);
}

#[tokio::test]
async fn a_source_set_to_a_small_age_is_pruned_soon() {
    let server = Server::start(own_server()).await;
    let source = deploy(&server.api(), MANY).await;
    run_many(&source, 10).await;
    until(now_ms() + 1_000).await;
    let body = json!({ "retention": { "max_age_seconds": 1 } });
    server.api().put(&source.path(""), &body).await.expect(200);
    wait_for(PATIENCE, "the old events to go", async || {
        (total_events(&source).await == 0).then_some(())
    })
    .await;
}

/// How long each of many requests took to be stored, sorted; several at a time, until `done`.
async fn store_requests(source: &Deployed, mut done: impl AsyncFnMut() -> bool) -> Vec<Duration> {
    let ended = AtomicBool::new(false);
    let client = async || {
        let mut times = Vec::new();
        while !ended.load(Ordering::Relaxed) {
            let began = Instant::now();
            source.send(&json!({})).await.expect(200);
            times.push(began.elapsed());
        }
        times
    };
    let watch = async {
        while !done().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        ended.store(true, Ordering::Relaxed);
    };
    let (a, b, c, d, ()) = tokio::join!(client(), client(), client(), client(), watch);
    let mut times = [a, b, c, d].concat();
    times.sort_unstable();
    times
}

#[tokio::test]
async fn pruning_50_000_old_events_does_not_hold_up_writes() {
    const OLD: u64 = 50_000;
    let server = Server::start(own_server().arg("--event-retention").arg("1000000")).await;
    let (old, busy) = (
        deploy(&server.api(), MANY).await,
        deploy(&server.api(), MANY).await,
    );
    for _ in 0..OLD / 2_500 {
        run_many(&old, 2_500).await;
    }
    until(now_ms() + 1_000).await;
    let began = Instant::now();
    let before = store_requests(&busy, async || began.elapsed() > Duration::from_secs(2)).await;
    let body = json!({ "retention": { "max_age_seconds": 1 } });
    server.api().put(&old.path(""), &body).await.expect(200);
    let began = Instant::now();
    let during = store_requests(&busy, async || {
        assert!(began.elapsed() < PATIENCE * 3, "pruning takes too long");
        total_events(&old).await == 0
    })
    .await;
    let at = |times: &[Duration], percent: usize| times[(times.len() - 1) * percent / 100];
    let of = |times: &[Duration]| (times.len(), at(times, 50), at(times, 99), at(times, 100));
    let measured = format!(
        "{:?} before, {:?} during, in {:?}",
        of(&before),
        of(&during),
        began.elapsed()
    );
    // One transaction that removed them all would hold up everything for longer than that.
    assert!(at(&during, 50) < at(&before, 50) * 4, "{measured}");
    assert!(
        at(&during, 99) < at(&before, 99) * 4 + Duration::from_millis(50),
        "{measured}"
    );
    assert!(
        at(&during, 100) < at(&before, 100) * 3 + Duration::from_millis(250),
        "{measured}"
    );
}
