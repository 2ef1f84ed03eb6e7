//! The settings of `sluice serve`, from flags and environment variables.

mod components;
mod control_group;
pub(crate) mod effective;
mod events;
mod isolation;
mod network;
mod oidc;
pub(crate) mod operator_email;
mod packages;
pub(crate) mod place;
mod quotas;
mod sends;
mod size;
mod tracing;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};
use sluice_infra::{OidcSettings, SettingDescription, Settings};

use self::{
    components::ComponentOptions,
    events::{EventOptions, WebhookOptions},
    network::NetworkOptions,
    oidc::OidcOptions,
    packages::PackageOptions,
    place::PlaceOptions,
    quotas::QuotaOptions,
    sends::SendOptions,
    size::bytes,
    tracing::TracingOptions,
};

#[derive(Args)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) network: NetworkOptions,
    #[command(flatten)]
    pub(crate) storage: StorageOptions,
    #[command(flatten)]
    pub(crate) cluster: ClusterOptions,
    #[command(flatten)]
    pub(crate) components: ComponentOptions,
    #[command(flatten)]
    pub(crate) packages: PackageOptions,
    #[command(flatten)]
    events: EventOptions,
    #[command(flatten)]
    webhooks: WebhookOptions,
    #[command(flatten)]
    sends: SendOptions,
    #[command(flatten)]
    pub(crate) quotas: QuotaOptions,
    #[command(flatten)]
    pub(crate) keys: KeyOptions,
    #[command(flatten)]
    pub(crate) oidc: OidcOptions,
    #[command(flatten)]
    pub(crate) logging: LoggingOptions,
    #[command(flatten)]
    pub(crate) tracing: TracingOptions,
}

#[derive(Args)]
#[command(next_help_heading = "Storage")]
pub(crate) struct StorageOptions {
    #[command(flatten)]
    pub(crate) place: PlaceOptions,
    /// Use this pooler in front of the database for transactions, such as PgBouncer in transaction mode
    #[arg(
        long,
        env = "SLUICE_DATABASE_POOLER_URL",
        hide_env_values = true,
        requires = "database_url",
        value_name = "URL"
    )]
    pub(crate) database_pooler_url: Option<String>,
    /// Maximum number of connections to PostgreSQL
    #[arg(
        long,
        env = "SLUICE_DATABASE_CONNECTIONS",
        default_value_t = 32,
        value_name = "COUNT"
    )]
    pub(crate) database_connections: usize,
    /// Time for which files of multipart requests are kept
    #[arg(long, env = "SLUICE_UPLOAD_LIFETIME", default_value = "30m", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) upload_lifetime: Duration,
}

impl StorageOptions {
    /// Whether other servers can use the database too.
    pub(crate) fn is_shared(&self) -> bool {
        self.place.database_url.is_some()
    }
}

#[derive(Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterOptions {
    /// Name of this server among those that use the same database [default: the name of the machine]
    #[arg(long, env = "SLUICE_NODE_NAME", value_name = "NAME")]
    node_name: Option<String>,
    /// Address for messages of the other servers on the same PostgreSQL, with any free port for port 0. They show a token that is
    /// derived from the data key of the database [default: the address from which it connects to PostgreSQL, with any free port]
    #[arg(long, env = "SLUICE_CLUSTER_LISTEN", value_name = "ADDRESS")]
    pub(crate) cluster_listen: Option<SocketAddr>,
    /// Host, or host and port, at which the other servers reach this one [default: the address at which it listens
    /// for them]
    #[arg(long, env = "SLUICE_CLUSTER_ADDRESS", value_name = "HOST")]
    pub(crate) cluster_address: Option<String>,
    /// Time after SIGTERM in which the server still takes requests while `/readyz` answers 503, so that a load balancer can
    /// choose another one
    #[arg(long, env = "SLUICE_DRAIN_GRACE", default_value = "0s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) drain_grace: Duration,
}

impl ClusterOptions {
    pub(crate) fn node_name(&self) -> String {
        self.node_name.clone().unwrap_or_else(|| {
            let machine = rustix::system::uname();
            machine.nodename().to_string_lossy().into_owned()
        })
    }
}

