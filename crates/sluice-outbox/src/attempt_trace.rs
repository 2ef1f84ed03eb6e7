//! The trace of an attempt: its headers and its span.

use std::time::Duration;

use reqwest::{
    StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use sluice_model::TraceContext;
use sluice_traces::{Span, SpanKind, Traces};

const PARENT: HeaderName = HeaderName::from_static("traceparent");
const STATE: HeaderName = HeaderName::from_static("tracestate");

/// Empty for what belongs to no trace.
pub(crate) struct AttemptTrace<'a> {
    traces: &'a Traces,
    cause: Option<TraceContext>,
    context: Option<TraceContext>,
}

impl<'a> AttemptTrace<'a> {
    /// A new span, caused by the one that a row was stored with.
    pub(crate) fn begin(traces: &'a Traces, cause: Option<&TraceContext>) -> AttemptTrace<'a> {
        AttemptTrace {
            context: cause.map(|cause| traces.child(cause)),
            traces,
            cause: cause.cloned(),
        }
    }

    /// Passes the trace on to the receiver, unless the request names another one.
    pub(crate) fn set_headers(&self, headers: &mut HeaderMap) {
        let Some(context) = &self.context else { return };
        if headers.contains_key(PARENT) {
            return;
        }
        if let Ok(parent) = HeaderValue::from_str(context.parent()) {
            headers.insert(PARENT, parent);
        }
        if let Some(Ok(state)) = context.state().map(HeaderValue::from_str) {
            headers.insert(STATE, state);
        }
    }

    /// Records the span of the attempt. `describe` is called if it is recorded.
    pub(crate) fn end(
        self,
        name: &str,
        started_at: i64,
        duration: Duration,
        status: Option<StatusCode>,
        describe: impl FnOnce(Span) -> Span,
    ) {
        let Some(context) = &self.context else { return };
        if !self.traces.records(context) {
            return;
        }
        let kind = SpanKind::Client;
        let mut span = Span::new(
            context,
            self.cause.as_ref(),
            name,
            kind,
            started_at,
            duration,
        );
        if let Some(status) = status {
            span = span.with("http.response.status_code", status.as_u16());
        }
        self.traces.record(describe(span));
    }
}
