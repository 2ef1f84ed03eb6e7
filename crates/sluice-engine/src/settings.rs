//! What an operator may set; every limit of the engine is here.

use std::{path::PathBuf, sync::Arc, time::Duration};

use crate::sends::SendSettings;

#[derive(Debug, Clone)]
pub struct Settings {
    /// Where clients reach this server, without a trailing slash.
    pub public_url: String,
    /// With it, endpoints are `{key}.{domain}` instead of `{public_url}/e/{key}`.
    pub endpoint_domain: Option<String>,
    /// Serve the console from this folder, in place of the one in the program.
    pub console_dir: Option<PathBuf>,
    /// Largest body an endpoint takes.
    pub max_body: usize,
    /// Largest body the API takes.
    pub max_api_body: usize,
    pub invocation_timeout: Duration,
    /// Invocations of one source that may run at once.
    pub source_concurrency: usize,
    /// Component processes that may live at once.
    pub max_processes: usize,
    /// Bytes of memory that component processes may use together before idle ones are stopped.
    pub memory_budget: u64,
    /// A process without work is stopped after this.
    pub idle_timeout: Duration,
    /// Tries for an invocation whose process dies under it.
    pub max_attempts: u32,
    /// How many events in a row may lead to one another from source to source.
    pub max_event_depth: u32,
    /// Largest `$.service.db` of a source.
    pub max_db: usize,
    /// Largest data store.
    pub max_data_store: usize,
    /// Largest value in a data store.
    pub max_data_store_value: usize,
    /// Events that are kept for each source, unless it says otherwise.
    pub event_retention: u64,
    /// How long they are kept, unless their source says otherwise.
    pub event_max_age: Option<Duration>,
    pub log_retention: u64,
    pub log_max_age: Option<Duration>,
    /// Runs that are kept for each workflow; those that are not over stay in any case.
    pub run_retention: u64,
    /// How long they are kept.
    pub run_max_age: Duration,
    /// Whether anyone may make an account.
    pub allow_signup: bool,
    /// For users of the free plan; `None` is no limit.
    pub daily_invocations_quota: Option<u64>,
    pub daily_compute_quota_ms: Option<u64>,
    /// Whether `component_url` and webhooks may point at private addresses.
    pub allow_private_network: bool,
    /// How long uploaded files can be fetched by their address.
    pub upload_lifetime: Duration,
    /// Folder for what must outlive the process and is not in the database.
    pub data_dir: PathBuf,
    /// Pauses between the tries of a delivery; as many as there are retries.
    pub webhook_retries: Vec<Duration>,
    /// For one try, with the answer.
    pub webhook_timeout: Duration,
    /// Tries of deliveries that may be under way at once.
    pub max_deliveries: usize,
    /// Finished deliveries kept for each webhook.
    pub delivery_retention: u64,
    /// And how long.
    pub delivery_max_age: Duration,
    pub sends: SendSettings,
    /// Readers of streams that may be connected at once.
    pub max_streams: usize,
    /// All settings of the server as the operator knows them, without secrets.
    pub told: Arc<[ToldSetting]>,
}

/// A setting in the words of `sluice serve --help`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldSetting {
    /// The flag.
    pub name: String,
    /// What holds; none when it is not set.
    pub value: Option<String>,
    pub help: String,
}

impl Settings {
    /// The address of an endpoint.
    pub fn endpoint_url(&self, key: &sluice_model::EndpointKey) -> String {
        let key = key.as_str();
        match &self.endpoint_domain {
            Some(domain) => {
                let scheme = self.public_url.split("://").next().unwrap_or("http");
                format!("{scheme}://{key}.{domain}")
            }
            None => format!("{}/e/{key}", self.public_url),
        }
    }
}
