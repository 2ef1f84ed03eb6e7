//! `$.interface.timer`: what may be said, what `run` receives, and when.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, wait_for};

use super::{component, texts};
use crate::support::{Deployed, PATIENCE, deploy, deploy_with, new_user, new_user_on};

const TICKER: &str = "props: { timer: '$.interface.timer' }, run(event) { this.$emit(event); }";

/// At least `count` events, oldest first.
async fn at_least(source: &Deployed, count: usize) -> Vec<Value> {
    wait_for(PATIENCE, &format!("{count} ticks"), async || {
        let summaries = source.summaries().await;
        let events = summaries
            .iter()
            .rev()
            .map(|summary| summary["event"].clone());
        (summaries.len() >= count).then(|| events.collect())
    })
    .await
}

#[rstest]
#[tokio::test]
async fn an_interval_runs_at_activation_and_then_in_its_rhythm(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let given = json!({ "timer": { "intervalSeconds": 1 } });
    let source = deploy_with(&new_user_on(backend).await, &component(TICKER), given).await;
    assert_eq!(
        source.source["configured_props"]["timer"],
        json!({ "cron": null, "interval_seconds": 1 })
    );
    let ticks = at_least(&source, 3).await;
    let created = source.source["created_at"].as_i64().expect("created_at");
    for (n, tick) in ticks.iter().take(3).enumerate() {
        assert_eq!(tick["interval_seconds"], 1);
        assert_eq!(
            tick.as_object().map(serde_json::Map::len),
            Some(2),
            "{tick}"
        );
        let late = tick["timestamp"].as_i64().expect("a timestamp") - created;
        let n = i64::try_from(n).expect("small");
        assert!(
            late >= n && late <= n + 10,
            "tick {n} came {late} s after the start"
        );
    }
}

#[tokio::test]
async fn a_source_with_hooks_goes_on_ticking() {
    let code = component(
        "props: { timer: { type: '$.interface.timer', default: { intervalSeconds: 1 } } },
         hooks: { deploy() { this.$emit('deployed'); }, activate() {} }, run() { this.$emit('tick'); }",
    );
    let source = deploy(&new_user().await, &code).await;
    let events = at_least(&source, 4).await;
    assert_eq!(events[0], "deployed");
    let ticks = events.iter().filter(|event| **event == "tick").count();
    assert!(ticks >= 3, "{events:?}");
}

#[tokio::test]
async fn a_timer_without_a_value_is_hourly_and_runs_once_at_activation() {
    let source = deploy(&new_user().await, &component(TICKER)).await;
    assert_eq!(
        source.source["configured_props"]["timer"],
        json!({ "cron": null, "interval_seconds": 3600 })
    );
    assert_eq!(source.events(1).await[0]["interval_seconds"], 3600);
}

#[tokio::test]
async fn the_default_of_the_prop_is_the_schedule_unless_another_is_given() {
    let api = new_user().await;
    let code = component(
        "props: { timer: { type: '$.interface.timer', default: { intervalSeconds: 120 } } }, run() {}",
    );
    assert_eq!(
        deploy(&api, &code).await.source["configured_props"]["timer"]["interval_seconds"],
        120
    );
    let given = deploy_with(
        &api,
        &code,
        json!({ "timer": { "cron": "0 9 * * 1-5", "timezone": "Europe/Berlin" } }),
    )
    .await;
    assert_eq!(
        given.source["configured_props"]["timer"],
        json!({ "cron": "0 9 * * 1-5", "interval_seconds": null, "timezone": "Europe/Berlin" })
    );
}

#[tokio::test]
async fn a_cron_schedule_runs_at_its_slots_with_the_expression_in_the_event() {
    let source = deploy_with(
        &new_user().await,
        &component(TICKER),
        json!({ "timer": { "cron": "* * * * * *" } }),
    )
    .await;
    let ticks = at_least(&source, 2).await;
    assert_eq!(
        [&ticks[0]["cron"], &ticks[0]["interval_seconds"]],
        [&json!("* * * * * *"), &json!(null)]
    );
    assert!(
        ticks[1]["timestamp"].as_i64() > ticks[0]["timestamp"].as_i64(),
        "{ticks:?}"
    );
}

#[tokio::test]
async fn a_cron_schedule_does_not_run_at_activation() {
    let source = deploy_with(
        &new_user().await,
        &component(TICKER),
        json!({ "timer": { "cron": "0 0 29 2 *" } }),
    )
    .await;
    let other = deploy(&source.api, &component(TICKER)).await;
    other.events(1).await;
    source.run(json!("marker")).await;
    assert_eq!(source.events(1).await, [json!("marker")]);
}

/// When the source runs next.
async fn next_run(source: &Deployed) -> Option<i64> {
    let shown = source.api.get(&source.path("")).await.ok();
    shown
        .get("next_run_at")
        .map(|at| at.as_i64().expect("epoch milliseconds"))
}

