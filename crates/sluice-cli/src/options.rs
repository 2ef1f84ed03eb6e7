//! What `sluice serve` takes, from flags and environment variables.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::Context;
use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use sluice_engine::Settings;
use sluice_runtime::{EgressProxy, Exceptions, Limits, Network, PrivateNetworks, own_addresses};

#[derive(Args)]
pub(crate) struct ServeOptions {
    /// Address to listen on
    #[arg(
        long,
        env = "SLUICE_LISTEN",
        default_value = "127.0.0.1:3000",
        value_name = "ADDRESS",
        help_heading = "Network"
    )]
    pub(crate) listen: String,
    /// Folder for the database, the master key and what components need while they run
    #[arg(
        long,
        env = "SLUICE_DATA_DIR",
        default_value = "sluice-data",
        value_name = "FOLDER",
        help_heading = "Storage"
    )]
    pub(crate) data_dir: PathBuf,
    /// PostgreSQL to use instead of the SQLite file in the data folder, such as `postgres://user@host/db`
    #[arg(
        long,
        env = "SLUICE_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL",
        help_heading = "Storage"
    )]
    pub(crate) database_url: Option<String>,
    /// Connections to PostgreSQL
    #[arg(
        long,
        env = "SLUICE_DATABASE_CONNECTIONS",
        default_value_t = 8,
        value_name = "COUNT",
        help_heading = "Storage"
    )]
    pub(crate) database_connections: usize,
    /// Where clients reach this server [default: http:// and the address it listens on]
    #[arg(
        long,
        env = "SLUICE_PUBLIC_URL",
        value_name = "URL",
        help_heading = "Network"
    )]
    pub(crate) public_url: Option<String>,
    /// Give each endpoint a host name of its own below this domain, instead of a path
    #[arg(
        long,
        env = "SLUICE_ENDPOINT_DOMAIN",
        value_name = "DOMAIN",
        help_heading = "Network"
    )]
    pub(crate) endpoint_domain: Option<String>,
    /// Let components, `component_url` and webhooks reach private, loopback and link-local addresses
    #[arg(long, env = "SLUICE_ALLOW_PRIVATE_NETWORK", help_heading = "Network")]
    pub(crate) allow_private_network: bool,
    /// Addresses that components may reach although they are private, such as `10.1.0.0/16`, `10.2.0.7` or
    /// `db.internal`; names are looked up when the server starts, and all ports of a host
    /// are opened, whichever is named
    #[arg(
        long,
        env = "SLUICE_ALLOW_NETWORK",
        value_delimiter = ',',
        value_name = "ADDRESS",
        help_heading = "Network"
    )]
    pub(crate) allow_network: Vec<String>,
    /// Let components use IPv6, of which private addresses are then not refused
    #[arg(long, env = "SLUICE_ALLOW_IPV6", help_heading = "Network")]
    pub(crate) allow_ipv6: bool,
    /// HTTP proxy that all traffic of components goes through, such as `http://user:password@proxy:3128`; components can
    /// see it, other connections of theirs are refused, and names are looked up by the proxy
    #[arg(
        long,
        env = "SLUICE_EGRESS_PROXY",
        hide_env_values = true,
        value_name = "URL",
        help_heading = "Network"
    )]
    pub(crate) egress_proxy: Option<String>,
    /// Certificates, as PEM, that components trust beside the public ones, for an egress proxy that opens TLS
    #[arg(
        long,
        env = "SLUICE_EGRESS_CA",
        value_name = "FILE",
        requires = "egress_proxy",
        help_heading = "Network"
    )]
    pub(crate) egress_ca: Option<PathBuf>,
    /// Largest body an endpoint accepts
    #[arg(
        long,
        env = "SLUICE_MAX_BODY",
        default_value = "10MiB",
        value_name = "SIZE",
        help_heading = "Network"
    )]
    pub(crate) max_body: ByteSize,
    /// Largest body the API accepts
    #[arg(
        long,
        env = "SLUICE_MAX_API_BODY",
        default_value = "10MiB",
        value_name = "SIZE",
        help_heading = "Network"
    )]
    pub(crate) max_api_body: ByteSize,
    /// Time one invocation may take
    #[arg(long, env = "SLUICE_INVOCATION_TIMEOUT", default_value = "30s", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Components")]
    pub(crate) invocation_timeout: Duration,
    /// Time a component may take to load
    #[arg(long, env = "SLUICE_LOAD_TIMEOUT", default_value = "15s", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Components")]
    pub(crate) load_timeout: Duration,
    /// JavaScript heap of a component process
    #[arg(
        long,
        env = "SLUICE_HEAP",
        default_value = "256MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) heap: ByteSize,
    /// All memory of a component process, its heap and everything else
    #[arg(
        long,
        env = "SLUICE_MAX_MEMORY",
        default_value = "512MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_memory: ByteSize,
    /// All temporary files of a component process
    #[arg(
        long,
        env = "SLUICE_MAX_TMP",
        default_value = "512MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_tmp: ByteSize,
    /// Largest event a component may emit
    #[arg(
        long,
        env = "SLUICE_MAX_EMIT",
        default_value = "1MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_emit: ByteSize,
    /// All events one invocation may emit together
    #[arg(
        long,
        env = "SLUICE_MAX_EMITS",
        default_value = "64MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_emits: ByteSize,
    /// All that one invocation may log
    #[arg(
        long,
        env = "SLUICE_MAX_LOG",
        default_value = "256KiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_log: ByteSize,
    /// All that one source may keep in its `$.service.db`
    #[arg(
        long,
        env = "SLUICE_MAX_DB",
        default_value = "16MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_db: ByteSize,
    /// All that one data store may hold
    #[arg(
        long,
        env = "SLUICE_MAX_DATA_STORE",
        default_value = "64MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_data_store: ByteSize,
    /// Largest value in a data store
    #[arg(
        long,
        env = "SLUICE_MAX_DATA_STORE_VALUE",
        default_value = "1MiB",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) max_data_store_value: ByteSize,
    /// Invocations of one source that may run at once
    #[arg(
        long,
        env = "SLUICE_SOURCE_CONCURRENCY",
        default_value_t = 128,
        value_name = "COUNT",
        help_heading = "Components"
    )]
    pub(crate) source_concurrency: usize,
    /// Component processes that may live at once
    #[arg(
        long,
        env = "SLUICE_MAX_PROCESSES",
        default_value_t = 200,
        value_name = "COUNT",
        help_heading = "Components"
    )]
    pub(crate) max_processes: usize,
    /// Memory that component processes may use together before idle ones are stopped, the longest idle first
    /// [default: half of the machine's]
    #[arg(
        long,
        env = "SLUICE_MEMORY_BUDGET",
        value_name = "SIZE",
        help_heading = "Components"
    )]
    pub(crate) memory_budget: Option<ByteSize>,
    /// Stop a component process that has had no work for this long
    #[arg(long, env = "SLUICE_IDLE_TIMEOUT", default_value = "60s", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Components")]
    pub(crate) idle_timeout: Duration,
    /// Empty component processes kept ready, so that a source's first event does not wait for one to start; one more is kept
    /// with the npm packages that were needed last
    #[arg(
        long,
        env = "SLUICE_WARM_PROCESSES",
        default_value_t = 2,
        value_name = "COUNT",
        help_heading = "Components"
    )]
    pub(crate) warm_processes: usize,
    /// How long fetching the npm packages of a component may take
    #[arg(long, env = "SLUICE_PACKAGE_TIMEOUT", default_value = "5m", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Components")]
    pub(crate) package_timeout: Duration,
    /// Tries for an invocation whose process dies under it
    #[arg(
        long,
        env = "SLUICE_MAX_ATTEMPTS",
        default_value_t = 3,
        value_name = "COUNT",
        help_heading = "Components"
    )]
    pub(crate) max_attempts: u32,
    /// Events that may lead to one another in a row, from source to source, before they are stopped
    #[arg(
        long,
        env = "SLUICE_MAX_EVENT_DEPTH",
        default_value_t = 10,
        value_name = "COUNT",
        help_heading = "Events"
    )]
    pub(crate) max_event_depth: u32,
    /// Events kept for each source that does not say otherwise
    #[arg(
        long,
        env = "SLUICE_EVENT_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT",
        help_heading = "Storage"
    )]
    pub(crate) event_retention: u64,
    /// How long events are kept for each source, such as 30d [default: as long as --event-retention allows]
    #[arg(long, env = "SLUICE_EVENT_MAX_AGE", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Storage")]
    pub(crate) event_max_age: Option<Duration>,
    /// Log lines kept for each source
    #[arg(
        long,
        env = "SLUICE_LOG_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT",
        help_heading = "Storage"
    )]
    pub(crate) log_retention: u64,
    /// How long log lines are kept for each source, such as 7d [default: as long as --log-retention allows]
    #[arg(long, env = "SLUICE_LOG_MAX_AGE", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Storage")]
    pub(crate) log_max_age: Option<Duration>,
    /// How long the files of multipart requests can be fetched
    #[arg(long, env = "SLUICE_UPLOAD_LIFETIME", default_value = "30m", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Storage")]
    pub(crate) upload_lifetime: Duration,
    /// Pauses after which a delivery that failed is tried again, each up to a fifth longer; then it is given up
    #[arg(long, env = "SLUICE_WEBHOOK_RETRIES", default_value = "5s,30s,5m,30m,2h,5h,10h", value_delimiter = ',', value_parser = humantime::parse_duration, value_name = "TIMES", help_heading = "Webhooks")]
    pub(crate) webhook_retries: Vec<Duration>,
    /// Time a webhook may take to answer a delivery
    #[arg(long, env = "SLUICE_WEBHOOK_TIMEOUT", default_value = "15s", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Webhooks")]
    pub(crate) webhook_timeout: Duration,
    /// Deliveries that may be under way at once, to all webhooks together
    #[arg(
        long,
        env = "SLUICE_MAX_DELIVERIES",
        default_value_t = 1024,
        value_name = "COUNT",
        help_heading = "Webhooks"
    )]
    pub(crate) max_deliveries: usize,
    /// Finished deliveries kept for each webhook
    #[arg(
        long,
        env = "SLUICE_DELIVERY_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT",
        help_heading = "Webhooks"
    )]
    pub(crate) delivery_retention: u64,
    /// How long finished deliveries are kept
    #[arg(long, env = "SLUICE_DELIVERY_MAX_AGE", default_value = "30d", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Webhooks")]
    pub(crate) delivery_max_age: Duration,
    /// Readers of event and log streams that may be connected at once
    #[arg(
        long,
        env = "SLUICE_MAX_STREAMS",
        default_value_t = 10_000,
        value_name = "COUNT",
        help_heading = "Network"
    )]
    pub(crate) max_streams: usize,
    /// Invocations a free-plan user may have in a day [default: no limit]
    #[arg(
        long,
        env = "SLUICE_DAILY_INVOCATIONS_QUOTA",
        value_name = "COUNT",
        help_heading = "Quotas"
    )]
    pub(crate) daily_invocations_quota: Option<u64>,
    /// Compute time a free-plan user may use in a day, such as 30m [default: no limit]
    #[arg(long, env = "SLUICE_DAILY_COMPUTE_QUOTA", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Quotas")]
    pub(crate) daily_compute_quota: Option<Duration>,
    /// How long running invocations may take to finish when the server is told to stop
    #[arg(long, env = "SLUICE_DRAIN_TIMEOUT", default_value = "35s", value_parser = humantime::parse_duration, value_name = "TIME", help_heading = "Components")]
    pub(crate) drain_timeout: Duration,
    /// Format of the log on standard error
    #[arg(long, env = "SLUICE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT", help_heading = "Logging")]
    pub(crate) log_format: LogFormat,
    /// What to log: error, warn, info, debug, trace, or directives such as `sluice_engine=debug`
    #[arg(
        long,
        env = "SLUICE_LOG",
        default_value = "info",
        value_name = "LEVEL",
        help_heading = "Logging"
    )]
    pub(crate) log: String,
    /// API key of the first user, 32 lower-case hexadecimal characters [default: generated]
    #[arg(
        long,
        env = "SLUICE_API_KEY",
        hide_env_values = true,
        value_name = "KEY",
        help_heading = "Keys"
    )]
    pub(crate) api_key: Option<String>,
    /// Key that encrypts secrets, 64 hexadecimal characters [default: a file in the data folder]
    #[arg(
        long,
        env = "SLUICE_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY",
        help_heading = "Keys"
    )]
    pub(crate) master_key: Option<String>,
    /// Deno binary to run components with [default: found or installed]
    #[arg(
        long,
        env = "SLUICE_DENO",
        value_name = "FILE",
        help_heading = "Components"
    )]
    pub(crate) deno: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// How long past its time an invocation may take to notice before its process is killed.
