//! `GET /users/me/flow`: who emits to whom.

use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{
    Api, Backend, Server,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::sums::{new_user, subscribe};
use crate::{
    support::{PATIENCE, deploy, new_user_on, own_server},
    workflows::fixtures::deploy_running,
};

const EMITTER: &str = r#"module.exports = {
  name: "Emitter", version: "0.0.1",
  run({ times = 0, fail }) {
    for (let n = 1; n <= times; n++) this.$emit(n);
    if (fail) throw new Error("as asked");
  },
};"#;

async fn source(api: &Api, name: &str) -> String {
    let body = json!({ "component_code": EMITTER, "name": name });
    id(&api.post("/sources", &body).await.ok())
}

async fn webhook(api: &Api, body: Value) -> String {
    id(&api.post("/webhooks", &body).await.ok())
}

fn id(of: &Value) -> String {
    of["id"].as_str().expect("an id").to_owned()
}

async fn flow(api: &Api, query: &str) -> Value {
    api.get(&format!("/users/me/flow?{query}")).await.ok()
}

fn nodes(flow: &Value) -> &Vec<Value> {
    flow["nodes"].as_array().expect("nodes")
}

/// The names of the nodes in their order.
fn names(flow: &Value) -> Vec<&str> {
    let names = nodes(flow).iter().map(|node| node["name"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

fn node<'a>(flow: &'a Value, id: &str) -> &'a Value {
    let found = nodes(flow).iter().find(|node| node["id"] == id);
    found.unwrap_or_else(|| panic!("no {id} in {flow:#}"))
}

/// The edges, as from, name and to, sorted.
fn edges(flow: &Value) -> Vec<[String; 3]> {
    let edges = flow["edges"].as_array().expect("edges");
    let text = |edge: &Value, name: &str| edge[name].as_str().expect("text").to_owned();
    let mut edges: Vec<_> = edges
        .iter()
        .map(|edge| ["from", "event_name", "to"].map(|name| text(edge, name)))
        .collect();
    edges.sort();
    edges
}

#[rstest]
#[tokio::test]
async fn everything_that_emits_or_listens_is_on_the_map(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let empty = json!({ "nodes": [], "edges": [], "hidden": 0 });
    assert_eq!(flow(&api, "").await, empty);

    let emitter = source(&api, "My Emitter").await;
    let listener = source(&api, "Listener").await;
    let alone = source(&api, "Alone").await;
    let workflow = deploy_running(&api, &[("only", "return 1")]).await;
    let named = webhook(
        &api,
        json!({ "url": "https://example.com/a", "name": "Named" }),
    )
    .await;
    let unnamed = webhook(&api, json!({ "url": "https://example.com/b" })).await;
    api.put(&format!("/sources/{listener}"), &json!({ "active": false }))
        .await
        .expect(200);
    subscribe(&api, &emitter, &listener).await;
    subscribe(&api, &emitter, &workflow.id).await;
    let errors = json!({
        "emitter_id": workflow.id, "event_name": "$errors", "listener_id": named,
    });
    let subscription = api.post("/subscriptions", &errors).await.ok();
    for glob in ["dc_*", "p_*"] {
        subscribe(&api, glob, &unnamed).await;
    }
    let later = json!({ "event_name": "", "listener_id": named });
    api.post("/auto_subscriptions", &later).await.expect(200);

    let shown = flow(&api, "").await;
    assert_eq!(shown["hidden"], 0);
    let mine = json!({
        "id": emitter, "kind": "source", "name": "My Emitter", "name_slug": "my-emitter",
        "active": true, "events": 0, "errors": 0, "waiting": 0, "health": null,
    });
    assert_eq!(node(&shown, &emitter), &mine);
    assert_eq!(node(&shown, &listener)["active"], false);
    assert_eq!(node(&shown, &workflow.id)["kind"], "workflow");
    let healthy = json!({
        "status": "healthy", "failing_since": null, "error": null, "next_attempt_at": null,
    });
    let hook = json!({
        "id": unnamed, "kind": "webhook", "name": "https://example.com/b", "name_slug": null,
        "active": true, "events": 0, "errors": 0, "waiting": 0, "health": healthy,
    });
    assert_eq!(node(&shown, &unnamed), &hook);
    assert_eq!(node(&shown, &named)["name"], "Named");
    for (glob, name) in [
        ("dc_*", "Every source"),
        ("p_*", "Every workflow"),
        ("*", "Every new source and workflow"),
    ] {
        let every = node(&shown, glob);
        assert_eq!(
            (&every["kind"], &every["name"]),
            (&json!("every"), &json!(name))
        );
    }
    let edge = |from: &str, name: &str, to: &str| [from, name, to].map(str::to_owned);
    let mut expected = vec![
        edge(&emitter, "", &listener),
        edge(&emitter, "", &workflow.id),
        edge(&workflow.id, "$errors", &named),
        edge("dc_*", "", &unnamed),
        edge("p_*", "", &unnamed),
        edge("*", "", &named),
    ];
    expected.sort();
    assert_eq!(edges(&shown), expected);
    let of_errors = shown["edges"].as_array().expect("edges").iter();
    let of_errors = of_errors.filter(|edge| edge["event_name"] == "$errors");
    let ids: Vec<_> = of_errors.map(|edge| &edge["subscription_id"]).collect();
    assert_eq!(ids, [&subscription["id"]]);
    // What is connected stands before what is not.
    assert_eq!(nodes(&shown).last().map(id), Some(alone));
    // Nobody else sees any of it.
    assert_eq!(flow(&new_user_on(backend).await, "").await, empty);
}

#[tokio::test]
async fn numbers_are_those_of_the_last_day_and_what_waits() {
    let api = new_user().await;
    let emitter = deploy(&api, EMITTER).await;
    let receiver = Receiver::start(|_| Answer::status(500));
    let hook = webhook(&api, json!({ "url": receiver.url("/") })).await;
    subscribe(&api, &emitter.id, &hook).await;
    emitter.run(json!({ "times": 2 })).await;
    emitter.run(json!({ "times": 1, "fail": true })).await;
    wait_for(PATIENCE, "the numbers", async || {
        let shown = flow(&api, "").await;
        let (source, hook) = (node(&shown, &emitter.id), node(&shown, &hook));
        let sum = hook["waiting"].as_u64()? + hook["errors"].as_u64()?;
        assert!(sum <= 3 && hook["events"] == 0, "{hook}");
        let all = source["events"] == 3 && source["errors"] == 1 && hook["errors"] == 3;
        all.then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_matches_is_shown_with_its_neighbours_and_the_rest_is_counted() {
    let api = new_user().await;
    let [a, b, c] = [
        source(&api, "Alpha one").await,
        source(&api, "Beta").await,
        source(&api, "Gamma").await,
    ];
    source(&api, "Delta").await;
    subscribe(&api, &a, &b).await;
    subscribe(&api, &b, &c).await;
    let found = flow(&api, "q=ALPHA-o").await;
    assert_eq!(names(&found), ["Alpha one", "Beta"]);
    assert_eq!((edges(&found).len(), &found["hidden"]), (1, &json!(0)));
    assert_eq!(names(&flow(&api, "q=gAmm").await), ["Gamma", "Beta"]);
    assert!(names(&flow(&api, "q=nothing").await).is_empty());
    assert_eq!(names(&flow(&api, "q=").await).len(), 4);

    let cut = flow(&api, "limit=2").await;
    assert_eq!(names(&cut), ["Alpha one", "Beta"]);
    assert_eq!((edges(&cut).len(), &cut["hidden"]), (1, &json!(2)));
    assert_eq!(names(&flow(&api, "limit=99999").await).len(), 4);
    for bad in ["limit=0", "limit=x", "limit=-1", "limit=", "q=%00"] {
        let path = format!("/users/me/flow?{bad}");
        api.get(&path).await.expect(400);
    }
}

#[tokio::test]
async fn ten_thousand_sources_and_subscriptions_are_drawn_well_within_a_second() {
    let mut server = Server::start(own_server()).await;
    let api = server.api();
    let first = source(&api, "First").await;
    server.kill9();
    let file = server.data_dir().join("sluice.db");
    let crowd = format!(
        "BEGIN;
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
         INSERT INTO sources (id, user_id, component_id, name, name_slug, phase, active, configured_props, created_at, updated_at)
         SELECT 'dc_n' || n, user_id, component_id, 'Source ' || n, 'source-' || n, phase, active, configured_props, n, n
         FROM numbers JOIN sources s ON s.id = '{first}';
         INSERT INTO subscriptions (id, user_id, emitter_id, event_name, listener_id, created_at, route)
         SELECT 'sub_n' || created_at, user_id, id, '', '{first}', created_at, id FROM sources WHERE id <> '{first}';
         INSERT INTO activity (emitter_id, hour, events, errors, invocations, compute_ms)
         SELECT id, unixepoch() / 3600 - created_at % 20, created_at, 1, 1, 1 FROM sources WHERE id <> '{first}';
         COMMIT;"
    );
    let database = rusqlite::Connection::open(file).expect("the database");
    database.execute_batch(&crowd).expect("a crowd");
    drop(database);
    server.restart().await;
    for query in ["", "limit=1000", "q=source-99"] {
        let shown = wait_for(PATIENCE, "a quick answer", async || {
            let begun = Instant::now();
            let shown = flow(&api, query).await;
            // The machine may be busy with other tests once, but not always.
            (begun.elapsed() < Duration::from_millis(800)).then_some(shown)
        })
        .await;
        let count = nodes(&shown).len();
        match query {
            "" => {
                assert_eq!((count, &shown["hidden"]), (300, &json!(9_701)));
                assert_eq!(nodes(&shown)[0]["events"], 10_000);
            }
            "limit=1000" => assert_eq!((count, &shown["hidden"]), (1_000, &json!(9_001))),
            _ => assert_eq!((count, &shown["hidden"]), (112, &json!(0))),
        }
    }
}
