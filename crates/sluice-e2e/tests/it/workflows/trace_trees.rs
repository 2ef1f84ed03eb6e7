//! The trace of a request through real processes: a source, a source and a workflow that listen, and a held event.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, now_ms, wait_for};

use crate::{
    routing::fixtures::{listener, relay, subscribe},
    support::{Deployed, PATIENCE, new_user_on},
    workflows::fixtures::{Workflow, deploy, running},
};

/// A source that relays requests, and what listens to it.
struct Chain {
    relay: Deployed,
    listener: Deployed,
    workflow: Workflow,
}

impl Chain {
    async fn new(api: &Api) -> Chain {
        let relay = relay(api).await;
        let listener = listener(api).await;
        subscribe(api, &relay.id, "", &listener.id).await;
        let body = "$.send.emit({ done: true }, \"done\"); return 1";
        let mut document = running(&[("only", body)]);
        document["name"] = json!("Orders");
        document["triggers"] = json!([{ "events": { "from": relay.id } }]);
        Chain {
            listener,
            workflow: deploy(api, &document.to_string()).await,
            relay,
        }
    }

    async fn send(&self, body: &Value) -> String {
        let answer = self.relay.send(body).await.expect(200);
        answer["id"].as_str().expect("an id").to_owned()
    }
}

/// Depth, kind and name of each node, once all of them are there.
async fn outline(api: &Api, id: &str, count: usize) -> Vec<String> {
    let path = format!("/traces/{id}");
    let nodes = wait_for(PATIENCE, "the whole trace", async || {
        let answer = api.get(&path).await;
        let nodes = answer.body["data"]["nodes"].as_array().cloned()?;
        let is_over = |node: &Value| node["status"] == "succeeded";
        (nodes.len() >= count && nodes.iter().all(is_over)).then_some(nodes)
    })
    .await;
    let mut lines: Vec<String> = nodes
        .iter()
        .map(|node| {
            let (kind, name) = (node["kind"].as_str(), node["name"].as_str());
            format!("{} {} {}", node["depth"], kind.unwrap(), name.unwrap())
        })
        .collect();
    // Which listener begins first is open.
    lines.sort();
    lines
}

const WHOLE: [&str; 8] = [
    "0 trigger http",
    "1 source_run relay",
    "2 event one",
    "3 source_run listener",
    "3 workflow_run Orders",
    "4 event default",
    "4 step only",
    "5 event done",
];

#[rstest]
#[tokio::test]
async fn a_request_is_one_tree_from_any_of_its_ids(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let chain = Chain::new(&api).await;
    let id = chain.send(&json!({ "value": 1, "summary": "one" })).await;
    let expected = WHOLE;
    assert_eq!(outline(&api, &id, 8).await, expected);
    let run = chain.workflow.ended_runs(1).await.remove(0);
    assert_eq!(
        outline(&api, run["id"].as_str().unwrap(), 8).await,
        expected
    );
    let page = api.get(&chain.listener.path("/event_summaries")).await;
    let event = page.expect(200)["data"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("{event}?emitter_id={}", chain.listener.id);
    assert_eq!(outline(&api, &path, 8).await, expected);
}

#[rstest]
#[tokio::test]
async fn a_held_event_stays_in_its_trace(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let chain = Chain::new(&api).await;
    let due = now_ms() + 1500;
    let body = json!({ "value": 1, "summary": "one", "delivery_ts": due });
    chain.send(&body).await;
    let run = chain.workflow.ended_runs(1).await.remove(0);
    let id = run["id"].as_str().expect("an id");
    assert_eq!(outline(&api, id, 8).await, WHOLE);
}
