//! Metrics of permits that users share. They have no label for the user, of which there may be many.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Default)]
pub struct PermitMetrics {
    held: Family<KindLabel, Gauge>,
    waiting: Family<KindLabel, Gauge>,
    account_max: Family<KindLabel, Gauge>,
    delayed: Family<KindLabel, Counter>,
}

/// The use of one kind of permits.
pub struct PermitCounts {
    pub held: usize,
    pub waiting: usize,
    /// The number held by the account that holds most.
    pub account_max: usize,
    /// Since the start of the server.
    pub delayed: u64,
}

impl PermitMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "permits_held",
            "Permits in use on this server, by kind",
            self.held.clone(),
        );
        registry.register(
            "permits_waiting",
            "Requests that wait for a permit of this server, by kind",
            self.waiting.clone(),
        );
        registry.register(
            "permits_account_max",
            "Permits of this server that the account with most of them has, by kind",
            self.account_max.clone(),
        );
        registry.register(
            "permits_delayed",
            "Permits that this server granted only after 200 ms, by kind",
            self.delayed.clone(),
        );
    }

    pub fn set(&self, kind: &'static str, counts: &PermitCounts) {
        let label = KindLabel { kind };
        let set = |family: &Family<KindLabel, Gauge>, count: usize| {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            family.get_or_create(&label).set(count);
        };
        set(&self.held, counts.held);
        set(&self.waiting, counts.waiting);
        set(&self.account_max, counts.account_max);
        let delayed = self.delayed.get_or_create(&label);
        delayed.inc_by(counts.delayed.saturating_sub(delayed.get()));
    }
}
