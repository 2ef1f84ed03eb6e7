//! What updates, deactivation and downtime do to a schedule.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::component;
use crate::support::{Deployed, PATIENCE, deploy_with, new_user};

const TICKER: &str = "props: { timer: '$.interface.timer' }, run(event) { this.$emit(event.interval_seconds ?? event); }";

async fn ticker(api: &sluice_testkit::Api, seconds: u32) -> Deployed {
    deploy_with(
        api,
        &component(TICKER),
        json!({ "timer": { "intervalSeconds": seconds } }),
    )
    .await
}

/// Everything emitted before a marker that is sent now.
async fn until_marker(source: &Deployed) -> Vec<Value> {
    source.run(json!("marker")).await;
    wait_for(PATIENCE, "the marker", async || {
        let summaries = source.summaries().await;
        let events: Vec<Value> = summaries
            .into_iter()
            .rev()
            .map(|summary| summary["event"].clone())
            .collect();
        events
            .iter()
            .position(|event| event == "marker")
            .map(|place| events[..place].to_vec())
    })
    .await
}

#[tokio::test]
async fn an_update_that_does_not_change_an_interval_keeps_its_schedule() {
    let source = ticker(&new_user().await, 3600).await;
    assert_eq!(source.events(1).await, [3600]);
    let new_code = format!("{} // new", component(TICKER));
    let same_value = json!({ "configured_props": { "timer": { "intervalSeconds": 3600 } } });
    source
        .api
        .put(&source.path(""), &json!({ "component_code": new_code }))
        .await
        .ok();
    source.api.put(&source.path(""), &same_value).await.ok();
    source
        .api
        .put(&source.path(""), &json!({ "name": "renamed" }))
        .await
        .ok();
    assert_eq!(until_marker(&source).await, [3600]);
}

#[tokio::test]
async fn an_update_that_changes_an_interval_starts_the_new_one() {
    let source = ticker(&new_user().await, 3600).await;
    assert_eq!(source.events(1).await, [3600]);
    let updated = source
        .api
        .put(
            &source.path(""),
            &json!({ "configured_props": { "timer": { "intervalSeconds": 7200 } } }),
        )
        .await
        .ok();
    assert_eq!(
        updated["configured_props"]["timer"],
        json!({ "cron": null, "interval_seconds": 7200 })
    );
    assert_eq!(source.events(2).await, [3600, 7200]);
}

#[tokio::test]
async fn a_new_default_in_the_code_does_not_change_the_schedule_of_a_source() {
    let with_default = |seconds: u32| {
        component(&format!(
            "props: {{ timer: {{ type: '$.interface.timer', default: {{ intervalSeconds: {seconds} }} }} }}, run() {{}}"
        ))
    };
    let source = deploy_with(&new_user().await, &with_default(3600), json!({})).await;
    let updated = source
        .api
        .put(
            &source.path(""),
            &json!({ "component_code": with_default(60) }),
        )
        .await
        .ok();
    assert_eq!(
        updated["configured_props"]["timer"]["interval_seconds"],
        3600
    );
}

#[tokio::test]
async fn an_inactive_source_does_not_tick_and_an_activated_one_does_at_once() {
    let api = new_user().await;
    let source = ticker(&api, 1).await;
    wait_for(PATIENCE, "a tick", async || {
        (!source.summaries().await.is_empty()).then_some(())
    })
    .await;
    source
        .api
        .put(&source.path(""), &json!({ "active": false }))
        .await
        .ok();
    let before = source.summaries().await.len();
    let clock = ticker(&api, 1).await;
    wait_for(PATIENCE, "the clock to tick", async || {
        (clock.summaries().await.len() >= 3).then_some(())
    })
    .await;
    assert_eq!(source.summaries().await.len(), before);
    source.api.put(&source.path(""), &json!({ "active": true, "configured_props": { "timer": { "intervalSeconds": 3600 } } })).await.ok();
    let after = source.events(before + 1).await;
    assert_eq!(after[before], 3600);
}
