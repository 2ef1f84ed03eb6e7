//! Traces of work that is done later or again: held events, replays, and runs of actions.

use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::{Value, json};
use sluice_model::{Clock, SystemClock};
use sluice_testkit::Method;

use crate::{
    collector::{TestCollector, text},
    server::{TestServer, User},
    traces::{Chain, TRACE, hex, is_child, parent},
};

/// The trace of the request for a replay.
const LATER: &str = "1bf7651916cd43dd8448eb211c80319d";
const HOLD_MS: i64 = 600_000;
const ACTION: &str = r#"module.exports = { "name": "Act", "version": "0.0.1", "type": "action",
    "run": { "return": 7 } };"#;

async fn traced() -> (TestCollector, User) {
    let collector = TestCollector::start().await;
    let server = TestServer::traced(&collector.url, 0.0).await;
    (collector, server.user().await)
}

/// Posts in the trace [`LATER`].
async fn post_later(user: &User, path: &str, body: &Value) -> Value {
    let parent = format!("00-{LATER}-b7ad6b7169203331-01");
    let request = user.request(Method::POST, path);
    let request = request.header("traceparent", &parent).json(body);
    request.send().await.ok()
}

/// The only replay, which the request caused and which links to the first trace.
async fn replay(collector: &TestCollector, request: &str) -> Span {
    let replay = collector.wait_for("replay", 1).await.remove(0);
    let request = collector.wait_for(request, 1).await.remove(0);
    assert!(is_child(&replay, &request));
    assert_eq!(hex(&replay.trace_id), LATER);
    let links: Vec<_> = replay
        .links
        .iter()
        .map(|link| hex(&link.trace_id))
        .collect();
    assert_eq!(links, [TRACE]);
    replay
}

fn is_in(span: &Span, trace: &str) -> bool {
    hex(&span.trace_id) == trace
}

#[tokio::test]
async fn a_held_event_is_sent_in_the_trace_that_emitted_it() {
    let (collector, user) = traced().await;
    let chain = Chain::new(&user).await;
    let now = SystemClock.now_ms();
    let hold = async |due: i64, parent: &str| {
        let body = json!({ "event": { "emits": [[1, { "delivery_ts": due }]] } });
        let request = user.request(Method::POST, &chain.first.path("/run"));
        let request = request.header("traceparent", parent);
        request.json(&body).send().await.ok();
    };
    hold(now + HOLD_MS, &parent("01")).await;
    chain.first.events(1).await;
    user.server.clock.advance(HOLD_MS);
    // The scheduler looks again when something is to be held.
    hold(now + 10 * HOLD_MS, "").await;
    let sent = chain.receiver.wait_for(1).await;
    let header = sent[0].header("traceparent").unwrap();
    assert!(header.starts_with(&format!("00-{TRACE}-")), "{header}");
    let hold = &collector.wait_for("hold", 1).await[0];
    let invocations = collector.wait_for("invocation", 2).await;
    let emitter = text(&hold.attributes, "sluice.emitter_id");
    assert_eq!(emitter.as_deref(), Some(chain.first.id.as_str()));
    assert!(is_child(hold, &invocations[0]) && is_child(&invocations[1], &invocations[0]));
    assert!(hold.end_time_unix_nano > hold.start_time_unix_nano);
}

#[tokio::test]
async fn a_delivery_that_is_replayed_at_once_belongs_to_the_request() {
    let (collector, user) = traced().await;
    let chain = Chain::new(&user).await;
    chain.send(Some(&parent("01"))).await;
    let delivery = chain.webhook.wait_for(&["delivered"]).await.remove(0);
    let path = format!("/deliveries/{}/replay", delivery["id"].as_str().unwrap());
    post_later(&user, &path, &json!({})).await;
    let replay = replay(&collector, "POST /v1/deliveries/{id}/replay").await;
    let attempts = collector.wait_for("delivery", 2).await;
    let again = attempts.iter().find(|attempt| is_in(attempt, LATER));
    let again = again.expect("an attempt");
    assert!(is_child(again, &replay));
    let sent = chain.receiver.wait_for(2).await;
    let expected = format!("00-{LATER}-{}-01", hex(&again.span_id));
    assert_eq!(sent[1].header("traceparent"), Some(expected.as_str()));
}

