//! Daily quotas: counted for every user, enforced for those of the free plan.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Plan, wait_for};

use super::stage::Stage;
use crate::support::{PATIENCE, deploy, unique_name};

const ECHO: &str = r#"module.exports = {
  name: "echo", version: "0.0.1", props: { http: "$.interface.http" },
  async run(event) {
    await new Promise((done) => setTimeout(done, event.body.ms ?? 0));
    this.$emit(event.body);
  },
};"#;

async fn me(api: &Api) -> Value {
    api.get("/users/me").await.ok()
}

#[tokio::test]
async fn a_free_user_over_the_daily_invocations_quota_gets_429_with_retry_after_also_after_a_restart()
 {
    let mut stage = Stage::start(Backend::Sqlite, &["--daily-invocations-quota", "3"]).await;
    let api = stage.user(&unique_name(), Plan::Free).await;
    let source = deploy(&api, ECHO).await;
    for n in 1..=3 {
        source.send(&json!({ "n": n })).await.expect(200);
        source.events(n).await;
        assert_eq!(me(&api).await["daily_invocations_used"], n);
    }
    assert_eq!(me(&api).await["daily_invocations_quota"], 3);
    for _ in 0..2 {
        let refused = source.send(&json!({ "n": 4 })).await;
        let seconds: u64 = refused
            .header("retry-after")
            .and_then(|text| text.parse().ok())
            .expect("seconds");
        assert!((1..=86_400).contains(&seconds), "{seconds}");
        assert!(
            refused.expect(429)["error"]
                .as_str()
                .is_some_and(|error| error.contains("quota"))
        );
        let run = api.post(&source.path("/run"), &json!({})).await;
        assert!(run.header("retry-after").is_some());
        run.expect(429);
        stage.restart().await;
    }
    assert_eq!(source.events(3).await.len(), 3);
    assert_eq!(me(&api).await["daily_invocations_used"], 3);
}

#[tokio::test]
async fn a_paid_user_has_no_daily_quota_and_is_counted_for_the_billing_period() {
    let args = [
        "--daily-invocations-quota",
        "1",
        "--daily-compute-quota",
        "1ms",
    ];
    let stage = Stage::start(Backend::Sqlite, &args).await;
    let api = stage.user(&unique_name(), Plan::Paid).await;
    let source = deploy(&api, ECHO).await;
    for n in 1..=4 {
        source.send(&json!({ "n": n, "ms": 5 })).await.expect(200);
        source.events(n).await;
    }
    assert_eq!(me(&api).await["billing_period_invocations"], 4);
}

#[tokio::test]
async fn a_free_user_over_the_daily_compute_quota_gets_429() {
    let stage = Stage::start(Backend::Sqlite, &["--daily-compute-quota", "100ms"]).await;
    let api = stage.user(&unique_name(), Plan::Free).await;
    let source = deploy(&api, ECHO).await;
    source.send(&json!({ "ms": 150 })).await.expect(200);
    source.events(1).await;
    let refused = source.send(&json!({ "ms": 0 })).await;
    assert!(refused.header("retry-after").is_some());
    refused.expect(429);
    let user = me(&api).await;
    assert_eq!(user["daily_compute_time_quota"], 100);
    assert!(
        user["daily_compute_time_used"]
            .as_u64()
            .is_some_and(|used| used >= 150),
        "{user}"
    );
}

/// One user's use is not another's.
#[tokio::test]
async fn each_user_has_a_quota_of_their_own() {
    let stage = Stage::start(Backend::Sqlite, &["--daily-invocations-quota", "1"]).await;
    let first = stage.deploy(ECHO).await;
    let second = stage.deploy(ECHO).await;
    first.send(&json!({})).await.expect(200);
    first.events(1).await;
    first.send(&json!({})).await.expect(429);
    second.send(&json!({})).await.expect(200);
}

#[tokio::test]
async fn the_timer_of_a_user_over_the_quota_waits_for_the_next_day() {
    let stage = Stage::start(Backend::Sqlite, &["--daily-invocations-quota", "1"]).await;
    let api = stage.user(&unique_name(), Plan::Free).await;
    let code = r#"module.exports = {
      name: "ticker", version: "0.0.1",
      props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } } },
      run(event) { this.$emit(event) },
    };"#;
    let source = deploy(&api, code).await;
    source.log_with("daily invocations quota exceeded").await;
    assert_eq!(source.events(1).await.len(), 1);
    assert_eq!(me(&api).await["daily_invocations_used"], 1);
}

#[tokio::test]
async fn events_for_a_listener_wait_for_the_next_day_when_the_quota_is_used_up_also_after_a_restart()
 {
    const RESTS: &str = "events wait for the next day: daily invocations quota exceeded";
    const LISTENER: &str = r#"module.exports = {
      name: "listener", version: "0.0.1", run(event) { this.$emit({ heard: event.n }) },
    };"#;
    let mut stage = Stage::start(Backend::Sqlite, &["--daily-invocations-quota", "3"]).await;
    let api = stage.user(&unique_name(), Plan::Free).await;
    let (source, listener) = (deploy(&api, ECHO).await, deploy(&api, LISTENER).await);
    let subscription = json!({ "emitter_id": source.id, "listener_id": listener.id });
    api.post("/subscriptions", &subscription).await.ok();
    source.send(&json!({ "n": 1 })).await.expect(200);
    assert_eq!(listener.events(1).await, [json!({ "heard": 1 })]);
    source.send(&json!({ "n": 2 })).await.expect(200);
    source.events(2).await;
    for starts in 1..=2 {
        wait_for(PATIENCE, "the listener to rest", async || {
            let says = |line: &Value| line["msg"] == RESTS;
            let lines = listener.logs().await;
            (lines.iter().filter(|line| says(line)).count() == starts).then_some(())
        })
        .await;
        stage.restart().await;
    }
    assert_eq!(listener.events(1).await, [json!({ "heard": 1 })]);
    assert_eq!(me(&api).await["daily_invocations_used"], 3);
    assert_eq!(stage.ledger.waiting(&listener.id), 1);
}
