//! The addresses that components may reach.

use std::{
    ffi::OsString,
    fs, io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
};

use ipnet::{IpNet, Ipv4Net};

/// Everything that is not the public internet.
const PRIVATE_RANGES: [&str; 14] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
];
const CA_FILE: &str = "egress-ca.pem";

#[derive(Debug, Clone)]
pub struct Network {
    pub private: PrivateNetworks,
    /// Deno cannot block ranges of IPv6, so it is allowed or blocked as a whole.
    pub ipv6: bool,
    pub proxy: Option<EgressProxy>,
}

#[derive(Debug, Clone)]
pub enum PrivateNetworks {
    Allowed,
    Blocked(Exceptions),
}

/// Public addresses that are blocked, and private ones that are allowed.
#[derive(Debug, Clone, Default)]
pub struct Exceptions {
    /// Addresses of the server itself.
    pub own_addresses: Vec<String>,
    pub allowed: Vec<Ipv4Net>,
}

/// The operator's proxy for all HTTP traffic of components.
#[derive(Debug, Clone)]
pub struct EgressProxy {
    url: String,
    address: SocketAddr,
    /// The certificate authority of the proxy.
    ca: Option<PathBuf>,
}

impl Default for Network {
    fn default() -> Network {
        Network {
            private: PrivateNetworks::Blocked(Exceptions::default()),
            ipv6: false,
            proxy: None,
        }
    }
}

impl Exceptions {
    /// Adds an allowed range, address or name; the latter two with or without a port. Names are resolved now.
    pub fn allow(&mut self, text: &str) -> Result<(), String> {
        if let Ok(range) = text.parse::<IpNet>() {
            return self.allow_range(range);
        }
        let host = without_port(text);
        if let Ok(address) = host.parse::<IpAddr>() {
            return self.allow_range(IpNet::from(address));
        }
        let found = (host, 0)
            .to_socket_addrs()
            .map_err(|error| format!("{host} cannot be looked up: {error}"))?;
        for address in found.filter(SocketAddr::is_ipv4) {
            self.allow_range(IpNet::from(address.ip()))?;
        }
        Ok(())
    }

    fn allow_range(&mut self, range: IpNet) -> Result<(), String> {
        match range {
            IpNet::V4(range) => self.allowed.push(range),
            IpNet::V6(range) => {
                return Err(format!(
                    "{range} is IPv6, which is allowed as a whole with --allow-ipv6"
                ));
            }
        }
        Ok(())
    }

    /// The addresses that Deno blocks. Denied wins over allowed in Deno, so allowed addresses are cut out.
    fn denied(&self) -> Vec<String> {
        let private = PRIVATE_RANGES.iter().filter_map(|range| range.parse().ok());
        let mut denied: Vec<Ipv4Net> = private.collect();
        for hole in &self.allowed {
            denied = denied
                .into_iter()
                .flat_map(|range| without(range, *hole))
                .collect();
        }
        let loopback = Ipv4Net::from(std::net::Ipv4Addr::LOCALHOST);
        let blocks_loopback = denied.iter().any(|range| range.contains(&loopback));
        let mut words: Vec<String> = denied.iter().map(ToString::to_string).collect();
        words.extend(["[::]".to_owned(), "[::1]".to_owned()]);
        if blocks_loopback {
            words.push("localhost".to_owned());
        }
        words.extend(self.own_addresses.iter().cloned());
        words
    }
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
        let host = if without_port(host) == host {
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
}

impl Network {
    pub(super) fn allows_ipv6(&self) -> bool {
        self.proxy.is_none() && (self.ipv6 || matches!(self.private, PrivateNetworks::Allowed))
    }

    /// With a proxy, all other connections are blocked.
    pub(super) fn allows_udp(&self) -> bool {
        self.proxy.is_none()
    }

    pub(super) fn connect_ports(&self) -> Option<Vec<u16>> {
        self.proxy.as_ref().map(|proxy| vec![proxy.address.port()])
    }