#[derive(Args)]
#[command(next_help_heading = "Users and keys")]
pub(crate) struct KeyOptions {
    /// Allow anyone who can reach the server to create an account with `sluice signup`
    #[arg(long, env = "SLUICE_ALLOW_SIGNUP")]
    pub(crate) allow_signup: bool,
    /// API key of the first user: 32 lower-case hexadecimal characters [default: generated]
    #[arg(
        long,
        env = "SLUICE_API_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    pub(crate) api_key: Option<String>,
    /// Email address of the first user, for `$.send.email`. Empty: do not ask for it [default: asked for in a terminal]
    #[arg(
        long,
        env = "SLUICE_OPERATOR_EMAIL",
        value_parser = operator_email::parse,
        value_name = "ADDRESS"
    )]
    pub(crate) operator_email: Option<String>,
    /// Key that encrypts secrets: 64 hexadecimal characters [default: from a file in the data folder]
    #[arg(
        long,
        env = "SLUICE_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    pub(crate) master_key: Option<String>,
}

#[derive(Args)]
#[command(next_help_heading = "Logging")]
pub(crate) struct LoggingOptions {
    /// Format of the log on standard error
    #[arg(long, env = "SLUICE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT")]
    pub(crate) log_format: LogFormat,
    /// Log level: error, warn, info, debug, trace, or directives such as `sluice_engine=debug`
    #[arg(long, env = "SLUICE_LOG", default_value = "info", value_name = "LEVEL")]
    pub(crate) log: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl ServeOptions {
    pub(crate) fn settings(
        &self,
        public_url: String,
        data_dir: PathBuf,
        told: Vec<SettingDescription>,
        oidc: Option<OidcSettings>,
    ) -> Settings {
        let ServeOptions {
            network,
            storage,
            components,
            events,
            webhooks,
            sends,
            quotas,
            keys,
            ..
        } = self;
        Settings {
            public_url,
            endpoint_domain: network.endpoint_domain.clone(),
            console_dir: network.console_dir.clone(),
            max_body: bytes(network.max_body),
            body_memory: bytes(network.body_memory),
            max_wrong_keys: network.max_wrong_keys,
            proxies: network.proxies(),
            max_connections: network.max_connections(),
            max_api_body: bytes(network.max_api_body),
            invocation_timeout: components.invocation_timeout,
            source_concurrency: components.source_concurrency.max(1),
            direct_from: components.direct_from(),
            max_processes: components.max_processes,
            max_processes_per_account: quotas.max_processes(components.max_processes),
            memory_budget: components.memory_budget(),
            max_disk_per_account: quotas.max_disk(),
            max_memory_per_account: quotas.max_memory(components.memory_budget()),
            idle_timeout: components.idle_timeout,
            max_attempts: components.max_attempts.max(1),
            max_event_depth: events.max_event_depth,
            max_db: bytes(components.max_db),
            max_data_store: bytes(components.max_data_store),
            max_data_store_value: bytes(components.max_data_store_value),
            event_retention: events.event_retention,
            event_max_age: events.event_max_age,
            log_retention: events.log_retention,
            log_max_age: events.log_max_age,
            run_retention: events.run_retention,
            run_max_age: events.run_max_age,
            audit_retention: events.audit_retention,
            allow_signup: keys.allow_signup,
            oidc,
            daily_invocations_quota: quotas.daily_invocations_quota,
            daily_compute_quota_ms: quotas.daily_compute_ms(),
            allow_private_network: network.allow_private_network,
            upload_lifetime: storage.upload_lifetime,
            data_dir,
            webhook_retries: webhooks.webhook_retries.clone(),
            webhook_timeout: webhooks.webhook_timeout,
            max_deliveries: webhooks.max_deliveries,
            delivery_retention: webhooks.delivery_retention,
            delivery_max_age: webhooks.delivery_max_age,
            sends: sends.settings(),
            max_streams: events.max_streams,
            described: told.into(),
        }
    }
}
