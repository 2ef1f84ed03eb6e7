//! `GET /traces/{id}`: the tree from a request to all its effects, from any id in it.

use serde_json::{Value, json};
use sluice_testkit::{
    Method,
    receiver::{Answer, Receiver},
    wait_for,
    webhook::Webhook,
};

use crate::{
    server::User,
    support::{Deployed, EMITTER, PATIENCE, deploy, new_user},
};

/// Emits its event.
const FORWARDER: &str = r#"module.exports = { "name": "Forwarder", "version": "0.0.1",
    "props": {}, "run": { "emit": "event" } };"#;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// A source with an endpoint, a second one that listens to it, and a webhook and a workflow that listen to that.
struct Chain {
    user: User,
    first: Deployed,
    second: Deployed,
    workflow: String,
    receiver: Receiver,
}

impl Chain {
    async fn new(user: &User) -> Chain {
        let first = deploy(user, EMITTER).await;
        let second = deploy(user, FORWARDER).await;
        let run =
            json!({ "send": [["emit", { "raw_event": { "done": true }, "channel": "done" }]] });
        let workflow = deploy_workflow(user, "Orders", &run).await;
        subscribe(user, &first.id, &second.id).await;
        subscribe(user, &second.id, &workflow).await;
        let receiver = Receiver::start(|_| Answer::status(200));
        let hook = json!({ "url": receiver.url("/hook"), "name": "Shop" });
        Webhook::create(user, &second.id, &hook, "").await;
        Chain {
            user: user.clone(),
            first,
            second,
            workflow,
            receiver,
        }
    }

    /// Sends a request and returns its id.
    async fn send(&self) -> String {
        let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
        let request = self.user.absolute(Method::POST, self.first.endpoint());
        let request = request.header("traceparent", &parent);
        let body = json!({ "n": 1 });
        let answer = request.json(&body).send().await;
        answer.expect(200)["id"].as_str().expect("an id").to_owned()
    }
}

async fn deploy_workflow(user: &User, name: &str, run: &Value) -> String {
    let code = format!("module.exports = {}", json!({ "run": run }));
    let document = json!({ "name": name, "steps": [{ "name": "only", "code": code }] });
    let body = json!({ "document": document.to_string() });
    let workflow = user.post("/workflows", &body).await.ok();
    workflow["id"].as_str().expect("an id").to_owned()
}

async fn subscribe(user: &User, emitter: &str, listener: &str) {
    let subscription = json!({ "emitter_id": emitter, "listener_id": listener });
    user.post("/subscriptions", &subscription).await.ok();
}

async fn trace(user: &User, id: &str) -> Value {
    user.get(&format!("/traces/{id}")).await.expect(200)["data"].clone()
}

/// Waits until all nodes of a trace are over, and there are so many.
async fn whole(user: &User, id: &str, count: usize) -> Value {
    wait_for(PATIENCE, "the whole trace", async || {
        let answer = user.get(&format!("/traces/{id}")).await;
        let trace = (answer.status == 200).then(|| answer.body["data"].clone())?;
        let nodes = trace["nodes"].as_array()?;
        let is_over =
            |node: &Value| !matches!(node["status"].as_str(), Some("waiting" | "running"));
        (nodes.len() >= count && nodes.iter().all(is_over)).then_some(trace)
    })
    .await
}

/// Depth, kind and name of each node, and whether it is a replay.
fn outline(trace: &Value) -> Vec<String> {
    let nodes = trace["nodes"].as_array().expect("nodes").iter();
    let text = |node: &Value| {
        let depth = usize::try_from(node["depth"].as_u64().expect("a depth")).unwrap();
        let (kind, name) = (
            node["kind"].as_str().unwrap(),
            node["name"].as_str().unwrap(),
        );
        let mark = if node["replay"] == true {
            " (replay)"
        } else {
            ""
        };
        format!("{}{kind} {name}{mark}", "  ".repeat(depth))
    };
    nodes.map(text).collect()
}

fn node<'a>(trace: &'a Value, kind: &str) -> &'a Value {
    let nodes = trace["nodes"].as_array().expect("nodes");
    let found = nodes.iter().find(|node| node["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} in {trace:#}"))
}

#[tokio::test]
async fn every_id_of_a_trace_leads_to_the_same_tree() {
    let user = new_user().await;
    let chain = Chain::new(&user).await;
    let id = chain.send().await;
    chain.receiver.wait_for(1).await;
    let whole = whole(&user, &id, 10).await;
    assert_eq!(
        outline(&whole),
        [
            "trigger http",
            "  source_run emitter",
            "    event default",
            "      source_run forwarder",
            "        event default",
            "          delivery Shop",
            "            attempt HTTP 200",
            "          workflow_run Orders",
            "            step only",
            "              event done",
        ]
    );
    assert_eq!(whole["selected"], format!("{}/{id}", chain.first.id));
    assert_eq!(whole["truncated"], false);
    let run = node(&whole, "workflow_run");
    assert_eq!(run["emitter_id"], chain.workflow);
    assert_eq!(run["status"], "succeeded");
    assert!(run["duration_ms"].is_number());
    for part in whole["nodes"].as_array().expect("nodes") {
        let from_here = trace(&user, part["id"].as_str().expect("an id")).await;
        assert_eq!(outline(&from_here), outline(&whole), "from {part}");
        let emitter = part["emitter_id"].as_str().unwrap_or(&chain.second.id);
        if part["kind"] == "source_run" || part["kind"] == "event" {
            let path = format!("{}?emitter_id={emitter}", part["id"].as_str().unwrap());
            let from_here = trace(&user, &path).await;
            assert_eq!(from_here["selected"], part["key"]);
            assert_eq!(outline(&from_here), outline(&whole), "from {part}");
        }
        if let Some(url) = part["url"].as_str() {
            let path = url.strip_prefix("/v1").expect("a path of the API");
            user.get(path).await.expect(200);
        }
    }
    let from_trace = trace(&user, TRACE).await;
    assert_eq!(outline(&from_trace), outline(&whole));
    assert_eq!(from_trace["selected"], Value::Null);
}

