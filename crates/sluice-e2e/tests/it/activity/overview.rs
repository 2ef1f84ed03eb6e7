//! `GET /users/me/overview`.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{
    Api, Backend,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::{FLOW, counted, named, obedient, sums};
use crate::{
    support::{PATIENCE, new_user, shared_server},
    workflows::fixtures as workflows,
};

async fn overview(api: &Api) -> Value {
    api.get("/users/me/overview").await.ok()
}

#[tokio::test]
async fn an_empty_account_is_all_zeros() {
    let api = new_user().await;
    // Somebody else is busy.
    let other = new_user().await;
    let source = obedient(&other).await;
    source.run(json!({ "emits": [[1]], "fails": true })).await;
    counted(&other, (1, 1, 1)).await;

    let shown = overview(&api).await;
    let activity = shown["activity"].clone();
    assert_eq!(sums(&activity), (0, 0, 0));
    assert_eq!(activity["events"].as_array().map(Vec::len), Some(24));
    let nothing = json!({ "total": 0, "active": 0, "failing": 0 });
    let expected = json!({
        "activity": activity, "sources": nothing, "workflows": nothing, "busiest": [], "failing": [],
        "deliveries": { "waiting": 0, "failed": 0 },
        "webhooks": { "active": 0, "failing": 0, "paused": 0 }, "failing_webhooks": [], "server": null,
    });
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn it_counts_what_there_is_and_names_the_busiest_and_the_failing() {
    let api = new_user().await;
    let mut sources = Vec::new();
    for number in 0..6 {
        sources.push(named(&api, &format!("Number {number}")).await);
    }
    let off = json!({ "active": false });
    api.put(&sources[0].path(""), &off).await.ok();
    for (number, source) in (1_usize..).zip(&sources[1..]) {
        let emits: Vec<Value> = (0..number).map(|n| json!([n])).collect();
        source.run(json!({ "emits": emits })).await;
    }
    sources[5].run(json!({ "fails": true })).await;
    let flow = workflows::deploy(&api, FLOW).await;
    for fail in [true, true, false] {
        flow.run_and_wait(&json!({ "fail": fail })).await;
    }
    counted(&api, (16, 3, 9)).await;

    let shown = overview(&api).await;
    assert_eq!(sums(&shown["activity"]), (16, 3, 9));
    assert_eq!(
        shown["sources"],
        json!({ "total": 6, "active": 5, "failing": 1 })
    );
    assert_eq!(
        shown["workflows"],
        json!({ "total": 1, "active": 1, "failing": 1 })
    );
    let told = |list: &str| -> Vec<(String, u64, u64)> {
        let rows = shown[list].as_array().expect("a list").iter();
        let number = |value: &Value| value.as_u64().expect("a number");
        let name = |row: &Value| row["name"].as_str().expect("a name").to_owned();
        rows.map(|row| (name(row), number(&row["events"]), number(&row["errors"])))
            .collect()
    };
    let busiest = told("busiest");
    assert_eq!(busiest.len(), 5);
    assert_eq!(busiest[0], ("Number 5".to_owned(), 5, 1));
    assert_eq!(busiest[3], ("Number 2".to_owned(), 2, 0));
    assert_eq!(busiest[4].1, 1);
    assert_eq!(
        told("failing"),
        [("Flow".to_owned(), 1, 2), ("Number 5".to_owned(), 5, 1)]
    );
    let first = &shown["failing"][0];
    assert_eq!(
        (&first["id"], &first["kind"], &first["name_slug"]),
        (&json!(flow.id), &json!("workflow"), &json!("flow"))
    );
    assert!(first["last_event_at"].is_number());
    assert_eq!(shown["failing"][1]["kind"], "source");
}

#[tokio::test]
async fn it_counts_deliveries_that_wait_and_that_failed() {
    let receiver = Receiver::start(|_| Answer::status(410));
    let api = workflows::user_of_open_server().await;
    let source = obedient(&api).await;
    let webhook = api
        .post("/webhooks", &json!({ "url": receiver.url("/") }))
        .await
        .ok();
    let subscription = json!({ "emitter_id": source.id, "listener_id": webhook["id"] });
    api.post("/subscriptions", &subscription).await.ok();
    // Whoever is gone gets no more, so the rest waits.
    source.run(json!({ "emits": [[1], [2], [3]] })).await;
    wait_for(PATIENCE, "one that failed", async || {
        let deliveries = overview(&api).await["deliveries"].clone();
        (deliveries == json!({ "waiting": 2, "failed": 1 })).then_some(())
    })
    .await;
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn operators_see_what_the_server_uses(#[case] backend: Backend) {
    let operator = shared_server(backend).api();
    // Its process is one of those that are counted.
    let source = obedient(&operator).await;
    source.run(json!({ "emits": [[1]] })).await;
    source.events(1).await;
    let server = overview(&operator).await["server"].clone();
    let number = |name: &str| {
        let value = server[name].as_u64();
        value.unwrap_or_else(|| panic!("{name} in {server}"))
    };
    assert!(number("processes") >= 1);
    assert!(number("processes_memory_bytes") > 0);
    assert!(number("memory_bytes") > 1024 * 1024);
    assert!(number("storage_bytes") > 64 * 1024);
    assert!(number("uptime_ms") > 0);
    match backend {
        Backend::Sqlite => assert!(number("free_bytes") > 0),
        Backend::Postgres => assert_eq!(server["free_bytes"], Value::Null),
    }
    operator.delete(&source.path("")).await.expect(204);
}
