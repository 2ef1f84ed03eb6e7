//! The span of a replay. It belongs to the trace of the request that asked for it, and links to the traces of the first time.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_model::TraceContext;
use sluice_traces::{MAX_LINKS, Span, SpanKind};

/// Empty for a request that belongs to no trace.
pub(crate) struct ReplaySpan {
    cause: Option<TraceContext>,
    context: Option<TraceContext>,
    started_at: i64,
    is_recorded: bool,
    links: Vec<TraceContext>,
}

impl ReplaySpan {
    pub(crate) fn begin(infra: &Infra, cause: Option<TraceContext>) -> ReplaySpan {
        let context = cause.as_ref().map(|cause| infra.traces.child(cause));
        ReplaySpan {
            is_recorded: context
                .as_ref()
                .is_some_and(|context| infra.traces.records(context)),
            context,
            cause,
            started_at: infra.now_ms(),
            links: Vec::new(),
        }
    }

    /// The cause of the work that is replayed.
    pub(crate) fn context(&self) -> Option<&TraceContext> {
        self.context.as_ref()
    }

    /// Whether further links are of use.
    pub(crate) fn wants_links(&self) -> bool {
        self.is_recorded && self.links.len() < MAX_LINKS
    }

    /// Links to spans of the first time. Those beyond the maximum are dropped: a replay may concern millions.
    pub(crate) fn link(&mut self, originals: impl IntoIterator<Item = TraceContext>) {
        if self.is_recorded {
            let room = MAX_LINKS - self.links.len();
            self.links.extend(originals.into_iter().take(room));
        }
    }

    /// Records the replay of a subject, such as `run`.
    pub(crate) fn end(self, infra: &Infra, subject: &str) {
        let Some(context) = &self.context else { return };
        let duration = u64::try_from(infra.now_ms() - self.started_at).unwrap_or_default();
        let (cause, kind) = (self.cause.as_ref(), SpanKind::Internal);
        let duration = Duration::from_millis(duration);
        let span = Span::new(context, cause, "replay", kind, self.started_at, duration)
            .with("sluice.replayed", subject)
            .linked(self.links);
        infra.traces.record(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(is_recorded: bool) -> ReplaySpan {
        ReplaySpan {
            cause: None,
            context: Some(TraceContext::root(1, 2, is_recorded)),
            started_at: 0,
            is_recorded,
            links: Vec::new(),
        }
    }

    fn originals(count: u64) -> impl Iterator<Item = TraceContext> {
        (0..count).map(|number| TraceContext::root(7, number, true))
    }

    #[test]
    fn links_beyond_the_maximum_are_not_kept() {
        let mut span = span(true);
        span.link(originals(60));
        assert!(span.wants_links());
        span.link(originals(1_000_000));
        span.link(originals(1));
        assert_eq!(span.links.len(), MAX_LINKS);
        assert!(!span.wants_links());
    }

    #[test]
    fn a_span_that_is_not_recorded_has_no_links() {
        let mut span = span(false);
        assert!(!span.wants_links());
        span.link(originals(5));
        assert_eq!(span.links, []);
    }
}
