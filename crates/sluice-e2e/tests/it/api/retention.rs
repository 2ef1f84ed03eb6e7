//! Retention by count: the newest events and log lines are kept, the rest goes by itself.

use serde_json::{Value, json};
use sluice_testkit::{Api, Server, now_ms, wait_for};

use super::fixtures::{EMITTER, emit, emit_numbers, page, refused};
use crate::support::{Deployed, PATIENCE, deploy, new_user, own_server};

/// Says in its log when its hooks run.
const WITH_HOOKS: &str = r#"module.exports = {
  name: "With hooks", version: "0.0.1",
  hooks: { activate() { console.log("activated"); }, deactivate() { console.log("deactivated"); } },
  run(event) { for (const n of event.numbers) this.$emit(n); },
};"#;

async fn deploy_keeping(api: &Api, code: &str, retention: Value) -> Deployed {
    let body = json!({ "component_code": code, "retention": retention });
    let source = api.post("/sources", &body).await.ok();
    let id = source["id"].as_str().expect("an id").to_owned();
    Deployed {
        api: api.clone(),
        id,
        source,
    }
}

/// Waits until only these events are left, newest first.
async fn assert_left(source: &Deployed, expected: &[Value]) {
    wait_for(PATIENCE, &format!("only {expected:?}"), async || {
        let list = page(&source.api, &source.path("/event_summaries?limit=100")).await;
        let is_all = list.info["total_count"] == expected.len();
        (is_all && list.each("event") == expected).then_some(())
    })
    .await;
}

#[tokio::test]
async fn events_and_log_lines_beyond_retention_go_and_the_newest_stay() {
    let options = own_server()
        .arg("--event-retention")
        .arg("50")
        .arg("--log-retention")
        .arg("20");
    let server = Server::start(options).await;
    let code = "module.exports = { name: 'Many', version: '1', run() { \
        for (let n = 1; n <= 1200; n++) { this.$emit(n); console.log('line', n); } } };";
    let source = deploy(&server.api(), code).await;
    source.run(json!({})).await;
    for (path, kept) in [("/event_summaries?limit=1", 50), ("/logs?limit=1", 20)] {
        let newest = wait_for(PATIENCE, &format!("{kept} rows of {path}"), async || {
            let page = source.api.get(&source.path(path)).await.expect(200);
            (page["page_info"]["total_count"] == kept).then(|| page["data"][0].clone())
        })
        .await;
        let shown = [&newest["event"], &newest["msg"]];
        assert!(
            shown.contains(&&json!(1200)) || shown.contains(&&json!("line 1200")),
            "{newest}"
        );
    }
}

#[tokio::test]
async fn a_source_keeps_as_many_as_it_says_when_it_is_made() {
    let api = new_user().await;
    let source = deploy_keeping(&api, EMITTER, json!({ "max_events": 3 })).await;
    for number in 1..=8 {
        source.run(json!({ "emits": [[number]] })).await;
    }
    assert_left(&source, &[json!(8), json!(7), json!(6)]).await;
}

#[tokio::test]
async fn a_source_set_to_a_small_count_is_pruned_soon_and_others_are_not() {
    let api = new_user().await;
    let (source, other) = (deploy(&api, EMITTER).await, deploy(&api, EMITTER).await);
    emit_numbers(&source, 60).await;
    emit_numbers(&other, 60).await;
    let body = json!({ "retention": { "max_events": 2 } });
    api.put(&source.path(""), &body).await.expect(200);
    assert_left(&source, &[json!(60), json!(59)]).await;
    source.run(json!({ "emits": [[61]] })).await;
    assert_left(&source, &[json!(61), json!(60)]).await;
    let list = page(&api, &other.path("/event_summaries?limit=1")).await;
    assert_eq!(list.info["total_count"], 60);
}

#[tokio::test]
async fn events_that_wait_for_their_time_are_kept_whatever_their_age_and_number() {
    let source = deploy(&new_user().await, EMITTER).await;
    let in_an_hour = now_ms() + 3_600_000;
    let later = json!(["later", { "delivery_ts": in_an_hour }]);
    emit(&source, &[later]).await;
    emit_numbers(&source, 20).await;
    let body = json!({ "retention": { "max_events": 1, "max_age_seconds": 1 } });
    source.api.put(&source.path(""), &body).await.expect(200);
    // The newest goes by age, as soon as it is looked at again.
    wait_for(PATIENCE, "only what waits", async || {
        source
            .api
            .put(&source.path(""), &json!({ "retention": null }))
            .await
            .expect(200);
        source.api.put(&source.path(""), &body).await.expect(200);
        let left = source.summaries().await;
        (left.len() == 1).then(|| assert_eq!(left[0]["event"], "later"))
    })
    .await;
    let range = source.path("/events");
    source.api.delete(&range).await.expect(202);
    assert_left(&source, &[]).await;
}

#[tokio::test]
async fn retention_is_shown_only_when_it_is_set_and_null_goes_back_to_the_settings() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    assert!(source.source.get("retention").is_none());
    let both = json!({ "max_events": 5, "max_age_seconds": 60 });
    let updated = api
        .put(&source.path(""), &json!({ "retention": both }))
        .await
        .ok();
    assert_eq!(updated["retention"], both);
    let renamed = api
        .put(&source.path(""), &json!({ "name": "Other" }))
        .await
        .ok();
    assert_eq!(renamed["retention"], both, "what is left out stays");
    let half = json!({ "max_age_seconds": 7 });
    let updated = api
        .put(&source.path(""), &json!({ "retention": half }))
        .await
        .ok();
    let shown = json!({ "max_events": null, "max_age_seconds": 7 });
    assert_eq!(updated["retention"], shown);
    assert_eq!(api.get(&source.path("")).await.ok()["retention"], shown);
    for nothing in [json!(null), json!({})] {
        let made = deploy_keeping(&api, EMITTER, both.clone()).await;
        assert_eq!(made.source["retention"], both);
        let body = json!({ "retention": nothing });
        let updated = api.put(&made.path(""), &body).await.ok();
        assert!(updated.get("retention").is_none(), "{updated}");
    }
}

#[tokio::test]
async fn a_change_of_retention_runs_no_hooks() {
    let source = deploy(&new_user().await, WITH_HOOKS).await;
    let body = json!({ "retention": { "max_events": 2 } });
    source.api.put(&source.path(""), &body).await.expect(200);
    source.run(json!({ "numbers": [1, 2, 3] })).await;
    assert_left(&source, &[json!(3), json!(2)]).await;
    let lines: Vec<Value> = source
        .logs()
        .await
        .iter()
        .map(|line| line["msg"].clone())
        .collect();
    assert_eq!(lines, ["activated"]);
}

#[tokio::test]
async fn retention_that_is_none_is_400_and_changes_nothing() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    for bad in [
        json!({ "max_events": 0 }),
        json!({ "max_events": -1 }),
        json!({ "max_events": 1.5 }),
        json!({ "max_events": "5" }),
        json!({ "max_age_seconds": 4_294_967_296_u64 }),
        json!({ "max_age_seconds": [] }),
        json!(5),
        json!("forever"),
    ] {
        let body = json!({ "component_code": EMITTER, "retention": bad });
        let error = refused(api.post("/sources", &body).await, 400);
        assert!(error.starts_with("retention"), "{error}");
        refused(
            api.put(&source.path(""), &json!({ "retention": bad }))
                .await,
            400,
        );
    }
    let unchanged = api.get(&source.path("")).await.ok();
    assert!(unchanged.get("retention").is_none());
}