/// The lines of an outline from the first one with `text` on, without those before.
fn below(trace: &Value, text: &str) -> Vec<String> {
    let lines = outline(trace);
    let at = lines.iter().position(|line| line.contains(text));
    lines[at.expect("the line")..].to_vec()
}

#[tokio::test]
async fn replays_of_an_event_are_below_it() {
    let user = new_user().await;
    let chain = Chain::new(&user).await;
    let id = chain.send().await;
    let first = whole(&user, &id, 10).await;
    let nodes = first["nodes"].as_array().expect("nodes");
    let event = nodes
        .iter()
        .find(|node| node["emitter_id"] == chain.first.id && node["kind"] == "event");
    let event = event.expect("the first event")["id"].clone();
    let path = chain.first.path("/events/replay");
    user.post(&path, &json!({ "event_id": event })).await.ok();
    let trace = whole(&user, &id, 17).await;
    let expected = |mark: &str| {
        [
            format!("      source_run forwarder{mark}"),
            "        event default".to_owned(),
            "          delivery Shop".to_owned(),
            "            attempt HTTP 200".to_owned(),
            "          workflow_run Orders".to_owned(),
            "            step only".to_owned(),
            "              event done".to_owned(),
        ]
    };
    let shown = below(&trace, "source_run forwarder");
    assert_eq!(shown, [expected(""), expected(" (replay)")].concat());
    let replayed = trace["nodes"].as_array().expect("nodes");
    let replayed = replayed.iter().find(|node| node["replay"] == true);
    let replay = replayed.expect("a replay")["id"].as_str().expect("an id");
    let from_replay = whole(&user, replay, 17).await;
    assert_eq!(outline(&from_replay), outline(&trace));
}

#[tokio::test]
async fn replays_of_runs_are_below_the_first_run_and_those_of_deliveries_are_attempts() {
    let user = new_user().await;
    let chain = Chain::new(&user).await;
    let id = chain.send().await;
    let first = whole(&user, &id, 10).await;
    let run = node(&first, "workflow_run")["id"].as_str().expect("an id");
    let path = format!("/workflows/{}/runs/{run}/replay", chain.workflow);
    user.post(&path, &json!({})).await.ok();
    let delivery = node(&first, "delivery")["id"].as_str().expect("an id");
    let path = format!("/deliveries/{delivery}/replay");
    user.post(&path, &json!({})).await.ok();
    let trace = whole(&user, &id, 14).await;
    assert_eq!(
        below(&trace, "delivery Shop"),
        [
            "          delivery Shop",
            "            attempt HTTP 200",
            "            attempt HTTP 200 (replay)",
            "          workflow_run Orders",
            "            step only",
            "              event done",
            "            workflow_run Orders (replay)",
            "              step only",
            "                event done",
        ]
    );
}

#[tokio::test]
async fn a_failure_is_shown_with_its_error() {
    let user = new_user().await;
    let source = deploy(&user, EMITTER).await;
    let ran = source.run(json!({ "emits": "no list" })).await;
    source.errors(1).await;
    let trace = whole(&user, ran["id"].as_str().expect("an id"), 3).await;
    let lines = [
        "trigger manual",
        "  source_run emitter",
        "    event emits is no list",
    ];
    assert_eq!(outline(&trace), lines);
    let run = node(&trace, "source_run");
    assert_eq!(run["status"], "failed");
    assert_eq!(run["error"], "emits is no list");
}

#[tokio::test]
async fn a_tree_is_cut_at_the_limit() {
    let user = new_user().await;
    let chain = Chain::new(&user).await;
    let id = chain.send().await;
    whole(&user, &id, 10).await;
    let cut = trace(&user, &format!("{id}?limit=3")).await;
    assert_eq!(outline(&cut).len(), 3);
    assert_eq!(cut["truncated"], true);
    assert_eq!(cut["nodes"][2]["truncated"], true);
}

#[tokio::test]
async fn ids_of_others_and_unknown_ids_are_not_found() {
    let user = new_user().await;
    let source = deploy(&user, EMITTER).await;
    let ran = source.run(json!({ "emits": [[{ "n": 1 }]] })).await;
    source.events(1).await;
    let id = ran["id"].as_str().expect("an id").to_owned();
    let trace = whole(&user, &id, 3).await;
    let event = node(&trace, "event")["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let other = new_user().await;
    for id in [
        id.as_str(),
        &event,
        &format!("{id}?emitter_id={}", source.id),
        &format!("{event}?emitter_id={}", source.id),
    ] {
        assert_eq!(
            other.get(&format!("/traces/{id}")).await.status,
            404,
            "{id}"
        );
    }
    for id in [
        "nonsense",
        "1-1",
        "dlv_a",
        TRACE,
        "00VbMOOL6001p0rx0m0TG9wSfa3",
    ] {
        assert_eq!(user.get(&format!("/traces/{id}")).await.status, 404, "{id}");
    }
}