#[tokio::test]
async fn deliveries_that_become_due_again_stay_in_the_traces_of_their_events() {
    let (collector, user) = traced().await;
    let chain = Chain::new(&user).await;
    chain.send(Some(&parent("01"))).await;
    chain.webhook.wait_for(&["delivered"]).await;
    let path = chain.webhook.path("/replay");
    let replayed = post_later(&user, &path, &json!({ "state": "all" })).await;
    assert_eq!(replayed["replayed"], 1);
    replay(&collector, "POST /v1/webhooks/{id}/replay").await;
    let attempts = collector.wait_for("delivery", 2).await;
    assert!(attempts.iter().all(|attempt| is_in(attempt, TRACE)));
}

#[tokio::test]
async fn listeners_of_a_replayed_event_belong_to_the_request() {
    for is_range in [false, true] {
        let (collector, user) = traced().await;
        let chain = Chain::new(&user).await;
        chain.send(Some(&parent("01"))).await;
        chain.receiver.wait_for(1).await;
        let event = chain.first.summaries().await.remove(0);
        let body = if is_range {
            json!({})
        } else {
            json!({ "event_id": event["id"] })
        };
        let path = chain.first.path("/events/replay");
        post_later(&user, &path, &body).await;
        let replay = replay(&collector, "POST /v1/sources/{id}/events/replay").await;
        let invocations = collector.wait_for("invocation", 3).await;
        let again = invocations.iter().find(|one| is_in(one, LATER));
        assert!(is_child(again.expect("an invocation"), &replay));
        let sent = chain.receiver.wait_for(2).await;
        let header = sent[1].header("traceparent").unwrap();
        assert!(header.starts_with(&format!("00-{LATER}-")), "{header}");
    }
}

/// Runs something in the trace [`TRACE`], and replays it in the trace [`LATER`]. Returns the id of the first run.
async fn run_and_replay(
    (collector, user): (&TestCollector, &User),
    (path, body): (&str, &Value),
    replay_path: impl Fn(&str) -> String,
) {
    let request = user.request(Method::POST, path);
    let request = request.header("traceparent", &parent("01")).json(body);
    let run = request.send().await.ok();
    let first = collector.wait_for("run", 1).await.remove(0);
    assert!(is_in(&first, TRACE));
    post_later(user, &replay_path(run["id"].as_str().unwrap()), &json!({})).await;
    let runs = collector.wait_for("run", 2).await;
    let replay = collector.wait_for("replay", 1).await.remove(0);
    let again = runs.iter().find(|run| is_in(run, LATER)).expect("a run");
    assert!(is_child(again, &replay));
    assert_eq!(replay.links[0].span_id, first.span_id);
    let steps = collector.wait_for("step", 2).await;
    let step_of = |run: &Span| steps.iter().any(|step| is_child(step, run));
    assert!(step_of(&first) && step_of(again));
}

#[tokio::test]
async fn a_replayed_run_belongs_to_the_request() {
    let (collector, user) = traced().await;
    let code = r#"module.exports = { "run": { "return": 1 } }"#;
    let document = json!({ "name": "Orders", "steps": [{ "name": "only", "code": code }] });
    let body = json!({ "document": document.to_string() });
    let workflow = user.post("/workflows", &body).await.ok();
    let path = format!("/workflows/{}/run", workflow["id"].as_str().unwrap());
    let replay_path = |run: &str| format!("{path}s/{run}/replay");
    run_and_replay((&collector, &user), (&path, &json!({})), replay_path).await;
    replay(&collector, "POST /v1/workflows/{id}/runs/{run_id}/replay").await;
}

#[tokio::test]
async fn runs_of_an_action_belong_to_their_requests() {
    let (collector, user) = traced().await;
    let body = json!({ "component_code": ACTION });
    let replay_path = |run: &str| format!("/actions/runs/{run}/replay");
    run_and_replay((&collector, &user), ("/actions/run", &body), replay_path).await;
    let request = &collector.wait_for("POST /v1/actions/run", 1).await[0];
    let runs = collector.wait_for("run", 2).await;
    assert!(runs.iter().any(|run| is_child(run, request)));
    replay(&collector, "POST /v1/actions/runs/{run_id}/replay").await;
}

#[tokio::test]
async fn a_call_of_a_tool_belongs_to_the_request_of_the_agent() {
    let (collector, user) = traced().await;
    let parameters =
        json!({ "name": "sluice_run_action", "arguments": { "component_code": ACTION } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters });
    let request = user.root(Method::POST, "/mcp");
    let request = request
        .header("traceparent", &parent("01"))
        .header("authorization", &format!("Bearer {}", user.key()))
        .header("accept", "application/json, text/event-stream");
    request.json(&call).send().await.expect(200);
    let run = &collector.wait_for("run", 1).await[0];
    let request = &collector.wait_for("POST /mcp", 1).await[0];
    assert!(is_child(run, request));
}
