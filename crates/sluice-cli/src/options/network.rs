//! Where the server listens, and what components may reach.

use std::{net::SocketAddr, path::PathBuf};

use anyhow::Context;
use bytesize::ByteSize;
use clap::Args;
use sluice_runtime::{EgressProxy, Exceptions, Network, PrivateNetworks, own_addresses};

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
    /// Where clients reach this server [default: http:// and the address it listens on]
    #[arg(long, env = "SLUICE_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Give each endpoint a host name of its own below this domain, instead of a path
    #[arg(long, env = "SLUICE_ENDPOINT_DOMAIN", value_name = "DOMAIN")]
    pub(crate) endpoint_domain: Option<String>,
    /// Serve the console from this folder instead of the one in the program, for work on it
    #[arg(long, env = "SLUICE_CONSOLE_DIR", value_name = "FOLDER")]
    pub(crate) console_dir: Option<PathBuf>,
    /// Let components, `component_url` and webhooks reach private, loopback and link-local addresses
    #[arg(long, env = "SLUICE_ALLOW_PRIVATE_NETWORK")]
    pub(crate) allow_private_network: bool,
    /// Addresses that components may reach although they are private, such as `10.1.0.0/16`, `10.2.0.7` or
    /// `db.internal`; names are looked up when the server starts, and all ports of a host
    /// are opened, whichever is named
    #[arg(
        long,
        env = "SLUICE_ALLOW_NETWORK",
        value_delimiter = ',',
        value_name = "ADDRESS"
    )]
    pub(crate) allow_network: Vec<String>,
    /// Let components use IPv6, of which private addresses are then not refused
    #[arg(long, env = "SLUICE_ALLOW_IPV6")]
    pub(crate) allow_ipv6: bool,
    /// HTTP proxy that all traffic of components goes through, such as `http://user:password@proxy:3128`; components can
    /// see it, other connections of theirs are refused, and names are looked up by the proxy
    #[arg(
        long,
        env = "SLUICE_EGRESS_PROXY",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) egress_proxy: Option<String>,
    /// Certificates, as PEM, that components trust beside the public ones, for an egress proxy that opens TLS
    #[arg(
        long,
        env = "SLUICE_EGRESS_CA",
        value_name = "FILE",
        requires = "egress_proxy"
    )]
    pub(crate) egress_ca: Option<PathBuf>,
    /// Largest body an endpoint accepts
    #[arg(
        long,
        env = "SLUICE_MAX_BODY",
        default_value = "10MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_body: ByteSize,
    /// Largest body the API accepts
    #[arg(
        long,
        env = "SLUICE_MAX_API_BODY",
        default_value = "10MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_api_body: ByteSize,
}

impl NetworkOptions {
    /// What components may reach; `own_address` is where this server listens.
    pub(crate) fn of_components(&self, own_address: SocketAddr) -> anyhow::Result<Network> {
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
            PrivateNetworks::Blocked(exceptions)
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
}
