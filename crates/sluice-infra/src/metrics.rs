//! Counters and gauges for Prometheus. They are values, not statics, so that one process can hold several servers.

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

use sluice_cluster::Cluster;
use sluice_traces::SpanMetrics;

use crate::{
    OptionalGauge,
    backlog_metrics::BacklogMetrics,
    cluster_metrics::{self, ClusterMetrics},
    permit_metrics::PermitMetrics,
    plain_text,
    request_metrics::RequestMetrics,
};

/// Seconds. 200 ms is the limit for an account whose processes do not all run.
const WAIT_BUCKETS: [f64; 7] = [0.001, 0.01, 0.05, 0.2, 1.0, 5.0, 30.0];

/// Seconds. Ticks are late from five seconds on.
const LATENESS_BUCKETS: [f64; 9] = [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: String,
    commit: String,
    date: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ResultLabel {
    pub result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct SkipLabel {
    /// `waiting`, `running` or `down`.
    pub reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct SendLabel {
    pub kind: &'static str,
    pub result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct TaskLabel {
    pub worker: &'static str,
}

pub struct Metrics {
    registry: Registry,
    build: Family<BuildLabels, Gauge>,
    pub requests: RequestMetrics,
    pub requests_accepted: Counter,
    pub invocations: Family<ResultLabel, Counter>,
    pub invocation_retries: Counter,
    pub invocation_seconds: Histogram,
    pub events: Counter,
    pub duplicates: Counter,
    pub timer_ticks: Counter,
    pub tick_lateness_seconds: Histogram,
    pub ticks_skipped: Family<SkipLabel, Counter>,
    pub commits: Family<ResultLabel, Counter>,
    pub processes: Gauge,
    pub warm_processes: Gauge,
    pub is_warm: Gauge,
    pub process_memory: Gauge,
    pub account_memory_max: Gauge,
    pub account_disk_max: Gauge,
    pub disk_full_accounts: Gauge,
    pub process_starts: Counter,
    pub process_joins: Counter,
    pub process_wait_seconds: Histogram,
    pub permits: PermitMetrics,
    pub live_sources: Gauge,
    pub live_workflows: Gauge,
    pub runs: Family<ResultLabel, Counter>,
    pub deliveries: Family<ResultLabel, Counter>,
    pub deliveries_failed: Counter,
    pub delivery_seconds: Histogram,
    pub sends: Family<SendLabel, Counter>,
    pub stream_readers: Gauge,
    pub worker_panics: Family<TaskLabel, Counter>,
    pub invocations_dropped: Counter,
    pub cluster: ClusterMetrics,
    pub backlogs: BacklogMetrics,
    pub spans: SpanMetrics,
    pub disk_free_bytes: OptionalGauge,
    pub disk_size_bytes: OptionalGauge,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// The metrics of a node, with its name.
    pub(crate) fn of(cluster: &Cluster) -> Metrics {
        let mut metrics = Metrics::new();
        cluster_metrics::register_node(&mut metrics.registry, cluster);
        metrics
    }

    pub fn new() -> Metrics {
        let metrics = Metrics {
            registry: Registry::with_prefix("sluice"),
            build: Family::default(),
            requests: RequestMetrics::default(),
            requests_accepted: Counter::default(),
            invocations: Family::default(),
            invocation_retries: Counter::default(),
            invocation_seconds: Histogram::new(exponential_buckets(0.001, 4.0, 9)),
            events: Counter::default(),
            duplicates: Counter::default(),
            timer_ticks: Counter::default(),
            tick_lateness_seconds: Histogram::new(LATENESS_BUCKETS),
            ticks_skipped: Family::default(),
            commits: Family::default(),
            processes: Gauge::default(),
            warm_processes: Gauge::default(),
            is_warm: Gauge::default(),
            process_memory: Gauge::default(),
            account_memory_max: Gauge::default(),
            account_disk_max: Gauge::default(),
            disk_full_accounts: Gauge::default(),
            process_starts: Counter::default(),
            process_joins: Counter::default(),
            process_wait_seconds: Histogram::new(WAIT_BUCKETS),
            permits: PermitMetrics::default(),
            live_sources: Gauge::default(),
            live_workflows: Gauge::default(),
            runs: Family::default(),
            deliveries: Family::default(),
            deliveries_failed: Counter::default(),
            delivery_seconds: Histogram::new(exponential_buckets(0.001, 4.0, 9)),
            sends: Family::default(),
            stream_readers: Gauge::default(),
            worker_panics: Family::default(),
            invocations_dropped: Counter::default(),
            cluster: ClusterMetrics::default(),
            backlogs: BacklogMetrics::default(),
            spans: SpanMetrics::default(),
            disk_free_bytes: OptionalGauge::default(),
            disk_size_bytes: OptionalGauge::default(),
        };
        metrics.registered()
    }

    fn registered(mut self) -> Metrics {
        let r = &mut self.registry;
        r.register(
            "invocations",
            "Invocations that this server committed, by result",
            self.invocations.clone(),
        );
        r.register(
            "invocation_retries",
            "Invocations that this server retried because their process died",
            self.invocation_retries.clone(),
        );
        r.register(
            "invocation_seconds",
            "Duration of the invocations of this server",
            self.invocation_seconds.clone(),
        );
        r.register(
            "events",
            "Events that this server committed",
            self.events.clone(),
        );
        r.register(
            "events_deduplicated",
            "Emitted events that this server dropped as duplicates",
            self.duplicates.clone(),
        );
        r.register(
            "commits",
            "Commits of outcomes by this server, by result",
            self.commits.clone(),
        );
        r.register(
            "processes",
            "Processes of this server that run a component",
            self.processes.clone(),
        );
        r.register(
            "warm_processes",
            "Processes of this server that wait for a component",
            self.warm_processes.clone(),
        );
        r.register(
            "warm",
            "1 when the pool of waiting processes of this server is full",
            self.is_warm.clone(),
        );
        r.register(
            "process_memory_bytes",
            "Memory of the component processes of this server",
            self.process_memory.clone(),
        );
        r.register(
            "process_starts",
            "Component processes that this server started",
            self.process_starts.clone(),
        );
        r.register(
            "process_joins",
            "Sources that this server started in a process that runs others",
            self.process_joins.clone(),
        );
        r.register(
            "live_sources",
            "Sources with work or a process on this server",
            self.live_sources.clone(),
        );
        r.register(
            "live_workflows",
            "Workflows with runs or a process on this server",
            self.live_workflows.clone(),
        );
        r.register(
            "runs",
            "Workflow runs of this server that ended or wait, by result",
            self.runs.clone(),
        );
        self.register_requests();
        self.register_timers();
        self.register_quotas();
        self.register_outgoing();
        self.cluster.register(&mut self.registry);
        self.backlogs.register(&mut self.registry);
        self.spans.register(&mut self.registry);
        self.register_disk();
        // Counters are visible before their first increment.
        for result in ["ok", "error"] {
            let _ = self.invocations.get_or_create(&ResultLabel { result });
            let _ = self.commits.get_or_create(&ResultLabel { result });
            let _ = self.deliveries.get_or_create(&ResultLabel { result });
            let _ = self.runs.get_or_create(&ResultLabel { result });
        }
        let _ = self
            .commits
            .get_or_create(&ResultLabel { result: "fenced" });
        self
    }

    fn register_requests(&mut self) {
        let r = &mut self.registry;
        r.register(
            "build_info",
            "Version, commit and date of the commit of this server's program",
            self.build.clone(),
        );
        self.requests.register(r);
        r.register(
            "requests_accepted",
            "Requests to endpoints that this server stored",
            self.requests_accepted.clone(),
        );
    }

    fn register_disk(&mut self) {
        let r = &mut self.registry;
        r.register(
            "disk_free_bytes",
            "Free space of the file system of this server's data folder",
            self.disk_free_bytes.clone(),
        );
        r.register(
            "disk_size_bytes",
            "Size of the file system of this server's data folder",
            self.disk_size_bytes.clone(),
        );
    }

    fn register_timers(&mut self) {
        let r = &mut self.registry;
        r.register(
            "timer_ticks",
            "Timer ticks of this server",
            self.timer_ticks.clone(),
        );
        r.register(
            "tick_lateness_seconds",
            "Time from the due time of a tick to its dispatch to a process of this server",
            self.tick_lateness_seconds.clone(),
        );
        r.register(
            "ticks_skipped",
            "Ticks of this server that never ran, by reason: the one before was still waiting or running, or the server was down",
            self.ticks_skipped.clone(),
        );
        for reason in ["waiting", "running", "down"] {
            let _ = self.ticks_skipped.get_or_create(&SkipLabel { reason });
        }
    }

    fn register_quotas(&mut self) {
        let r = &mut self.registry;
        self.permits.register(r);
        r.register(
            "account_memory_max_bytes",
            "Memory of the component processes on this server of the account that uses most",
            self.account_memory_max.clone(),
        );
        r.register(
            "account_disk_max_bytes",
            "Disk space of the account that uses most of those that this server measured, when there is a quota",
            self.account_disk_max.clone(),
        );
        r.register(
            "disk_full_accounts",
            "Accounts that have used their disk space, of those that this server measured",
            self.disk_full_accounts.clone(),
        );
        r.register(
            "process_wait_seconds",
            "Time that component processes of this server waited for a permit to start",
            self.process_wait_seconds.clone(),
        );
    }

    fn register_outgoing(&mut self) {
        let r = &mut self.registry;
        r.register(
            "deliveries",
            "Attempts of webhook deliveries by this server, by result",
            self.deliveries.clone(),
        );
        r.register(
            "deliveries_failed",
            "Deliveries of this server that used up their attempts",
            self.deliveries_failed.clone(),
        );
        r.register(
            "delivery_seconds",
            "Time from commit to delivery of the deliveries of this server",
            self.delivery_seconds.clone(),
        );
        r.register(
            "sends",
            "Attempts of workflow sends by this server, by kind and result",
            self.sends.clone(),
        );
        r.register(
            "stream_readers",
            "Readers of streams that are connected to this server",
            self.stream_readers.clone(),
        );
        r.register(
            "worker_panics",
            "Workers of this server that panicked and were restarted",
            self.worker_panics.clone(),
        );
        r.register(
            "invocations_dropped",
            "Invocations of this server whose effects the store rejected",
            self.invocations_dropped.clone(),
        );
    }

    /// Names the program.
    pub fn set_build(&self, version: &str, commit: &str, date: &str) {
        let labels = BuildLabels {
            version: version.to_owned(),
            commit: commit.to_owned(),
            date: date.to_owned(),
        };
        self.build.get_or_create(&labels).set(1);
    }

    /// All metrics in the format of OpenMetrics.
    pub fn open_metrics(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// All metrics in the text format of Prometheus.
    pub fn plain_text(&self) -> String {
        plain_text::from_open_metrics(&self.open_metrics())
    }
}
