//! Infrastructure that every service shares: store, cluster, vault, clock, ids, settings, metrics and shutdown, and the two
//! mechanisms that every background task needs, backoff and supervision.

mod backlog_metrics;
mod backoff;
mod clock_watch;
mod cluster_metrics;
mod creation_times;
mod ids;
mod metrics;
mod oidc_settings;
mod optional_gauge;
mod permit_metrics;
mod plain_text;
mod request_metrics;
mod send_settings;
mod settings;
mod shutdown;
mod supervisor;
#[cfg(feature = "testing")]
pub mod testing;
mod time;

use std::sync::Arc;

use sluice_cluster::Cluster;
use sluice_model::Clock;
use sluice_store::{Store, Vault};
use sluice_traces::Traces;

pub use backlog_metrics::BacklogMetrics;
pub use backoff::Backoff;
pub use clock_watch::ClockWatch;
pub use cluster_metrics::ClusterMetrics;
pub use creation_times::CreationTimes;
pub use ids::Ids;
pub use metrics::{Metrics, ResultLabel, SendLabel, SkipLabel, TaskLabel};
pub use oidc_settings::OidcSettings;
pub use optional_gauge::OptionalGauge;
pub use permit_metrics::{PermitCounts, PermitMetrics};
pub use request_metrics::RequestMetrics;
pub use send_settings::{S3Settings, SendSettings, SmtpSettings};
pub use settings::{ForwardedHeader, ProxySettings, SettingDescription, Settings};
pub use shutdown::{Shutdown, ShuttingDown};
pub use supervisor::{Exit, Supervisor};
pub use time::{MS_PER_DAY, MS_PER_HOUR, compute_ms, millis, until};

/// One per server. Cheap to clone; all clones share the same parts.
#[derive(Clone)]
pub struct Infra {
    pub store: Store,
    pub cluster: Cluster,
    pub vault: Vault,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
    pub settings: Arc<Settings>,
    pub metrics: Arc<Metrics>,
    /// Records nothing until the server sets another one.
    pub traces: Traces,
    pub shutdown: Shutdown,
    /// The time of the start, in epoch milliseconds.
    pub started_at: i64,
    pub creations: CreationTimes,
}

impl Infra {
    pub fn new(
        store: Store,
        cluster: Cluster,
        vault: Vault,
        clock: Arc<dyn Clock>,
        ids: Ids,
        settings: Settings,
    ) -> Infra {
        Infra {
            started_at: clock.now_ms(),
            metrics: Arc::new(Metrics::of(&cluster)),
            traces: Traces::default(),
            store,
            cluster,
            vault,
            clock,
            ids,
            settings: Arc::new(settings),
            shutdown: Shutdown::default(),
            creations: CreationTimes::default(),
        }
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The time of something that is created now and appears in lists. No two are the same.
    pub fn creation_ms(&self) -> i64 {
        self.creations.next(self.now_ms())
    }
}
