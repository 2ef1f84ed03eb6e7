//! Traces: from the headers of a request, through sources that listen to each other, to the headers of a delivery and to a
//! collector.

use std::{collections::HashSet, fmt::Write};

use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::json;
use sluice_testkit::{
    Method,
    receiver::{Answer, Receiver},
    webhook::Webhook,
};

use crate::{
    collector::{TestCollector, text},
    server::{TestServer, User},
    support::{Deployed, EMITTER, deploy},
};

pub(crate) const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b7ad6b7169203331";
const STATE: &str = "vendor=1";

/// Emits its event.
const FORWARDER: &str = r#"module.exports = { "name": "Forwarder", "version": "0.0.1",
    "props": {}, "run": { "emit": "event" } };"#;

/// A source with an endpoint, a second one that listens to it, and a webhook that listens to that.
pub(crate) struct Chain {
    pub(crate) first: Deployed,
    pub(crate) second: Deployed,
    pub(crate) webhook: Webhook,
    pub(crate) receiver: Receiver,
}

impl Chain {
    pub(crate) async fn new(api: &User) -> Chain {
        let first = deploy(api, EMITTER).await;
        let second = deploy(api, FORWARDER).await;
        let subscription = json!({ "emitter_id": first.id, "listener_id": second.id });
        api.post("/subscriptions", &subscription).await.ok();
        let receiver = Receiver::start(|_| Answer::status(200));
        let url = json!({ "url": receiver.url("/hook") });
        let webhook = Webhook::create(api, &second.id, &url, "").await;
        Chain {
            first,
            second,
            webhook,
            receiver,
        }
    }

    pub(crate) async fn send(&self, parent: Option<&str>) {
        let api = &self.first.api;
        let mut request = api.absolute(Method::POST, self.first.endpoint());
        if let Some(parent) = parent {
            request = request
                .header("traceparent", parent)
                .header("tracestate", STATE);
        }
        let body = json!({ "emits": [[{ "n": 1 }]] });
        request.json(&body).send().await.expect(200);
    }
}

pub(crate) fn parent(flags: &str) -> String {
    format!("00-{TRACE}-{SPAN}-{flags}")
}

pub(crate) fn hex(id: &[u8]) -> String {
    let mut text = String::new();
    for byte in id {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn of(spans: &[Span], emitter: &str) -> Span {
    let is_of =
        |span: &&Span| text(&span.attributes, "sluice.emitter_id").as_deref() == Some(emitter);
    spans.iter().find(is_of).cloned().unwrap()
}

pub(crate) fn is_child(child: &Span, parent: &Span) -> bool {
    child.parent_span_id == parent.span_id && child.trace_id == parent.trace_id
}

#[tokio::test]
async fn a_request_is_one_trace_up_to_the_webhook() {
    let collector = TestCollector::start().await;
    let server = TestServer::traced(&collector.url, 0.0).await;
    let chain = Chain::new(&server.user().await).await;
    chain.send(Some(&parent("01"))).await;
    let deliveries = chain.receiver.wait_for(1).await;
    let sent = deliveries[0].header("traceparent").unwrap();
    assert!(sent.starts_with(&format!("00-{TRACE}-")), "{sent}");
    assert_eq!(deliveries[0].header("tracestate"), Some(STATE));

    let attempt = &collector.wait_for("delivery", 1).await[0];
    assert_eq!(sent, format!("00-{TRACE}-{}-01", hex(&attempt.span_id)));
    assert_eq!(attempt.trace_state, STATE);
    let request = &collector.wait_for("POST /e/{key}", 1).await[0];
    assert_eq!(hex(&request.parent_span_id), SPAN);
    let invocations = collector.wait_for("invocation", 2).await;
    let commits = collector.wait_for("commit", 2).await;
    let waits = collector.wait_for("inbox", 2).await;
    let (first, second) = (
        of(&invocations, &chain.first.id),
        of(&invocations, &chain.second.id),
    );
    assert!(is_child(&first, request) && is_child(&second, &first));
    assert!(is_child(attempt, &second));
    assert!(is_child(&of(&commits, &chain.first.id), &first));
    assert!(is_child(&of(&commits, &chain.second.id), &second));
    assert!(waits.iter().any(|wait| is_child(wait, request)));
    assert!(waits.iter().any(|wait| is_child(wait, &first)));

    let spans = collector.spans();
    let ids: HashSet<_> = spans.iter().map(|span| span.span_id.clone()).collect();
    assert_eq!(ids.len(), spans.len(), "each span has an id of its own");
    assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE));
    assert!(
        spans
            .iter()
            .all(|span| span.end_time_unix_nano >= span.start_time_unix_nano)
    );
    assert_eq!(collector.resource("service.name").as_deref(), Some("test"));
}

