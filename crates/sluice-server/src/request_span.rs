//! The span `request`, in which every request is handled and its response body sent.
//!
//! `path` is the template of the route, because paths of endpoints and callbacks hold secrets. Fields that are known later are
//! recorded by the functions here, on the span that is current.

use std::time::Duration;

use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use sluice_model::{EmitterId, InvocationId, UserId};
use tower_http::{
    classify::{ServerErrorsAsFailures, SharedClassifier},
    request_id::RequestId,
    trace::{MakeSpan, OnResponse, TraceLayer},
};
use tracing::{Span, field};

/// Traces requests. Errors are logged where their response is made, and not a second time as failures of the service.
pub(crate) type Layer =
    TraceLayer<SharedClassifier<ServerErrorsAsFailures>, NewSpan, (), RecordOutcome, (), (), ()>;

pub(crate) fn layer() -> Layer {
    TraceLayer::new_for_http()
        .make_span_with(NewSpan)
        .on_request(())
        .on_response(RecordOutcome)
        .on_body_chunk(())
        .on_eos(())
        .on_failure(())
}

#[derive(Clone, Copy)]
pub(crate) struct NewSpan;

impl<B> MakeSpan<B> for NewSpan {
    fn make_span(&mut self, request: &http::Request<B>) -> Span {
        let request_id = request.extensions().get::<RequestId>();
        let request_id = request_id.and_then(|id| id.header_value().to_str().ok());
        tracing::info_span!(
            "request",
            request_id,
            method = request.method().as_str(),
            path = field::Empty,
            user_id = field::Empty,
            emitter_id = field::Empty,
            invocation_id = field::Empty,
            status = field::Empty,
            latency_ms = field::Empty,
        )
    }
}

#[derive(Clone, Copy)]
pub(crate) struct RecordOutcome;

impl<B> OnResponse<B> for RecordOutcome {
    fn on_response(self, response: &http::Response<B>, latency: Duration, span: &Span) {
        // Only the line below shows these fields.
        if !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        let status = response.status().as_u16();
        let latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
        tracing::record_all!(span, status = status, latency_ms = latency_ms);
        tracing::debug!("request finished");
    }
}

/// Records the template of the route, such as `/v1/sources/{id}`.
pub(crate) async fn record_route(path: MatchedPath, request: Request, next: Next) -> Response {
    record_path(path.as_str());
    next.run(request).await
}

pub(crate) fn record_path(template: &str) {
    Span::current().record("path", template);
}

pub(crate) fn record_user(id: &UserId) {
    Span::current().record("user_id", id.as_str());
}

/// Records the emitter and the invocation of an accepted request.
pub(crate) fn record_accepted(emitter: &EmitterId, invocation: &InvocationId) {
    let span = Span::current();
    let (emitter_id, invocation_id) = (emitter.as_str(), invocation.as_str());
    tracing::record_all!(span, emitter_id = emitter_id, invocation_id = invocation_id);
}

pub(crate) fn record_invocation(id: &InvocationId) {
    Span::current().record("invocation_id", id.as_str());
}
