//! Infrastructure for tests in process: an SQLite database in a folder of its own, and a clock that the test moves.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use sluice_cluster::{Cluster, NodeDescription};
use sluice_model::{Clock, ManualClock};
use sluice_store::{Location, Store, StoreOptions, Vault};

use crate::{Ids, Infra, ProxySettings, SendSettings, Settings};

/// 2023-11-14T22:13:20Z
pub const NOW: i64 = 1_700_000_000_000;
const LONG: Duration = Duration::from_secs(30);

/// Opens a new database in `folder`. The clock stands at [`NOW`]. Each call has the next seed, so that two servers on one
/// database generate different ids.
pub fn infra(folder: &Path) -> (Infra, ManualClock) {
    let clock = ManualClock::new(NOW);
    let infra = infra_at(folder, Arc::new(clock.clone()), settings(folder));
    (infra, clock)
}

/// As [`infra`], with this clock and these settings.
pub fn infra_at(folder: &Path, clock: Arc<dyn Clock>, settings: Settings) -> Infra {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let location = Location::Sqlite(folder.join("sluice.db"));
    let store = Store::open(StoreOptions::new(location)).expect("the folder is writable");
    let ids = Ids::seeded(Arc::clone(&clock), SEED.fetch_add(1, Ordering::Relaxed));
    let node = NodeDescription {
        name: "test".to_owned(),
        address: None,
        public_url: settings.public_url.clone(),
        version: "0.0.0".to_owned(),
    };
    let cluster = Cluster::alone(&store, node, clock.now_ms());
    Infra::new(store, cluster, Vault::new([1; 32]), clock, ids, settings)
}

/// Limits that no test reaches by accident, without retries of deliveries and sends.
pub fn settings(folder: &Path) -> Settings {
    Settings {
        public_url: "http://127.0.0.1".to_owned(),
        endpoint_domain: None,
        console_dir: None,
        max_body: 1_000_000,
        body_memory: 100_000_000,
        max_wrong_keys: u32::MAX,
        proxies: ProxySettings::default(),
        max_connections: 10_000,
        max_api_body: 1_000_000,
        invocation_timeout: LONG,
        source_concurrency: 8,
        direct_from: Some(0),
        max_processes: 8,
        max_processes_per_account: 8,
        memory_budget: u64::MAX,
        max_memory_per_account: u64::MAX,
        max_disk_per_account: None,
        idle_timeout: LONG,
        max_attempts: 3,
        max_event_depth: 8,
        max_db: 1_000_000,
        max_data_store: 1_000_000,
        max_data_store_value: 1_000_000,
        event_retention: 1_000,
        event_max_age: None,
        log_retention: 1_000,
        log_max_age: None,
        run_retention: 1_000,
        run_max_age: LONG,
        audit_retention: Duration::from_hours(30 * 24),
        allow_signup: false,
        oidc: None,
        daily_invocations_quota: None,
        daily_compute_quota_ms: None,
        allow_private_network: true,
        upload_lifetime: LONG,
        data_dir: folder.to_owned(),
        webhook_retries: Vec::new(),
        webhook_timeout: LONG,
        max_deliveries: 8,
        delivery_retention: 1_000,
        delivery_max_age: LONG,
        sends: SendSettings {
            retries: Vec::new(),
            http_timeout: LONG,
            max_concurrent: 8,
            smtp: None,
            s3: None,
        },
        max_streams: 8,
        described: Arc::new([]),
    }
}
