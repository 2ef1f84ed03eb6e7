//! Concurrency, throttle and queue: limits of a workflow that really hold.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{
    Api, Backend, Postgres, Server,
    receiver::{Answer, Receiver},
    wait_for,
};

use crate::{
    support::{PATIENCE, new_user, own_server},
    workflows::fixtures::{Workflow, deploy, running, user_of_open_server},
};

/// Something that steps wait at until it is opened.
struct Gate {
    open: Arc<AtomicBool>,
    receiver: Receiver,
}

impl Gate {
    /// Waits at the gate whose address is in the event.
    const WAIT: &str = "while (await (await fetch(steps.trigger.event.gate)).text() !== 'open') await new Promise((go) => setTimeout(go, 50))";

    fn shut() -> Gate {
        let open = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&open);
        let receiver = Receiver::start(move |_| {
            let open = seen.load(Ordering::SeqCst);
            Answer::status(200).body(if open { "open" } else { "shut" })
        });
        Gate { open, receiver }
    }

    fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
    }

    fn event(&self, n: usize) -> Value {
        json!({ "gate": self.receiver.url("/"), "n": n })
    }
}

async fn with_settings(api: &Api, body: &str, settings: Value) -> Workflow {
    let mut document = running(&[("only", body)]);
    document["settings"] = settings;
    deploy(api, &document.to_string()).await
}

/// How many were in at once at most, by what was told at the door.
fn most_at_once(told: &[sluice_testkit::receiver::Delivery]) -> i32 {
    let mut inside = 0;
    let counts = told.iter().map(|delivery| {
        inside += if delivery.path == "/in" { 1 } else { -1 };
        inside
    });
    counts.max().unwrap_or_default()
}

#[rstest]
#[case(1)]
#[case(3)]
#[tokio::test]
async fn never_more_runs_than_the_concurrency_are_under_way(#[case] concurrency: i32) {
    let door = Receiver::start(|_| Answer::status(200));
    let body = "const { door } = steps.trigger.event; await fetch(`${door}/in`); await new Promise((go) => setTimeout(go, 100)); await fetch(`${door}/out`)";
    let api = user_of_open_server().await;
    let settings = json!({ "concurrency": concurrency });
    let workflow = with_settings(&api, body, settings).await;
    for _ in 0..12 {
        workflow.run(&json!({ "door": door.url("") })).await;
    }
    workflow.ended_runs(12).await;
    assert_eq!(most_at_once(&door.requests()), concurrency);
}

#[tokio::test]
async fn runs_that_wait_leave_room_for_others() {
    let body = "if (steps.trigger.event.pause) $.flow.suspend()";
    let workflow = with_settings(&new_user().await, body, json!({ "concurrency": 1 })).await;
    let id = workflow.run(&json!({ "pause": true })).await;
    workflow.run_in(&id, "waiting").await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["state"], "succeeded");
}

#[tokio::test]
async fn runs_of_one_at_a_time_keep_their_order() {
    let body = "$.send.emit(steps.trigger.event.n)";
    let workflow = with_settings(&new_user().await, body, json!({ "concurrency": 1 })).await;
    for n in 0..20 {
        workflow.run(&json!({ "n": n })).await;
    }
    let expected: Vec<Value> = (0..20).map(|n| json!({ "raw_event": n })).collect();
    assert_eq!(workflow.emitted(20).await, expected);
}

#[rstest]
#[tokio::test]
async fn the_throttle_holds_across_a_restart(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let options = match backend {
        Backend::Sqlite => own_server(),
        Backend::Postgres => own_server().postgres(&Postgres::database()),
    };
    let mut server = Server::start(options).await;
    let settings = json!({ "throttle": { "limit": 2, "interval_seconds": 3 } });
    let workflow = with_settings(&server.api(), "return 1", settings).await;
    for _ in 0..6 {
        workflow.run(&json!({})).await;
    }
    workflow.ended_runs(1).await;
    server.restart().await;
    workflow.ended_runs(3).await;
    server.restart().await;
    let runs = workflow.ended_runs(6).await;
    let mut windows: BTreeMap<i64, u32> = BTreeMap::new();
    for run in &runs {
        let started = run["started_at_ms"].as_i64().expect("a time");
        *windows.entry(started / 3000).or_default() += 1;
    }
    assert!(windows.values().all(|count| *count <= 2), "{windows:?}");
    assert!(windows.len() >= 3, "{windows:?}");
}

#[tokio::test]
async fn a_throttle_of_none_holds_all_back_until_it_is_changed() {
    let api = new_user().await;
    let settings = json!({ "throttle": { "limit": 0, "interval_seconds": 60 } });
    let workflow = with_settings(&api, "return 1", settings).await;
    workflow.run(&json!({})).await;
    let queued = wait_for(PATIENCE, "the event to wait", async || {
        workflow.now().await["queued"].as_u64().filter(|n| *n > 0)
    });
    assert_eq!(queued.await, 1);
    assert_eq!(workflow.runs("").await, Vec::<Value>::new());
    let document = running(&[("only", "return 1")]);
    workflow.redeploy(&document.to_string()).await;
    workflow.ended_runs(1).await;
}

#[tokio::test]
async fn what_the_queue_has_no_room_for_fails_and_can_be_replayed() {
    let gate = Gate::shut();
    let api = user_of_open_server().await;
    let settings = json!({ "concurrency": 1, "queue": 2 });
    let workflow = with_settings(&api, Gate::WAIT, settings).await;
    let first = workflow.run(&gate.event(0)).await;
    workflow.run_in(&first, "running").await;
    for n in 1..=5 {
        workflow.run(&gate.event(n)).await;
    }
    let errors = workflow.errors(3).await;
    for (error, n) in errors.iter().zip(3..) {
        assert_eq!(error["error"]["code"], "EventQueueFull", "{error}");
        assert_eq!(error["original_event"]["n"], n);
    }
    let failed = workflow.runs("state=failed").await;
    assert_eq!(failed.len(), 3);
    assert_eq!(failed[0]["error"]["code"], "EventQueueFull");
    gate.open();
    let runs = workflow.ended_runs(6).await;
    let fine = runs.iter().filter(|run| run["state"] == "succeeded");
    assert_eq!(fine.count(), 3);
    let path = workflow.path("/runs/replay");
    let body = json!({ "state": "failed" });
    let replayed = api.post(&path, &body).await.ok();
    assert_eq!(replayed["count"], 3);
    wait_for(PATIENCE, "the replays", async || {
        let fine = workflow.runs("state=succeeded").await;
        (fine.len() >= 5).then_some(())
    })
    .await;
}
