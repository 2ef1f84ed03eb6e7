//! Metrics of the whole database: backlogs, failing webhooks and its size. One node reads and reports them for all.

use prometheus_client::{encoding::EncodeLabelSet, metrics::family::Family, registry::Registry};

use crate::OptionalGauge;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabel {
    queue: &'static str,
}

#[derive(Default)]
pub struct BacklogMetrics {
    items: Family<QueueLabel, OptionalGauge>,
    oldest_seconds: Family<QueueLabel, OptionalGauge>,
    pub webhooks_failing: OptionalGauge,
    pub webhooks_paused: OptionalGauge,
    pub database_bytes: OptionalGauge,
    /// The last time at which all of this was read.
    pub read_at_seconds: OptionalGauge,
}

impl BacklogMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "backlog",
            "Items that wait, at most 1000000, by queue. Of the whole database, reported by one server",
            self.items.clone(),
        );
        registry.register(
            "backlog_oldest_seconds",
            "Time for which the oldest item that is due waits, by queue. Of the whole database, reported by one server",
            self.oldest_seconds.clone(),
        );
        registry.register(
            "backlog_read_timestamp_seconds",
            "When the backlogs were last read. Reported by the server that reads them",
            self.read_at_seconds.clone(),
        );
        registry.register(
            "webhooks_failing",
            "Active webhooks whose last attempt failed. Of the whole database, reported by one server",
            self.webhooks_failing.clone(),
        );
        registry.register(
            "webhooks_paused",
            "Failing webhooks that a circuit breaker pauses. Of the whole database, reported by one server",
            self.webhooks_paused.clone(),
        );
        registry.register(
            "database_size_bytes",
            "Size of the database. Of the whole database, reported by one server",
            self.database_bytes.clone(),
        );
    }

    /// `oldest_seconds` is zero when nothing is due.
    pub fn set(&self, queue: &'static str, items: f64, oldest_seconds: f64) {
        let label = QueueLabel { queue };
        self.items.get_or_create(&label).set(Some(items));
        self.oldest_seconds
            .get_or_create(&label)
            .set(Some(oldest_seconds));
    }

    /// Reports nothing from now on: another node does.
    pub fn clear(&self) {
        self.items.clear();
        self.oldest_seconds.clear();
        for gauge in [
            &self.webhooks_failing,
            &self.webhooks_paused,
            &self.database_bytes,
            &self.read_at_seconds,
        ] {
            gauge.set(None);
        }
    }
}
