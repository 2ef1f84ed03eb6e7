//! Counters and gauges for Prometheus. They live in the engine, not in statics, so that one process can
//! hold several servers.

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct StatusLabel {
    pub(crate) status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct ResultLabel {
    pub(crate) result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct SendLabel {
    pub(crate) kind: &'static str,
    pub(crate) result: &'static str,
}

pub struct Metrics {
    registry: Registry,
    api_requests: Family<StatusLabel, Counter>,
    pub(crate) requests_accepted: Counter,
    pub(crate) invocations: Family<ResultLabel, Counter>,
    pub(crate) invocation_retries: Counter,
    pub(crate) invocation_seconds: Histogram,
    pub(crate) events: Counter,
    pub(crate) duplicates: Counter,
    pub(crate) timer_ticks: Counter,
    pub(crate) commits: Family<ResultLabel, Counter>,
    pub(crate) processes: Gauge,
    pub(crate) warm_processes: Gauge,
    pub(crate) is_warm: Gauge,
    pub(crate) process_memory: Gauge,
    pub(crate) process_starts: Counter,
    pub(crate) live_sources: Gauge,
    pub(crate) live_workflows: Gauge,
    pub(crate) runs: Family<ResultLabel, Counter>,
    pub(crate) deliveries: Family<ResultLabel, Counter>,
    pub(crate) deliveries_failed: Counter,
    pub(crate) delivery_seconds: Histogram,
    pub(crate) sends: Family<SendLabel, Counter>,
    pub(crate) stream_readers: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let metrics = Metrics {
            registry: Registry::with_prefix("sluice"),
            api_requests: Family::default(),
            requests_accepted: Counter::default(),
            invocations: Family::default(),
            invocation_retries: Counter::default(),
            invocation_seconds: Histogram::new(exponential_buckets(0.001, 4.0, 9)),
            events: Counter::default(),
            duplicates: Counter::default(),
            timer_ticks: Counter::default(),
            commits: Family::default(),
            processes: Gauge::default(),
            warm_processes: Gauge::default(),
            is_warm: Gauge::default(),
            process_memory: Gauge::default(),
            process_starts: Counter::default(),
            live_sources: Gauge::default(),
            live_workflows: Gauge::default(),
            runs: Family::default(),
            deliveries: Family::default(),
            deliveries_failed: Counter::default(),
            delivery_seconds: Histogram::new(exponential_buckets(0.001, 4.0, 9)),
            sends: Family::default(),
            stream_readers: Gauge::default(),
        };
        metrics.registered()
    }

    fn registered(mut self) -> Metrics {
        let r = &mut self.registry;
        r.register(
            "api_requests",
            "Requests to the API, by status",
            self.api_requests.clone(),
        );
        r.register(
            "requests_accepted",
            "Requests to endpoints that were stored",
            self.requests_accepted.clone(),
        );
        r.register(
            "invocations",
            "Invocations that ended and were committed",
            self.invocations.clone(),
        );
        r.register(
            "invocation_retries",
            "Invocations run again because their process died",
            self.invocation_retries.clone(),
        );
        r.register(
            "invocation_seconds",
            "How long invocations took",
            self.invocation_seconds.clone(),
        );
        r.register("events", "Events committed", self.events.clone());
        r.register(
            "events_deduplicated",
            "Emitted events that dedupe held back",
            self.duplicates.clone(),
        );
        r.register("timer_ticks", "Ticks of timers", self.timer_ticks.clone());
        r.register(
            "commits",
            "Commits of outcomes, by result",
            self.commits.clone(),
        );
        r.register(
            "processes",
            "Component processes that are alive",
            self.processes.clone(),
        );
        r.register(
            "warm_processes",
            "Processes that wait for a component",
            self.warm_processes.clone(),
        );
        r.register(
            "warm",
            "1 when as many processes wait for a component as should",
            self.is_warm.clone(),
        );
        r.register(
            "process_memory_bytes",
            "Memory that component processes use, each on its own",
            self.process_memory.clone(),
        );
        r.register(
            "process_starts",
            "Component processes that were started",
            self.process_starts.clone(),
        );
        r.register(
            "live_sources",
            "Sources that have work or a process",
            self.live_sources.clone(),
        );
        r.register(
            "live_workflows",
            "Workflows that have runs or a process",
            self.live_workflows.clone(),
        );
        r.register(
            "runs",
            "Runs of workflows that ended or wait, by result",
            self.runs.clone(),
        );
        self.register_outgoing();
        // A counter that has not moved yet is still there to be scraped.
        for result in ["ok", "error"] {
            let _ = self.invocations.get_or_create(&ResultLabel { result });
            let _ = self.commits.get_or_create(&ResultLabel { result });
            let _ = self.deliveries.get_or_create(&ResultLabel { result });
            let _ = self.runs.get_or_create(&ResultLabel { result });
        }
        self
    }

    fn register_outgoing(&mut self) {
        let r = &mut self.registry;
        r.register(
            "deliveries",
            "Tries to deliver an event to a webhook, by result",
            self.deliveries.clone(),
        );
        r.register(
            "deliveries_failed",
            "Deliveries that were given up",
            self.deliveries_failed.clone(),
        );
        r.register(
            "delivery_seconds",
            "Time from the commit of an event to its delivery",
            self.delivery_seconds.clone(),
        );
        r.register(
            "sends",
            "Tries to do what workflows send, by kind and result",
            self.sends.clone(),
        );
        r.register(
            "stream_readers",
            "Readers of streams that are connected",
            self.stream_readers.clone(),
        );
    }

    pub fn count_api_request(&self, status: u16) {
        self.api_requests
            .get_or_create(&StatusLabel { status })
            .inc();
    }

    pub(crate) fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
