//! The trace of a request: the context of its client, and the span of the request itself.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, Method, Request, StatusCode};
use sluice_infra::Infra;
use sluice_model::TraceContext;
use sluice_traces::{Span, SpanKind};

/// Requests to other addresses, such as `/metrics` and the files of the console, begin no traces.
const API_PREFIX: &str = "/v1/";

/// Empty for a request that belongs to no trace.
pub(crate) struct RequestTrace {
    cause: Option<TraceContext>,
    context: Option<TraceContext>,
    started_at: i64,
}

impl RequestTrace {
    pub(crate) fn begin(infra: &Infra, request: &Request<Body>, is_endpoint: bool) -> RequestTrace {
        let cause = incoming(request.headers());
        let may_begin = is_endpoint || request.uri().path().starts_with(API_PREFIX);
        let context = if cause.is_some() || may_begin {
            infra.traces.begin(cause.as_ref())
        } else {
            None
        };
        RequestTrace {
            started_at: context.as_ref().map_or(0, |_| infra.now_ms()),
            cause,
            context,
        }
    }

    pub(crate) fn context(&self) -> Option<&TraceContext> {
        self.context.as_ref()
    }

    /// Records the span of the request.
    pub(crate) fn end(
        self,
        infra: &Infra,
        method: &Method,
        route: &str,
        status: StatusCode,
        duration: Duration,
    ) {
        let Some(context) = &self.context else { return };
        if !infra.traces.records(context) {
            return;
        }
        let error = status
            .is_server_error()
            .then(|| format!("the answer is {status}"));
        let (name, kind) = (format!("{method} {route}"), SpanKind::Server);
        let span = Span::new(
            context,
            self.cause.as_ref(),
            name,
            kind,
            self.started_at,
            duration,
        )
        .with("http.request.method", method.as_str())
        .with("http.route", route)
        .with("http.response.status_code", status.as_u16())
        .failed(error);
        infra.traces.record(span);
    }
}

/// The context that the client sent. Several parents are none.
fn incoming(headers: &HeaderMap) -> Option<TraceContext> {
    let mut parents = headers.get_all("traceparent").iter();
    let parent = parents.next()?.to_str().ok()?;
    if parents.next().is_some() {
        return None;
    }
    let states = headers.get_all("tracestate").iter();
    let states: Vec<&str> = states.filter_map(|state| state.to_str().ok()).collect();
    TraceContext::from_headers(parent, &states.join(","))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_context_of_the_client_is_read_from_its_headers() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let mut headers = HeaderMap::new();
        assert_eq!(incoming(&headers), None);
        headers.append("traceparent", HeaderValue::from_static(parent));
        headers.append("tracestate", HeaderValue::from_static("a=1"));
        headers.append("tracestate", HeaderValue::from_static("b=2"));
        let context = incoming(&headers).unwrap();
        assert_eq!(context.parent(), parent);
        assert_eq!(context.state(), Some("a=1,b=2"));
        headers.append("traceparent", HeaderValue::from_static(parent));
        assert_eq!(incoming(&headers), None);
    }
}