const GRACE: Duration = Duration::from_secs(1);

impl ServeOptions {
    pub(crate) fn settings(&self, public_url: String, data_dir: PathBuf) -> Settings {
        Settings {
            public_url,
            endpoint_domain: self.endpoint_domain.clone(),
            max_body: bytes(self.max_body),
            max_api_body: bytes(self.max_api_body),
            invocation_timeout: self.invocation_timeout,
            source_concurrency: self.source_concurrency.max(1),
            max_processes: self.max_processes,
            memory_budget: self
                .memory_budget
                .map_or_else(half_of_the_memory, |budget| budget.as_u64()),
            idle_timeout: self.idle_timeout,
            max_attempts: self.max_attempts.max(1),
            max_event_depth: self.max_event_depth,
            max_db: bytes(self.max_db),
            max_data_store: bytes(self.max_data_store),
            max_data_store_value: bytes(self.max_data_store_value),
            event_retention: self.event_retention,
            event_max_age: self.event_max_age,
            log_retention: self.log_retention,
            log_max_age: self.log_max_age,
            daily_invocations_quota: self.daily_invocations_quota,
            daily_compute_quota_ms: self
                .daily_compute_quota
                .map(|quota| u64::try_from(quota.as_millis()).unwrap_or(u64::MAX)),
            allow_private_network: self.allow_private_network,
            upload_lifetime: self.upload_lifetime,
            data_dir,
            webhook_retries: self.webhook_retries.clone(),
            webhook_timeout: self.webhook_timeout,
            max_deliveries: self.max_deliveries,
            delivery_retention: self.delivery_retention,
            delivery_max_age: self.delivery_max_age,
            max_streams: self.max_streams,
        }
    }

