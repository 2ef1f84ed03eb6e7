//! The operator's settings. Every limit of the server is one of them.

use std::{path::PathBuf, sync::Arc, time::Duration};

use ipnet::IpNet;

use crate::{oidc_settings::OidcSettings, send_settings::SendSettings};

#[derive(Debug, Clone)]
pub struct Settings {
    /// The address that clients use for this server, without a trailing slash.
    pub public_url: String,
    /// With it, endpoints are `{key}.{domain}` instead of `{public_url}/e/{key}`.
    pub endpoint_domain: Option<String>,
    /// Serve the console from this folder instead of the files in the binary.
    pub console_dir: Option<PathBuf>,
    /// Largest request body of an endpoint, in bytes.
    pub max_body: usize,
    /// Open connections of clients.
    pub max_connections: usize,
    /// Wrong API keys of one address before it has to wait.
    pub max_wrong_keys: u32,
    pub proxies: ProxySettings,
    /// Memory for the bodies of all requests in progress, in bytes.
    pub body_memory: usize,
    /// Largest request body of the API, in bytes.
    pub max_api_body: usize,
    pub invocation_timeout: Duration,
    /// Concurrent invocations of one source.
    pub source_concurrency: usize,
    /// A source with so many requests in progress runs further ones before they are stored; `None`: never.
    pub direct_from: Option<usize>,
    /// Component processes alive at once.
    pub max_processes: usize,
    /// Of those, processes of one user.
    pub max_processes_per_account: usize,
    /// Memory of all component processes, in bytes. Above it, idle processes are stopped.
    pub memory_budget: u64,
    /// Memory of the component processes of one user, in bytes. Above it, its idle processes are stopped and no more started.
    pub max_memory_per_account: u64,
    /// Disk space of one user, in bytes: data stores, `$.service.db`, events and packages.
    pub max_disk_per_account: Option<u64>,
    /// A process without work is stopped after this.
    pub idle_timeout: Duration,
    /// Attempts for an invocation whose process dies.
    pub max_attempts: u32,
    /// Longest chain of events that cause one another.
    pub max_event_depth: u32,
    /// Largest `$.service.db` of a source.
    pub max_db: usize,
    /// Largest data store.
    pub max_data_store: usize,
    /// Largest value in a data store.
    pub max_data_store_value: usize,
    /// Events kept for each source without a retention of its own.
    pub event_retention: u64,
    /// Age after which they are deleted.
    pub event_max_age: Option<Duration>,
    pub log_retention: u64,
    pub log_max_age: Option<Duration>,
    /// Runs kept for each workflow. Unfinished runs are always kept.
    pub run_retention: u64,
    /// Age after which finished runs are deleted.
    pub run_max_age: Duration,
    /// Age after which entries of the audit log are deleted.
    pub audit_retention: Duration,
    /// Whether anyone may sign up.
    pub allow_signup: bool,
    /// Sign-in with OpenID Connect is disabled without it.
    pub oidc: Option<OidcSettings>,
    /// For users of the free plan; `None` is no limit.
    pub daily_invocations_quota: Option<u64>,
    pub daily_compute_quota_ms: Option<u64>,
    /// Whether `component_url` and webhooks may point at private addresses.
    pub allow_private_network: bool,
    /// Time for which uploaded files can be downloaded.
    pub upload_lifetime: Duration,
    /// Folder for files that outlive the process, such as the delivery journal.
    pub data_dir: PathBuf,
    /// Pauses between the attempts of a delivery, one for each retry.
    pub webhook_retries: Vec<Duration>,
    /// Timeout of one attempt, including the response.
    pub webhook_timeout: Duration,
    /// Concurrent delivery attempts.
    pub max_deliveries: usize,
    /// Finished deliveries kept for each webhook.
    pub delivery_retention: u64,
    /// Age after which finished deliveries are deleted.
    pub delivery_max_age: Duration,
    pub sends: SendSettings,
    /// Concurrent stream readers.
    pub max_streams: usize,
    /// All settings as `sluice serve --help` names them, without secrets.
    pub described: Arc<[SettingDescription]>,
}

/// The proxies in front of the server.
#[derive(Debug, Clone, Default)]
pub struct ProxySettings {
    pub trusted: Vec<IpNet>,
    /// The header to which they append the address of their client.
    pub header: ForwardedHeader,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ForwardedHeader {
    #[default]
    XForwardedFor,
    /// RFC 7239.
    Forwarded,
}

/// One setting as `sluice serve --help` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingDescription {
    /// The flag.
    pub name: String,
    /// None when it is not set.
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
