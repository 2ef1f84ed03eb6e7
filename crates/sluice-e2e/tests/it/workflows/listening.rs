//! Workflows that listen: to sources, to each other, to all; and workflows on a schedule.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use crate::{
    routing::fixtures::{relay, subscribe},
    support::{new_user, new_user_on},
    workflows::fixtures::{Workflow, deploy, faults, returned, running},
};

/// The default of `--max-event-depth`.
const MAX_DEPTH: usize = 10;

/// A workflow with these triggers that emits what it hears, and returns it with its context.
async fn hearing(api: &Api, name: &str, triggers: Value) -> Workflow {
    let body =
        "$.send.emit(steps.trigger.event); return [steps.trigger.event, steps.trigger.context]";
    let mut document = running(&[("only", body)]);
    document["name"] = json!(name);
    document["triggers"] = triggers;
    deploy(api, &document.to_string()).await
}

fn events_of(from: &str) -> Value {
    json!([{ "events": { "from": from } }])
}

/// What the runs of a workflow were triggered by, oldest first.
async fn heard(workflow: &Workflow, count: usize) -> Vec<Value> {
    let mut runs = workflow.ended_runs(count).await;
    runs.reverse();
    runs.iter().map(|run| run["event"].clone()).collect()
}

#[rstest]
#[tokio::test]
async fn a_workflow_runs_with_what_a_source_emits_in_order(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let relay = relay(&api).await;
    let workflow = hearing(&api, "Hears", events_of(&relay.id)).await;
    let values = [json!({ "a": 1 }), json!("text"), json!(null), json!([2])];
    for value in &values {
        relay.send(&json!({ "value": value })).await.expect(200);
    }
    assert_eq!(heard(&workflow, 4).await, values);
    let run = workflow.ended_runs(4).await.remove(0);
    let context = &returned(&run, "only")[1];
    assert_eq!(context["source_type"], "event");
    assert_eq!(context["emitter_id"], relay.id);
    assert_eq!(run["emitter_id"], relay.id);
}

#[tokio::test]
async fn an_emitter_is_named_by_its_slug_too() {
    let api = new_user().await;
    let relay = relay(&api).await;
    let slug = relay.source["name_slug"].as_str().expect("a slug");
    let first = hearing(&api, "First One", events_of(slug)).await;
    let second = hearing(&api, "Second", events_of("first-one")).await;
    assert_eq!(first.shown["triggers"][0]["emitter_id"], relay.id);
    assert_eq!(second.shown["triggers"][0]["emitter_id"], first.id.as_str());
    relay.send(&json!({ "value": 1 })).await.expect(200);
    // Through the one to the other, bare.
    assert_eq!(heard(&second, 1).await, [json!(1)]);
    let faults = faults(&api, "name: x\ntriggers:\n  - events: { from: nobody }\nsteps:\n  - name: a\n    code: async () => 1\n").await;
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].starts_with("3: triggers[0].events.from"),
        "{faults:?}"
    );
}

#[tokio::test]
async fn a_trigger_is_for_one_channel() {
    let api = new_user().await;
    let relay = relay(&api).await;
    let triggers = json!([{ "events": { "from": relay.id, "event_name": "orders" } }]);
    let orders = hearing(&api, "Orders", triggers).await;
    let default = hearing(&api, "Default", events_of(&relay.id)).await;
    for (name, value) in [("orders", 1), ("other", 2), ("default", 3)] {
        let body = json!({ "name": name, "value": value });
        relay.send(&body).await.expect(200);
    }
    assert_eq!(heard(&default, 1).await, [json!(3)]);
    assert_eq!(heard(&orders, 1).await, [json!(1)]);
}

#[tokio::test]
async fn globs_are_for_all_sources_or_all_workflows_also_later_ones() {
    let api = new_user().await;
    let before = relay(&api).await;
    let sources = hearing(&api, "Sources", events_of("dc_*")).await;
    let workflows = json!([{ "events": { "from": "p_*", "event_name": "ping" } }]);
    let workflows = hearing(&api, "Workflows", workflows).await;
    let after = relay(&api).await;
    before.send(&json!({ "value": "b" })).await.expect(200);
    heard(&sources, 1).await;
    after.send(&json!({ "value": "a" })).await.expect(200);
    assert_eq!(heard(&sources, 2).await, [json!("b"), json!("a")]);
    let pinging = running(&[("only", "$.send.emit('pong', 'ping')")]);
    let pinging = deploy(&api, &pinging.to_string()).await;
    pinging.run(&json!({})).await;
    assert_eq!(heard(&workflows, 1).await, [json!("pong")]);
}

