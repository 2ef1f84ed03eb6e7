//! Metrics of the export of spans.

use prometheus_client::{metrics::counter::Counter, registry::Registry};

#[derive(Clone, Default)]
pub struct SpanMetrics {
    pub(crate) exported: Counter,
    pub(crate) dropped: Counter,
    pub(crate) refused: Counter,
}

impl SpanMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "spans_exported",
            "Spans that the collector accepted from this server",
            self.exported.clone(),
        );
        registry.register(
            "spans_dropped",
            "Spans that this server dropped: the queue was full, or the collector did not accept them",
            self.dropped.clone(),
        );
        registry.register(
            "traces_refused",
            "Traces of clients that this server did not record: there were more in a second than the limit",
            self.refused.clone(),
        );
    }
}
