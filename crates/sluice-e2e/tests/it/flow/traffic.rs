//! `GET /users/me/traffic`: what happens is counted where it happens, for the user it happens to.

use serde_json::{Value, json};
use sluice_testkit::{
    Api,
    receiver::{Answer, Receiver},
};

use super::sums::{Sums, new_user, of, route, subscribe};
use crate::{
    support::{Deployed, deploy},
    workflows::fixtures::deploy_running,
};

/// Emits so many numbers, and throws if it is told to.
const EMITTER: &str = r#"module.exports = {
  name: "Emitter", version: "0.0.1",
  run({ times = 0, channel, fail }) {
    for (let n = 1; n <= times; n++) this.$emit(n, { name: channel });
    if (fail) throw new Error("as asked");
  },
};"#;

/// Hears and says nothing.
const QUIET: &str = r#"module.exports = { name: "Quiet", version: "0.0.1", run() {} };"#;

async fn webhook(api: &Api, receiver: &Receiver) -> String {
    let body = json!({ "url": receiver.url("/hook") });
    let webhook = api.post("/webhooks", &body).await.ok();
    webhook["id"].as_str().expect("an id").to_owned()
}

async fn emit(source: &Deployed, times: u64) {
    source.run(json!({ "times": times })).await;
}

#[tokio::test]
async fn events_errors_and_invocations_are_counted() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let mut sums = Sums::open(&api).await;
    source.run(json!({ "times": 3 })).await;
    source
        .run(json!({ "times": 1, "channel": "custom", "fail": true }))
        .await;
    let id = &source.id;
    let expected = [
        of(id, "events", 4),
        of(id, "errors", 1),
        of(id, "invocations", 2),
    ];
    sums.until(&expected).await;
}

#[tokio::test]
async fn workflows_count_their_runs_and_what_they_emit() {
    let api = new_user().await;
    let body =
        "if (steps.trigger.event.fail) throw new Error('as asked'); $.send.emit(1); $.send.emit(2)";
    let workflow = deploy_running(&api, &[("only", body)]).await;
    let listener = deploy(&api, QUIET).await;
    subscribe(&api, &workflow.id, &listener.id).await;
    let mut sums = Sums::open(&api).await;
    workflow.run_and_wait(&json!({})).await;
    workflow.run_and_wait(&json!({ "fail": true })).await;
    let expected = [
        of(&workflow.id, "events", 2),
        of(&workflow.id, "errors", 1),
        of(&workflow.id, "invocations", 2),
        route(&workflow.id, &listener.id, 2),
        of(&listener.id, "invocations", 2),
    ];
    sums.until(&expected).await;
}

#[tokio::test]
async fn what_goes_from_one_to_another_is_counted_for_every_kind_of_listener() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let listener = deploy(&api, QUIET).await;
    let workflow = deploy_running(&api, &[("only", "return 1")]).await;
    let receiver = Receiver::start(|_| Answer::status(200));
    let hook = webhook(&api, &receiver).await;
    for id in [&listener.id, &workflow.id, &hook] {
        subscribe(&api, &source.id, id).await;
    }
    let mut sums = Sums::open(&api).await;
    emit(&source, 3).await;
    let mut expected = vec![
        of(&source.id, "events", 3),
        of(&source.id, "invocations", 1),
        of(&listener.id, "invocations", 3),
        of(&workflow.id, "invocations", 3),
        of(&hook, "delivered", 3),
        route(&source.id, &listener.id, 3),
        route(&source.id, &workflow.id, 3),
        route(&source.id, &hook, 3),
    ];
    sums.until(&expected).await;

    // A replay goes the same ways, and is no event of its own.
    let replayed = api.post(&source.path("/events/replay"), &json!({})).await;
    assert_eq!(replayed.ok(), json!({ "events": 3 }));
    for (path, number) in &mut expected {
        if !path.starts_with(&source.id) || path.contains("->") {
            *number = 6;
        }
    }
    sums.until(&expected).await;
}

#[tokio::test]
async fn every_try_that_fails_is_counted_for_its_webhook() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let receiver = Receiver::start(|_| Answer::status(500));
    let hook = webhook(&api, &receiver).await;
    subscribe(&api, &source.id, &hook).await;
    let mut sums = Sums::open(&api).await;
    emit(&source, 1).await;
    let expected = [
        of(&source.id, "events", 1),
        of(&source.id, "invocations", 1),
        route(&source.id, &hook, 1),
        // The first, and the one retry.
        of(&hook, "failed", 2),
    ];
    sums.until(&expected).await;
}

#[tokio::test]
async fn readers_of_one_user_hear_the_same_at_the_same_time() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let (mut one, mut other) = (Sums::open(&api).await, Sums::open(&api).await);
    for times in 1..=2 {
        emit(&source, times).await;
        source
            .events(usize::try_from(times * (times + 1) / 2).expect("few"))
            .await;
    }
    let expected = [
        of(&source.id, "events", 3),
        of(&source.id, "invocations", 2),
    ];
    one.until(&expected).await;
    other.until(&expected).await;
    assert_eq!(one.seconds, other.seconds);
}

#[tokio::test]
async fn nothing_is_told_while_nothing_happens_nor_of_what_happens_to_others() {
    let (quiet, busy) = (new_user().await, new_user().await);
    let mine = deploy(&quiet, EMITTER).await;
    let theirs = deploy(&busy, EMITTER).await;
    // A webhook of each, and the subscriptions of one do not reach the other.
    subscribe(&quiet, "dc_*", &deploy(&quiet, QUIET).await.id).await;
    let (mut silent, mut told) = (Sums::open(&quiet).await, Sums::open(&busy).await);
    for _ in 0..3 {
        emit(&theirs, 1).await;
        let second = told.next().await;
        let emitters = second["emitters"].as_object().expect("an object");
        assert!(emitters.keys().all(|id| *id == theirs.id), "{second}");
    }
    let gaps = told.seconds.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.clone().all(|gap| gap > 500), "{:?}", told.seconds);

    emit(&mine, 1).await;
    let first: Value = silent.next().await;
    let began = first["ts"].as_i64().expect("a time");
    assert!(began > told.seconds[2], "{first}");
    let emitters = first["emitters"].as_object().expect("an object");
    assert!(!emitters.contains_key(&theirs.id), "{first}");
}
