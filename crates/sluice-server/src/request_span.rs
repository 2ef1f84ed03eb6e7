//! The span `request`, in which every request is handled. A stream does not hold it: its log lines name their subject.
//!
//! Requests to endpoints are many, and only failures of the server are logged for them. So they have a span from the start only
//! when details are logged; otherwise a failure makes it.
//!
//! `path` is the template of the route, because paths of endpoints and callbacks hold secrets. Fields that are known later are
//! recorded by the functions here, on the span that is current.

use std::{
    net::IpAddr,
    sync::OnceLock,
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
use tracing::{Span, field, level_filters::LevelFilter};

/// The template of all addresses of endpoints, in the form that every server has.
pub(crate) const ENDPOINT_PATH: &str = "/e/{key}";

/// The span of a request that is being handled.
pub(crate) struct RequestSpan {
    method: Method,
    request_id: HeaderValue,
    client_ip: IpAddr,
    is_endpoint: bool,
    span: OnceLock<Span>,
    started: Instant,
}

impl RequestSpan {
    pub(crate) fn new(
        method: &Method,
        request_id: &HeaderValue,
        client_ip: IpAddr,
        is_endpoint: bool,
    ) -> RequestSpan {
        RequestSpan {
            method: method.clone(),
            request_id: request_id.clone(),
            client_ip,
            is_endpoint,
            span: OnceLock::new(),
            started: Instant::now(),
        }
    }

    /// The span to handle the request in.
    pub(crate) fn current(&self) -> Span {
        if self.is_endpoint && LevelFilter::current() < LevelFilter::DEBUG {
            return Span::none();
        }
        self.span().clone()
    }

    /// Calls `log` in the span.
    pub(crate) fn in_scope<T>(&self, log: impl FnOnce() -> T) -> T {
        self.span().in_scope(log)
    }

    fn span(&self) -> &Span {
        self.span.get_or_init(|| {
            tracing::info_span!(
                "request",
                request_id = self.request_id.to_str().ok(),
                method = self.method.as_str(),
                client_ip = %self.client_ip,
                path = self.is_endpoint.then_some(ENDPOINT_PATH),
                user_id = field::Empty,
                emitter_id = field::Empty,
                invocation_id = field::Empty,
                status = field::Empty,
                latency_ms = field::Empty,
            )
        })
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
        tracing::record_all!(
            self.span(),
            status = status.as_u16(),
            latency_ms = latency_ms
        );
        self.in_scope(|| tracing::debug!("request finished"));
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
    // Only the line "request finished" shows these fields.
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let (Acceptance::Stored(invocation) | Acceptance::Waiting(invocation, _)) = acceptance;
    let span = Span::current();
    let (emitter_id, invocation_id) = (emitter.as_str(), invocation.as_str());
    tracing::record_all!(span, emitter_id = emitter_id, invocation_id = invocation_id);
}

pub(crate) fn record_invocation(id: &InvocationId) {
    Span::current().record("invocation_id", id.as_str());
}
