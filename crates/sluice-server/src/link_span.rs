//! The span of a request that this node passes on to another one, whose span of the request is its child.

use std::time::Instant;

use http::HeaderMap;
use sluice_infra::Infra;
use sluice_model::TraceContext;
use sluice_traces::{Span, SpanKind};

use crate::request_trace;

/// Empty for a request that belongs to no trace.
pub(crate) struct LinkSpan {
    cause: Option<TraceContext>,
    context: Option<TraceContext>,
    started_at: i64,
    started: Instant,
}

impl LinkSpan {
    pub(crate) fn begin(infra: &Infra, cause: Option<&TraceContext>) -> LinkSpan {
        LinkSpan {
            cause: cause.cloned(),
            context: cause.map(|cause| infra.traces.child(cause)),
            started_at: infra.now_ms(),
            started: Instant::now(),
        }
    }

    /// Passes the trace on. A client's own context is replaced, because the other node trusts the header.
    pub(crate) fn set_headers(&self, headers: &mut HeaderMap) {
        request_trace::set_headers(headers, self.context.as_ref());
    }

    /// Records the span.
    pub(crate) fn end(self, infra: &Infra, node: &str, error: Option<&reqwest::Error>) {
        let Some(context) = &self.context else { return };
        let (cause, kind, duration) = (
            self.cause.as_ref(),
            SpanKind::Client,
            self.started.elapsed(),
        );
        let span = Span::new(context, cause, "pass on", kind, self.started_at, duration)
            .with("sluice.node", node)
            .failed(error.map(ToString::to_string));
        infra.traces.record(span);
    }
}
