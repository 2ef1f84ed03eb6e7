//! Where the server listens, and which addresses components may reach.

use std::{net::SocketAddr, path::PathBuf};

use anyhow::Context;
use bytesize::ByteSize;
use clap::Args;
use sluice_runtime::{EgressProxy, Exceptions, Network, PrivateNetworks, own_addresses};

use crate::open_files;

/// More are only allowed with the flag.
const MAX_CONNECTIONS: usize = 50_000;

#[derive(Args)]
#[command(next_help_heading = "Network")]
pub(crate) struct NetworkOptions {
    /// Address to listen on
    #[arg(
        long,
        env = "SLUICE_LISTEN",
        default_value = "127.0.0.1:3000",
        value_name = "ADDRESS"
    )]
    pub(crate) listen: String,
    /// Public URL of this server [default: http:// and the address it listens on]
    #[arg(long, env = "SLUICE_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Give each endpoint a host name below this domain, with the port if it is not that of the scheme [default: endpoints are paths of the public URL]
    #[arg(long, env = "SLUICE_ENDPOINT_DOMAIN", value_name = "DOMAIN")]
    pub(crate) endpoint_domain: Option<String>,
    /// Serve the console from this folder, for development [default: the console in the binary]
    #[arg(long, env = "SLUICE_CONSOLE_DIR", value_name = "FOLDER")]
    pub(crate) console_dir: Option<PathBuf>,
    /// Allow components, `component_url` and webhooks to reach private, loopback and link-local addresses
    #[arg(long, env = "SLUICE_ALLOW_PRIVATE_NETWORK")]
    pub(crate) allow_private_network: bool,
    /// Private addresses that components may reach, such as `10.1.0.0/16`, `10.2.0.7:5432`, `[fd00::7]:443` or `db.internal`.
    /// Without a port, all ports are allowed. Names are resolved when the server starts
    #[arg(
        long,
        env = "SLUICE_ALLOW_NETWORK",
        value_delimiter = ',',
        value_name = "ADDRESS"
    )]
    pub(crate) allow_network: Vec<String>,
    /// Allow IPv6 for components where the kernel cannot check its addresses. Private ones are not blocked there. Elsewhere IPv6
    /// is always allowed, and checked
    #[arg(long, env = "SLUICE_ALLOW_IPV6")]
    pub(crate) allow_ipv6: bool,
    /// HTTP proxy for all traffic of components, such as `http://user:password@proxy:3128`. Components can read this URL.
    /// Connections that bypass the proxy are blocked. The proxy resolves names
    #[arg(
        long,
        env = "SLUICE_EGRESS_PROXY",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) egress_proxy: Option<String>,
    /// PEM file of additional certificates that components trust, for an egress proxy that intercepts TLS
    #[arg(
        long,
        env = "SLUICE_EGRESS_CA",
        value_name = "FILE",
        requires = "egress_proxy"
    )]
    pub(crate) egress_ca: Option<PathBuf>,
    /// Maximum body size of requests to endpoints
    #[arg(
        long,
        env = "SLUICE_MAX_BODY",
        default_value = "10MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_body: ByteSize,
    /// Maximum body size of requests to the API
    #[arg(
        long,
        env = "SLUICE_MAX_API_BODY",
        default_value = "10MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_api_body: ByteSize,
    /// Memory for the bodies of requests in progress. One endpoint may use a quarter of it. Requests beyond it wait, then get
    /// 503
    #[arg(
        long,
        env = "SLUICE_BODY_MEMORY",
        default_value = "512MiB",
        value_name = "SIZE"
    )]
    pub(crate) body_memory: ByteSize,
    /// Maximum number of open connections, of which one address may have three quarters. Beyond it, the one that has been idle
    /// longest is closed [default: half of the file descriptors that the process may open, at most 50000]
    #[arg(long, env = "SLUICE_MAX_CONNECTIONS", value_name = "COUNT")]
    pub(crate) max_connections: Option<usize>,
    /// Wrong API keys that one address may send before it has to wait, longer each time
    #[arg(
        long,
        env = "SLUICE_MAX_WRONG_KEYS",
        default_value_t = 20,
        value_name = "COUNT"
    )]
    pub(crate) max_wrong_keys: u32,
}

impl NetworkOptions {
    /// The other half of the file descriptors is for component processes and files.
    pub(crate) fn max_connections(&self) -> usize {
        let default = || (open_files::limit() / 2).clamp(16, MAX_CONNECTIONS);
        self.max_connections.unwrap_or_else(default)
    }

    /// The network access of components. `own_address` is where this server listens.
    pub(crate) fn for_components(&self, own_address: SocketAddr) -> anyhow::Result<Network> {
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
                    .with_context(|| format!("cannot use --allow-network {address}"))?;
            }
            PrivateNetworks::Blocked(exceptions)
        };
        let proxy = self
            .egress_proxy
            .as_deref()
            .map(|url| EgressProxy::parse(url, self.egress_ca.clone()))
            .transpose()
            .map_err(anyhow::Error::msg)
            .context("cannot use --egress-proxy")?;
        Ok(Network {
            private,
            ipv6: self.allow_ipv6,
            proxy,
        })
    }
}