#[tokio::test]
async fn subscriptions_and_auto_subscriptions_take_workflows() {
    let api = new_user().await;
    let listener = hearing(&api, "Listener", json!([])).await;
    let auto = hearing(&api, "Auto", json!([])).await;
    let body = json!({ "event_name": "default", "listener_id": auto.id });
    api.post("/auto_subscriptions", &body).await.ok();
    let emitter = hearing(&api, "Emitter", json!([])).await;
    subscribe(&api, &emitter.id, "", &listener.id).await;
    emitter.run(&json!({ "n": 1 })).await;
    assert_eq!(heard(&listener, 1).await, [json!({ "n": 1 })]);
    assert_eq!(heard(&auto, 1).await, [json!({ "n": 1 })]);
}

#[tokio::test]
async fn an_event_is_heard_once_however_many_triggers_match() {
    let api = new_user().await;
    let relay = relay(&api).await;
    let triggers = json!([
        { "events": { "from": relay.id } },
        { "events": { "from": "dc_*" } },
        { "events": { "from": relay.id, "event_name": "default" } },
    ]);
    let workflow = hearing(&api, "Hears", triggers).await;
    for value in 1..=2 {
        relay.send(&json!({ "value": value })).await.expect(200);
    }
    assert_eq!(heard(&workflow, 2).await, [json!(1), json!(2)]);
}

#[tokio::test]
async fn a_new_version_listens_to_what_it_says_and_to_nothing_else() {
    let api = new_user().await;
    let (first, second) = (relay(&api).await, relay(&api).await);
    let workflow = hearing(&api, "Hears", events_of(&first.id)).await;
    let mut document = running(&[("only", "return 1")]);
    document["triggers"] = events_of(&second.id);
    workflow.redeploy(&document.to_string()).await;
    first.send(&json!({ "value": "first" })).await.expect(200);
    first.events(1).await;
    second.send(&json!({ "value": "second" })).await.expect(200);
    assert_eq!(heard(&workflow, 1).await, [json!("second")]);
}

#[tokio::test]
async fn a_workflow_that_hears_itself_stops_at_the_limit() {
    let api = new_user().await;
    let workflow = hearing(&api, "Loop", json!([])).await;
    subscribe(&api, &workflow.id, "", &workflow.id).await;
    workflow.run(&json!({ "n": 1 })).await;
    let error = workflow.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "EventLoop", "{error}");
    assert_eq!(error["original_event"], json!({ "n": 1 }));
    let runs = workflow.ended_runs(MAX_DEPTH + 1).await;
    assert_eq!(runs.len(), MAX_DEPTH + 1);
    assert!(runs.iter().all(|run| run["state"] == "succeeded"));
}

#[tokio::test]
async fn two_workflows_that_hear_each_other_stop_at_the_limit() {
    let api = new_user().await;
    let one = hearing(&api, "One", json!([])).await;
    let other = hearing(&api, "Other", events_of(&one.id)).await;
    subscribe(&api, &other.id, "", &one.id).await;
    one.run(&json!(0)).await;
    one.errors(1).await;
    assert_eq!(
        one.ended_runs(MAX_DEPTH / 2 + 1).await.len(),
        MAX_DEPTH / 2 + 1
    );
    assert_eq!(other.ended_runs(MAX_DEPTH / 2).await.len(), MAX_DEPTH / 2);
}

#[tokio::test]
async fn an_interval_runs_at_once_and_again() {
    let triggers = json!([{ "schedule": { "interval_seconds": 1 } }]);
    let workflow = hearing(&new_user().await, "Often", triggers).await;
    let runs = workflow.ended_runs(3).await;
    for run in &runs {
        assert_eq!(run["source_type"], "timer");
        assert_eq!(run["event"]["interval_seconds"], 1, "{run}");
        assert!(run["event"]["timestamp"].is_number());
    }
    let shown = workflow.now().await;
    assert!(shown["triggers"][0]["next_at"].is_number() || !shown["queued"].is_null());
    workflow.change(&json!({ "active": false })).await;
}

#[tokio::test]
async fn a_cron_expression_runs_at_its_times() {
    let triggers = json!([{ "schedule": { "cron": "* * * * * *", "timezone": "Europe/Berlin" } }]);
    let workflow = hearing(&new_user().await, "Cron", triggers).await;
    let run = workflow.ended_runs(1).await.remove(0);
    assert_eq!(run["event"]["cron"], "* * * * * *", "{run}");
    assert_eq!(run["event"]["interval_seconds"], Value::Null);
    workflow.change(&json!({ "active": false })).await;
}

#[tokio::test]
async fn several_triggers_make_runs_of_one_workflow() {
    let api = new_user().await;
    let relay = relay(&api).await;
    let triggers = json!([
        { "http": {} },
        { "schedule": { "interval_seconds": 3600 } },
        { "events": { "from": relay.id } },
    ]);
    let workflow = hearing(&api, "All", triggers).await;
    workflow.ended_runs(1).await;
    workflow.send(&json!({})).await.expect(200);
    workflow.ended_runs(2).await;
    relay.send(&json!({ "value": 1 })).await.expect(200);
    let runs = workflow.ended_runs(3).await;
    let kinds: Vec<_> = runs.iter().map(|run| &run["source_type"]).collect();
    assert_eq!(kinds, ["event", "http", "timer"]);
}
