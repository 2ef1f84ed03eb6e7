//! The span of a replay. It belongs to the trace of the request that asked for it, and links to the traces of the first time.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_model::TraceContext;
use sluice_traces::{Span, SpanKind};

/// Empty for a request that belongs to no trace.
pub(crate) struct ReplaySpan {
    cause: Option<TraceContext>,
    context: Option<TraceContext>,
    started_at: i64,
}

impl ReplaySpan {
    pub(crate) fn begin(infra: &Infra, cause: Option<TraceContext>) -> ReplaySpan {
        ReplaySpan {
            context: cause.as_ref().map(|cause| infra.traces.child(cause)),
            cause,
            started_at: infra.now_ms(),
        }
    }

    /// The cause of the work that is replayed.
    pub(crate) fn context(&self) -> Option<&TraceContext> {
        self.context.as_ref()
    }

    /// Whether links are of use.
    pub(crate) fn is_recorded(&self, infra: &Infra) -> bool {
        let context = self.context.as_ref();
        context.is_some_and(|context| infra.traces.records(context))
    }

    /// Records the replay of a subject, such as `run`, with the spans of the first time.
    pub(crate) fn end(
        self,
        infra: &Infra,
        subject: &str,
        originals: impl IntoIterator<Item = TraceContext>,
    ) {
        let Some(context) = &self.context else { return };
        let duration = u64::try_from(infra.now_ms() - self.started_at).unwrap_or_default();
        let (cause, kind) = (self.cause.as_ref(), SpanKind::Internal);
        let duration = Duration::from_millis(duration);
        let span = Span::new(context, cause, "replay", kind, self.started_at, duration)
            .with("sluice.replayed", subject)
            .linked(originals);
        infra.traces.record(span);
    }
}
