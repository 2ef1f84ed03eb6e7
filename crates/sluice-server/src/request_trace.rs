//! The trace of a request: the context of its client, and the span of the request itself.

use std::{convert::Infallible, net::IpAddr, time::Duration};

use axum::{body::Body, extract::FromRequestParts};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, request::Parts};
use sluice_infra::Infra;
use sluice_model::TraceContext;
use sluice_traces::{Origin, Span, SpanKind};

use crate::{auth, mcp_path, passed_on::PassedOn, state::ServerState, wrong_keys::ClientAddress};

/// Requests to other addresses, such as `/metrics` and the files of the console, begin no traces.
const API_PREFIX: &str = "/v1/";
const PARENT: &str = "traceparent";
const STATE: &str = "tracestate";

/// The span of the request, for the work that it causes. None when it belongs to no trace.
pub(crate) struct Cause(pub(crate) Option<TraceContext>);

impl<S: Sync> FromRequestParts<S> for Cause {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Cause(parts.extensions.get().cloned()))
    }
}

/// Empty for a request that belongs to no trace.
pub(crate) struct RequestTrace {
    cause: Option<TraceContext>,
    context: Option<TraceContext>,
    started_at: i64,
}

impl RequestTrace {
    pub(crate) fn begin(
        state: &ServerState,
        request: &Request<Body>,
        is_endpoint: bool,
        client_ip: IpAddr,
    ) -> RequestTrace {
        let infra = &state.infra;
        let cause = incoming(request.headers());
        let path = request.uri().path();
        let may_begin = is_endpoint || path.starts_with(API_PREFIX) || path == mcp_path::PATH;
        let is_passed_on = request.extensions().get::<PassedOn>().is_some();
        let context = match &cause {
            // The first node has decided whether it is recorded.
            Some(cause) if is_passed_on => Some(infra.traces.child(cause)),
            None if is_passed_on || !may_begin => None,
            cause => {
                let address = ClientAddress(client_ip);
                let is_client = || auth::has_known_key(request.headers(), state, address);
                let origin = match cause {
                    Some(_) if !is_endpoint && is_client() => Origin::Api,
                    _ => Origin::Public,
                };
                infra.traces.begin(origin, cause.as_ref())
            }
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

/// Names the context of this span in the headers of a request to another node, in place of the client's.
pub(crate) fn set_headers(headers: &mut HeaderMap, context: Option<&TraceContext>) {
    headers.remove(PARENT);
    headers.remove(STATE);
    let Some(context) = context else { return };
    if let Ok(parent) = HeaderValue::from_str(context.parent()) {
        headers.insert(PARENT, parent);
    }
    if let Some(Ok(state)) = context.state().map(HeaderValue::from_str) {
        headers.insert(STATE, state);
    }
}

/// The context that the client sent. Several parents are none.
fn incoming(headers: &HeaderMap) -> Option<TraceContext> {
    let mut parents = headers.get_all(PARENT).iter();
    let parent = parents.next()?.to_str().ok()?;
    if parents.next().is_some() {
        return None;
    }
    let states = headers.get_all(STATE).iter();
    let states: Vec<&str> = states.filter_map(|state| state.to_str().ok()).collect();
    TraceContext::from_headers(parent, &states.join(","))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn another_node_gets_the_context_of_this_one() {
        let mut headers = HeaderMap::new();
        headers.append(PARENT, HeaderValue::from_static("of the client"));
        headers.append(STATE, HeaderValue::from_static("of the client"));
        let context = TraceContext::root(1, 2, true);
        set_headers(&mut headers, Some(&context));
        assert_eq!(incoming(&headers), Some(context));
        assert_eq!(headers.len(), 1);
        set_headers(&mut headers, None);
        assert!(headers.is_empty());
    }
}
