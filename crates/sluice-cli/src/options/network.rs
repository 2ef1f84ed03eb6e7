//! Where the server listens, and which addresses components may reach.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use anyhow::Context;
use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use ipnet::IpNet;
use sluice_infra::{ForwardedHeader, ProxySettings};
use sluice_runtime::{EgressProxy, Exceptions, Network, PrivateNetworks, own_addresses};
use sluice_server::{Tls, TlsFiles};

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
    /// PEM file of the certificate, and of the chain to its root, with which clients are served over TLS. It is read again when
    /// it changes, and on SIGHUP
    #[arg(
        long,
        env = "SLUICE_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_cert: Option<PathBuf>,
    /// PEM file of the private key of --tls-cert
    #[arg(
        long,
        env = "SLUICE_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    tls_key: Option<PathBuf>,
    /// Addresses of the proxies in front of this server, such as `10.0.0.0/8` or `127.0.0.1`. The address of a client is the last
    /// one in --forwarded-header that is not one of them. Other senders of that header are not believed
    #[arg(
        long,
        env = "SLUICE_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_parser = parse_network,
        value_name = "CIDR"
    )]
    trusted_proxies: Vec<IpNet>,
    /// Header to which the trusted proxies append the address of their client
    #[arg(
        long,
        env = "SLUICE_FORWARDED_HEADER",
        value_enum,
        default_value_t,
        value_name = "HEADER"
    )]
    forwarded_header: ForwardedHeaderName,
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

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ForwardedHeaderName {
    #[default]
    XForwardedFor,
    /// As in RFC 7239
    Forwarded,
}

/// A network, or a single address.
fn parse_network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let network = text
        .parse()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "not an address or a network such as 10.0.0.0/8".to_owned())
}

impl NetworkOptions {
    /// The certificate for clients. Without one they are served in the clear.
    pub(crate) fn tls(&self) -> anyhow::Result<Option<Arc<Tls>>> {
        let Some((certificate, key)) = self.tls_cert.clone().zip(self.tls_key.clone()) else {
            return Ok(None);
        };
        let tls = Tls::load(TlsFiles { certificate, key });
        Ok(Some(tls.context("cannot use --tls-cert and --tls-key")?))
    }

    pub(crate) fn proxies(&self) -> ProxySettings {
        ProxySettings {
            trusted: self.trusted_proxies.clone(),
            header: match self.forwarded_header {
                ForwardedHeaderName::XForwardedFor => ForwardedHeader::XForwardedFor,
                ForwardedHeaderName::Forwarded => ForwardedHeader::Forwarded,
            },
        }
    }

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