#[rstest]
#[tokio::test]
async fn the_next_run_follows_the_timer_and_vanishes_with_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let given = json!({ "timer": { "cron": "0 0 1 1 *" } });
    let source = deploy_with(&api, &component(TICKER), given).await;
    let new_year = next_run(&source).await.expect("an armed timer");
    assert_eq!(new_year % 86_400_000, 0);
    assert_eq!(source.source["next_run_at"], new_year);

    let hourly = json!({ "configured_props": { "timer": { "intervalSeconds": 3600 } } });
    api.put(&source.path(""), &hourly).await.expect(200);
    let tick = at_least(&source, 1).await.remove(0);
    let next = wait_for(PATIENCE, "the timer to be armed again", async || {
        next_run(&source).await
    })
    .await;
    let ticked = tick["timestamp"].as_i64().expect("epoch seconds");
    assert!(
        (3_599..3_660).contains(&(next / 1000 - ticked)),
        "{next} after {ticked}"
    );

    api.put(&source.path(""), &json!({ "active": false }))
        .await
        .expect(200);
    assert_eq!(next_run(&source).await, None);
    api.put(&source.path(""), &json!({ "active": true }))
        .await
        .expect(200);
    wait_for(PATIENCE, "the timer to be armed", async || {
        next_run(&source).await
    })
    .await;
    let none = deploy(&api, &component("run() {}")).await;
    assert_eq!(next_run(&none).await, None);
}

#[tokio::test]
async fn bad_schedules_are_422_in_words() {
    let api = new_user().await;
    let saved = api
        .post(
            "/components",
            &json!({ "component_code": component(TICKER) }),
        )
        .await
        .ok();
    let cases = [
        (
            json!({ "intervalSeconds": 0 }),
            "timer must be at least 1 second",
        ),
        (
            json!({ "intervalSeconds": 1.5 }),
            "timer must be a whole number of seconds",
        ),
        (
            json!({ "intervalSeconds": "60" }),
            "timer must be a whole number of seconds",
        ),
        (
            json!({ "cron": "61 * * * *" }),
            "timer is not a valid cron expression",
        ),
        (
            json!({ "cron": "* * *" }),
            "timer is not a valid cron expression",
        ),
        (
            json!({ "cron": "* * * * *", "intervalSeconds": 5 }),
            "timer needs only one of intervalSeconds and cron",
        ),
        (
            json!({ "cron": "* * * * *", "timezone": "Mars/Base" }),
            "timer timezone \"Mars/Base\" is not known",
        ),
        (json!({}), "timer needs intervalSeconds or cron"),
        (json!("hourly"), "timer needs intervalSeconds or cron"),
    ];
    for (timer, fault) in cases {
        let body = json!({ "component_id": saved["id"], "configured_props": { "timer": timer } });
        let refused = api.post("/sources", &body).await.expect(422);
        let faults = texts(&refused["details"]["configured_props"]);
        assert!(
            faults.len() == 1 && faults[0].starts_with(fault),
            "{timer}: {faults:?}"
        );
    }
}

#[tokio::test]
async fn a_timer_never_overlaps_itself() {
    let code = component(
        "props: { timer: '$.interface.timer' }, async run() { const start = Date.now(); await new Promise((done) => setTimeout(done, 1300)); this.$emit([start, Date.now()]); }",
    );
    let source = deploy_with(
        &new_user().await,
        &code,
        json!({ "timer": { "intervalSeconds": 1 } }),
    )
    .await;
    let runs = at_least(&source, 3).await;
    for pair in runs.windows(2) {
        assert!(pair[1][0].as_i64() >= pair[0][1].as_i64(), "{runs:?}");
    }
}

#[tokio::test]
async fn a_tick_that_throws_does_not_stop_the_timer() {
    let code = "let n = 0;\n".to_owned()
        + &component(
            "props: { timer: '$.interface.timer' }, run() { n += 1; if (n === 1) throw new Error('first'); this.$emit(n); }",
        );
    let source = deploy_with(
        &new_user().await,
        &code,
        json!({ "timer": { "intervalSeconds": 1 } }),
    )
    .await;
    assert_eq!(at_least(&source, 1).await[0], 2);
    assert_eq!(
        source.errors(1).await[0]["original_context"]["source_type"],
        "timer"
    );
}

#[tokio::test]
async fn a_source_with_both_interfaces_tells_its_events_apart() {
    let code = component(
        "props: { timer: '$.interface.timer', http: '$.interface.http' }, run(event) { this.$emit(event.interval_seconds ? 'tick' : event.body); }",
    );
    let source = deploy(&new_user().await, &code).await;
    assert_eq!(source.events(1).await, [json!("tick")]);
    source.send(&json!("request")).await.expect(200);
    assert_eq!(source.events(2).await[1], "request");
}

#[tokio::test]
async fn the_timer_prop_reads_as_its_type_and_schedule() {
    let code =
        component("props: { timer: '$.interface.timer' }, run() { this.$emit(this.timer); }");
    let source = deploy_with(
        &new_user().await,
        &code,
        json!({ "timer": { "intervalSeconds": 900 } }),
    )
    .await;
    let timer = source.events(1).await.remove(0);
    assert_eq!(
        [&timer["type"], &timer["interval_seconds"]],
        [&json!("$.interface.timer"), &json!(900)]
    );
}
