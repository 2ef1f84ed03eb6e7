//! The span `request`, in which every request is handled. A stream does not hold it: its log lines name their subject.
//!
//! `path` is the template of the route, because paths of endpoints and callbacks hold secrets. Fields that are known later are
//! recorded by the functions here, on the span that is current.

use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use http::{HeaderValue, Method, StatusCode};
use sluice_engine::accept::Acceptance;
use sluice_model::{EmitterId, InvocationId, UserId};
use tracing::{Span, field};

/// The span of a request that is being handled.
pub(crate) struct RequestSpan {
    span: Span,
    started: Instant,
}

impl RequestSpan {
    pub(crate) fn new(method: &Method, request_id: &HeaderValue, client_ip: IpAddr) -> RequestSpan {
        let span = tracing::info_span!(
            "request",
            request_id = request_id.to_str().ok(),
            method = method.as_str(),
            client_ip = %client_ip,
            path = field::Empty,
            user_id = field::Empty,
            emitter_id = field::Empty,
            invocation_id = field::Empty,
            status = field::Empty,
            latency_ms = field::Empty,
        );
        RequestSpan {
            span,
            started: Instant::now(),
        }
    }

    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// The time since the request arrived.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn finish(self, status: StatusCode) {
        // Only the line below shows these fields.
        if !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        let latency_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::record_all!(self.span, status = status.as_u16(), latency_ms = latency_ms);
        self.span.in_scope(|| tracing::debug!("request finished"));
    }
}

/// The template of the route of a request, which its response carries to the metrics.
#[derive(Clone)]
pub(crate) enum Route {
    Matched(MatchedPath),
    Fixed(&'static str),
}

impl Route {
    pub(crate) fn template(&self) -> &str {
        match self {
            Route::Matched(path) => path.as_str(),
            Route::Fixed(path) => path,
        }
    }
}

/// Records the template of the route, such as `/v1/sources/{id}`, also on the response.
pub(crate) async fn record_route(path: MatchedPath, request: Request, next: Next) -> Response {
    record_path(path.as_str());
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Route::Matched(path));
    response
}

pub(crate) fn record_path(template: &str) {
    Span::current().record("path", template);
}

pub(crate) fn record_user(id: &UserId) {
    Span::current().record("user_id", id.as_str());
}

/// Records the emitter and the invocation of an accepted request.
pub(crate) fn record_accepted(emitter: &EmitterId, acceptance: &Acceptance) {
    let invocation = match acceptance {
        // The response follows at once, and only the line "request finished" shows these fields.
        Acceptance::Stored(_) if !tracing::enabled!(tracing::Level::DEBUG) => return,
        Acceptance::Stored(invocation) | Acceptance::Waiting(invocation, _) => invocation,
    };
    let span = Span::current();
    let (emitter_id, invocation_id) = (emitter.as_str(), invocation.as_str());
    tracing::record_all!(span, emitter_id = emitter_id, invocation_id = invocation_id);
}

pub(crate) fn record_invocation(id: &InvocationId) {
    Span::current().record("invocation_id", id.as_str());
}
