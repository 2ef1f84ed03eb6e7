//! A collector of OpenTelemetry in the process of its test.

use std::{sync::Arc, time::Duration};

use axum::{Router, body::Bytes, extract::State, http::StatusCode, routing::post};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::Span,
};
use parking_lot::Mutex;
use prost::Message;
use sluice_testkit::wait_for;

const PATIENCE: Duration = Duration::from_secs(30);

type Requests = Arc<Mutex<Vec<ExportTraceServiceRequest>>>;

pub(crate) struct TestCollector {
    pub(crate) url: String,
    requests: Requests,
}

impl TestCollector {
    pub(crate) async fn start() -> TestCollector {
        let requests = Requests::default();
        let router = Router::new()
            .route("/v1/traces", post(take))
            .with_state(Arc::clone(&requests));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        TestCollector { url, requests }
    }

    pub(crate) fn spans(&self) -> Vec<Span> {
        let requests = self.requests.lock();
        let resources = requests.iter().flat_map(|request| &request.resource_spans);
        let scopes = resources.flat_map(|resource| &resource.scope_spans);
        scopes
            .flat_map(|scope| scope.spans.iter().cloned())
            .collect()
    }

    /// Waits for so many spans with a name, and returns them.
    pub(crate) async fn wait_for(&self, name: &str, count: usize) -> Vec<Span> {
        wait_for(PATIENCE, &format!("{count} spans {name}"), async || {
            let mut spans = self.spans();
            spans.retain(|span| span.name == name);
            (spans.len() >= count).then_some(spans)
        })
        .await
    }

    /// An attribute of the server that sent the first request.
    pub(crate) fn resource(&self, name: &str) -> Option<String> {
        let requests = self.requests.lock();
        let resource = requests
            .first()?
            .resource_spans
            .first()?
            .resource
            .as_ref()?;
        text(&resource.attributes, name)
    }
}

async fn take(State(requests): State<Requests>, body: Bytes) -> StatusCode {
    match ExportTraceServiceRequest::decode(body) {
        Ok(request) => {
            requests.lock().push(request);
            StatusCode::OK
        }
        Err(_) => StatusCode::BAD_REQUEST,
    }
}

/// The text of an attribute.
pub(crate) fn text(attributes: &[KeyValue], name: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == name)?;
    match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        Value::IntValue(number) => Some(number.to_string()),
        _ => None,
    }
}