    pub(super) fn flags(&self, harness: &Path) -> Vec<OsString> {
        let mut flags = vec![OsString::from("--allow-net")];
        if let PrivateNetworks::Blocked(exceptions) = &self.private {
            let mut exceptions = exceptions.clone();
            if let Some(IpAddr::V4(proxy)) = self.proxy.as_ref().map(|proxy| proxy.address.ip()) {
                exceptions.allowed.push(Ipv4Net::from(proxy));
            }
            flags.push(format!("--deny-net={}", exceptions.denied().join(",")).into());
        }
        if self.ca().is_some() {
            flags.push("--cert".into());
            flags.push(harness.join(CA_FILE).into());
        }
        flags
    }

    /// The environment variables in which HTTP clients look for a proxy.
    pub(super) fn environment(&self) -> Vec<(&'static str, &str)> {
        let Some(proxy) = &self.proxy else {
            return Vec::new();
        };
        let url = proxy.url.as_str();
        let mut environment = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
            .map(|name| (name, url))
            .to_vec();
        environment.push(("NODE_USE_ENV_PROXY", "1"));
        environment
    }

    /// Copies the certificate to a folder that processes can read.
    pub(super) fn write_ca(&self, harness: &Path) -> io::Result<()> {
        if let Some(ca) = self.ca() {
            fs::copy(ca, harness.join(CA_FILE)).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", ca.display()))
            })?;
        }
        Ok(())
    }

    fn ca(&self) -> Option<&Path> {
        self.proxy.as_ref()?.ca.as_deref()
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() && !name.contains(':') => name,
        _ => host,
    }
}

/// The parts of `range` that are not in `hole`.
fn without(range: Ipv4Net, hole: Ipv4Net) -> Vec<Ipv4Net> {
    if hole.contains(&range) {
        return Vec::new();
    }
    if !range.contains(&hole) {
        return vec![range];
    }
    range
        .subnets(range.prefix_len() + 1)
        .into_iter()
        .flatten()
        .flat_map(|half| without(half, hole))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(allowed: &[&str]) -> Vec<String> {
        let mut exceptions = Exceptions::default();
        for text in allowed {
            exceptions.allow(text).expect("an exception");
        }
        exceptions.denied()
    }

    #[test]
    fn what_is_allowed_is_cut_out_of_what_is_denied() {
        let denied = denied(&["10.1.0.0/16", "127.0.0.1:9000"]);
        let covers = |address: &str| {
            let address: std::net::Ipv4Addr = address.parse().expect("an address");
            let ranges = denied
                .iter()
                .filter_map(|word| word.parse::<Ipv4Net>().ok());
            ranges.into_iter().any(|range| range.contains(&address))
        };
        for open in ["10.1.0.1", "10.1.255.255", "127.0.0.1", "8.8.8.8"] {
            assert!(!covers(open), "{open}");
        }
        for closed in [
            "10.0.255.255",
            "10.2.0.0",
            "127.0.0.2",
            "127.0.0.0",
            "169.254.169.254",
        ] {
            assert!(covers(closed), "{closed}");
        }
        assert!(!denied.contains(&"localhost".to_owned()));
    }

    #[test]
    fn without_exceptions_every_private_range_is_denied_and_localhost_by_name() {
        let denied = denied(&[]);
        assert!(denied.contains(&"127.0.0.0/8".to_owned()));
        assert!(denied.contains(&"localhost".to_owned()));
    }

    #[test]
    fn ranges_of_ipv6_cannot_be_allowed_one_by_one() {
        let said = Exceptions::default()
            .allow("fd00::/8")
            .expect_err("rejected");
        assert!(said.contains("--allow-ipv6"), "{said}");
    }

    #[test]
    fn a_proxy_is_named_by_its_address_and_keeps_its_login() {
        let proxy = EgressProxy::parse("http://me:secret@localhost:3128/", None).expect("a proxy");
        assert_eq!(proxy.url, "http://me:secret@127.0.0.1:3128");
        assert!(EgressProxy::parse("https://localhost:3128", None).is_err());
    }
}