#[tokio::test]
async fn without_a_collector_the_context_is_passed_on_as_it_came() {
    let server = TestServer::start().await;
    let chain = Chain::new(&server.user().await).await;
    chain.send(Some(&parent("01"))).await;
    let deliveries = chain.receiver.wait_for(1).await;
    assert_eq!(
        deliveries[0].header("traceparent"),
        Some(parent("01").as_str())
    );
    assert_eq!(deliveries[0].header("tracestate"), Some(STATE));
    chain.send(None).await;
    let deliveries = chain.receiver.wait_for(2).await;
    assert_eq!(deliveries[1].header("traceparent"), None);
}

#[tokio::test]
async fn a_trace_that_is_not_sampled_is_passed_on_and_not_recorded() {
    let collector = TestCollector::start().await;
    let server = TestServer::traced(&collector.url, 0.0).await;
    let chain = Chain::new(&server.user().await).await;
    chain.send(Some(&parent("00"))).await;
    let deliveries = chain.receiver.wait_for(1).await;
    assert_eq!(
        deliveries[0].header("traceparent"),
        Some(parent("00").as_str())
    );
    chain.send(None).await;
    let deliveries = chain.receiver.wait_for(2).await;
    assert_eq!(deliveries[1].header("traceparent"), None);
    server.infra.traces.stop().await;
    assert_eq!(collector.spans(), Vec::new());
}

#[tokio::test]
async fn beyond_the_limit_the_trace_of_a_client_is_passed_on_and_not_recorded() {
    let collector = TestCollector::start().await;
    let server = TestServer::traced_up_to(0, &collector.url, 0.0).await;
    let chain = Chain::new(&server.user().await).await;
    chain.send(Some(&parent("01"))).await;
    let deliveries = chain.receiver.wait_for(1).await;
    assert_eq!(
        deliveries[0].header("traceparent"),
        Some(parent("00").as_str())
    );
    server.infra.traces.stop().await;
    assert_eq!(collector.spans(), Vec::new());
}

#[tokio::test]
async fn strangers_do_not_use_up_the_limit_of_api_clients() {
    let collector = TestCollector::start().await;
    let server = TestServer::traced_up_to(1, &collector.url, 0.0).await;
    let api = server.user().await;
    let chain = Chain::new(&api).await;
    for _ in 0..2 {
        chain.send(Some(&parent("01"))).await;
    }
    let request = api.request(Method::GET, "/workflows");
    let request = request.header("traceparent", &parent("01"));
    request.send().await.expect(200);
    collector.wait_for("GET /v1/workflows", 1).await;
}

#[tokio::test]
async fn a_request_without_a_context_begins_a_trace() {
    let collector = TestCollector::start().await;
    let server = TestServer::traced(&collector.url, 1.0).await;
    let api = server.user().await;
    let chain = Chain::new(&api).await;
    chain.send(None).await;
    chain.receiver.wait_for(1).await;
    let request = &collector.wait_for("POST /e/{key}", 1).await[0];
    assert_eq!(request.parent_span_id, Vec::<u8>::new());
    let attempt = &collector.wait_for("delivery", 1).await[0];
    assert_eq!(attempt.trace_id, request.trace_id);
    let created = &collector.wait_for("POST /v1/webhooks", 1).await[0];
    assert_ne!(created.trace_id, request.trace_id);
    let status = text(&created.attributes, "http.response.status_code");
    assert_eq!(status.as_deref(), Some("200"));
    api.root(Method::GET, "/livez").send().await.expect(200);
    server.infra.traces.stop().await;
    let is_livez = |span: &Span| span.name.contains("livez");
    assert!(!collector.spans().iter().any(is_livez));
}

#[tokio::test]
async fn a_manual_run_and_a_failed_invocation_are_recorded() {
    let collector = TestCollector::start().await;
    let server = TestServer::traced(&collector.url, 1.0).await;
    let source = deploy(&server.user().await, EMITTER).await;
    source.run(json!({ "emits": "no list" })).await;
    source.errors(1).await;
    let invocation = &collector.wait_for("invocation", 1).await[0];
    let status = invocation.status.as_ref().unwrap();
    assert!(!status.message.is_empty());
    let run = &collector.wait_for("POST /v1/sources/{id}/run", 1).await[0];
    assert!(is_child(invocation, run));
}
