//! The operator's proxy for all HTTP traffic of components.

use std::{
    net::{SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
};

use super::exceptions::split_port;

#[derive(Debug, Clone)]
pub struct EgressProxy {
    url: String,
    address: SocketAddr,
    /// The certificate authority of the proxy.
    ca: Option<PathBuf>,
}

impl EgressProxy {
    /// Parses `http://[user:password@]host:port`. The name is resolved now, because the sandbox cannot.
    pub fn parse(url: &str, ca: Option<PathBuf>) -> Result<EgressProxy, String> {
        let rest = url
            .trim_end_matches('/')
            .strip_prefix("http://")
            .ok_or("it must begin with http://")?;
        let (login, host) = match rest.rsplit_once('@') {
            Some((login, host)) => (Some(login), host),
            None => (None, rest),
        };
        let host = if split_port(host).1.is_none() {
            format!("{host}:80")
        } else {
            host.to_owned()
        };
        let address = host
            .to_socket_addrs()
            .map_err(|error| format!("{host} cannot be looked up: {error}"))?
            .find(SocketAddr::is_ipv4)
            .ok_or_else(|| format!("{host} has no IPv4 address"))?;
        let login = login.map(|login| format!("{login}@")).unwrap_or_default();
        Ok(EgressProxy {
            url: format!("http://{login}{address}"),
            address,
            ca,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn ca(&self) -> Option<&Path> {
        self.ca.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::EgressProxy;

    #[test]
    fn a_proxy_is_named_by_its_address_and_keeps_its_login() {
        let proxy = EgressProxy::parse("http://me:secret@localhost:3128/", None).expect("a proxy");
        assert_eq!(proxy.url, "http://me:secret@127.0.0.1:3128");
        assert!(EgressProxy::parse("https://localhost:3128", None).is_err());
    }
}
