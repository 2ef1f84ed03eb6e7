//! Private addresses that components may reach, and public ones that they may not.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use ipnet::{IpNet, Ipv4Net};
use sluice_model::PRIVATE_RANGES;

use crate::broker::{AllowedAddress, Guard};

/// Exceptions from the rule that components reach public addresses only.
#[derive(Debug, Clone, Default)]
pub struct Exceptions {
    /// Addresses of the server itself, and its public name.
    pub own_addresses: Vec<String>,
    pub allowed: Vec<AllowedAddress>,
}

impl Exceptions {
    /// Adds an allowed range, address or name; the latter two with or without a port. Names are resolved now.
    pub fn allow(&mut self, text: &str) -> Result<(), String> {
        if let Ok(range) = text.parse::<IpNet>() {
            self.add(range, None);
            return Ok(());
        }
        let (host, port) = split_port(text);
        if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
            self.add(IpNet::from(address), port);
            return Ok(());
        }
        let found = (host, 0)
            .to_socket_addrs()
            .map_err(|error| format!("{host} cannot be looked up: {error}"))?;
        for address in found {
            self.add(IpNet::from(address.ip()), port);
        }
        Ok(())
    }

    fn add(&mut self, range: IpNet, port: Option<u16>) {
        self.allowed.push(AllowedAddress { range, port });
    }

    pub(super) fn guard(&self) -> Guard {
        Guard::Public {
            own: self.own(),
            allowed: self.allowed.clone(),
        }
    }

    /// The addresses of the server itself.
    pub(super) fn own(&self) -> Vec<SocketAddr> {
        let own = self.own_addresses.iter();
        own.filter_map(|own| own.parse().ok()).collect()
    }

    /// The addresses that Deno blocks. Denied wins over allowed in Deno, so allowed addresses are cut out, on all ports.
    pub(super) fn denied(&self, proxy: Option<SocketAddr>) -> Vec<String> {
        let allowed = self.allowed.iter().map(|allowed| allowed.range);
        let holes = allowed.chain(proxy.map(|proxy| IpNet::from(proxy.ip())));
        let private = PRIVATE_RANGES.into_iter();
        let mut denied: Vec<Ipv4Net> = private
            .filter_map(|(start, length)| Ipv4Net::new(start, length).ok())
            .collect();
        let mut words = vec!["[::]".to_owned()];
        let mut blocks_loopback_v6 = true;
        for hole in holes {
            match hole {
                IpNet::V4(hole) => {
                    let rest = denied.into_iter().flat_map(|range| without(range, hole));
                    denied = rest.collect();
                }
                IpNet::V6(hole) => {
                    blocks_loopback_v6 &= !hole.contains(&std::net::Ipv6Addr::LOCALHOST);
                }
            }
        }
        let loopback = Ipv4Net::from(std::net::Ipv4Addr::LOCALHOST);
        if denied.iter().any(|range| range.contains(&loopback)) {
            words.push("localhost".to_owned());
        }
        if blocks_loopback_v6 {
            words.push("[::1]".to_owned());
        }
        words.extend(denied.iter().map(ToString::to_string));
        words.extend(self.own_addresses.iter().cloned());
        words
    }
}

/// A host and its port. An IPv6 address with a port is in brackets.
pub(super) fn split_port(text: &str) -> (&str, Option<u16>) {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) => (text, None),
        },
        _ => (text, None),
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

    fn exceptions(allowed: &[&str]) -> Exceptions {
        let mut exceptions = Exceptions::default();
        for text in allowed {
            exceptions.allow(text).expect("an exception");
        }
        exceptions
    }

    #[test]
    fn what_is_allowed_is_cut_out_of_what_is_denied() {
        let denied = exceptions(&["10.1.0.0/16", "127.0.0.1:9000"]).denied(None);
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
        assert!(denied.contains(&"[::1]".to_owned()));
    }

    #[test]
    fn without_exceptions_every_private_range_is_denied_and_localhost_by_name() {
        let denied = Exceptions::default().denied(None);
        assert!(denied.contains(&"127.0.0.0/8".to_owned()));
        assert!(denied.contains(&"localhost".to_owned()));
    }

    #[test]
    fn an_allowed_address_keeps_its_port() {
        let texts = [
            "10.2.0.7:5432",
            "fd00::/8",
            "[fd00::1]:443",
            "fe80::1",
            "localhost:53",
        ];
        let allowed = exceptions(&texts).allowed;
        let found: Vec<String> = allowed
            .iter()
            .take(4)
            .map(|one| format!("{} {:?}", one.range, one.port))
            .collect();
        assert_eq!(
            found,
            [
                "10.2.0.7/32 Some(5432)",
                "fd00::/8 None",
                "fd00::1/128 Some(443)",
                "fe80::1/128 None"
            ]
        );
        assert!(allowed[4..].iter().all(|one| one.port == Some(53)));
        assert!(allowed.len() > 4);
    }

    #[test]
    fn loopback_of_ipv6_can_be_allowed() {
        let denied = exceptions(&["[::1]:9000"]).denied(None);
        assert!(!denied.contains(&"[::1]".to_owned()));
    }
}