    /// What components may reach; `own_address` is where this server listens.
    pub(crate) fn network(&self, own_address: SocketAddr) -> anyhow::Result<Network> {
        let private = if self.allow_private_network {
            PrivateNetworks::Allowed
        } else {
            let mut exceptions = Exceptions {
                own_addresses: own_addresses(own_address, self.public_url.as_deref()),
                ..Exceptions::default()
            };
            for address in &self.allow_network {
                exceptions
                    .allow(address)
                    .map_err(anyhow::Error::msg)
                    .with_context(|| format!("--allow-network {address} cannot be used"))?;
            }
            PrivateNetworks::Refused(exceptions)
        };
        let proxy = self
            .egress_proxy
            .as_deref()
            .map(|url| EgressProxy::parse(url, self.egress_ca.clone()))
            .transpose()
            .map_err(anyhow::Error::msg)
            .context("--egress-proxy cannot be used")?;
        Ok(Network {
            private,
            ipv6: self.allow_ipv6,
            proxy,
        })
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            heap_mb: u32::try_from(self.heap.as_u64() / (1024 * 1024))
                .unwrap_or(u32::MAX)
                .max(16),
            memory_bytes: self.max_memory.as_u64(),
            tmp_bytes: self.max_tmp.as_u64(),
            emit_bytes: bytes(self.max_emit),
            emits_bytes: bytes(self.max_emits),
            log_bytes: bytes(self.max_log),
            db_bytes: bytes(self.max_db),
            data_store_value_bytes: bytes(self.max_data_store_value),
            load_timeout: self.load_timeout,
            grace: GRACE,
        }
    }
}

fn bytes(size: ByteSize) -> usize {
    usize::try_from(size.as_u64()).unwrap_or(usize::MAX)
}

/// Without knowing how much there is, nothing is too much.
fn half_of_the_memory() -> u64 {
    let kilobytes = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("MemTotal:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        });
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes * 1024 / 2)
}
