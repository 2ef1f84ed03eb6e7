//! The addresses that a component may reach.

use std::{
    collections::HashSet,
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use ipnet::IpNet;
use parking_lot::Mutex;
use sluice_model::is_public;

const RESOLVER_SETTINGS: &str = "/etc/resolv.conf";
const DNS_PORT: u16 = 53;

/// The rules for connections of components.
#[derive(Debug, Clone)]
pub(crate) enum Guard {
    Anywhere,
    /// Public addresses except those of the server itself, and some private ones.
    Public {
        own: Vec<SocketAddr>,
        allowed: Vec<AllowedAddress>,
    },
    /// Only this address, which is a proxy. It also resolves names.
    Only(SocketAddr),
    /// All addresses except those of the server itself. Private ones are noted.
    Noting {
        own: Vec<SocketAddr>,
        met: Arc<Mutex<HashSet<SocketAddr>>>,
    },
}

/// Private addresses that the operator allows, on one port or on all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedAddress {
    pub(crate) range: IpNet,
    pub(crate) port: Option<u16>,
}

impl AllowedAddress {
    fn covers(&self, address: SocketAddr) -> bool {
        self.range.contains(&address.ip()) && self.port.is_none_or(|port| port == address.port())
    }
}

impl Guard {
    pub(crate) fn allows(&self, address: SocketAddr) -> bool {
        let address = SocketAddr::new(address.ip().to_canonical(), address.port());
        match self {
            Guard::Anywhere => true,
            Guard::Only(proxy) => address == *proxy,
            Guard::Public { own, allowed } => {
                !own.iter().any(|own| is_same(*own, address))
                    && (is_public(address.ip())
                        || allowed.iter().any(|allowed| allowed.covers(address))
                        || is_name_server(address))
            }
            Guard::Noting { own, met } => {
                let is_allowed = !own.iter().any(|own| is_same(*own, address));
                if is_allowed && !is_public(address.ip()) {
                    met.lock().insert(address);
                }
                is_allowed
            }
        }
    }
}

/// A server that listens on all addresses is reached on each address of loopback.
fn is_same(own: SocketAddr, address: SocketAddr) -> bool {
    let everywhere = own.ip().is_unspecified() && is_this_machine(address.ip());
    own.port() == address.port() && (own.ip() == address.ip() || everywhere)
}

fn is_this_machine(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified()
}

/// Names are resolved in the process of the component, by the name servers of this machine. The settings are read each time,
/// because they change with the network.
fn is_name_server(address: SocketAddr) -> bool {
    address.port() == DNS_PORT
        && name_servers(&fs::read_to_string(RESOLVER_SETTINGS).unwrap_or_default())
            .contains(&address.ip())
}

fn name_servers(settings: &str) -> Vec<IpAddr> {
    let lines = settings.lines();
    let servers: Vec<IpAddr> = lines
        .filter_map(|line| line.trim().strip_prefix("nameserver"))
        .filter_map(|rest| rest.split_whitespace().next())
        .filter_map(|address| address.split('%').next()?.parse().ok())
        .collect();
    if servers.is_empty() {
        // The default of the C library.
        return vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
    }
    servers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    fn guard(own: &str, range: &str, port: Option<u16>) -> Guard {
        let range = range.parse().expect("a range");
        Guard::Public {
            own: vec![address(own)],
            allowed: vec![AllowedAddress { range, port }],
        }
    }

    #[test]
    fn private_addresses_that_were_met_are_noted() {
        let met = Arc::new(Mutex::new(HashSet::new()));
        let guard = Guard::Noting {
            own: vec![address("127.0.0.1:3000")],
            met: Arc::clone(&met),
        };
        assert!(guard.allows(address("1.1.1.1:443")));
        assert!(guard.allows(address("10.0.0.5:4873")));
        assert!(!guard.allows(address("127.0.0.1:3000")));
        assert_eq!(*met.lock(), HashSet::from([address("10.0.0.5:4873")]));
    }

    #[test]
    fn a_port_that_is_allowed_opens_no_other() {
        let guard = guard("127.0.0.1:3000", "10.2.0.7/32", Some(5432));
        for open in ["10.2.0.7:5432", "[::ffff:10.2.0.7]:5432", "1.1.1.1:80"] {
            assert!(guard.allows(address(open)), "{open}");
        }
        for closed in [
            "10.2.0.7:5433",
            "10.2.0.8:5432",
            "127.0.0.1:5432",
            "[::1]:5432",
        ] {
            assert!(!guard.allows(address(closed)), "{closed}");
        }
    }

    #[test]
    fn the_server_s_own_port_stays_closed_among_allowed_addresses() {
        let guard = guard("0.0.0.0:3000", "127.0.0.0/8", None);
        assert!(guard.allows(address("127.0.0.1:3001")));
        for closed in ["127.0.0.1:3000", "127.0.0.9:3000", "0.0.0.0:3000"] {
            assert!(!guard.allows(address(closed)), "{closed}");
        }
    }

    #[test]
    fn ranges_of_ipv6_are_allowed_like_those_of_ipv4() {
        let guard = guard("127.0.0.1:3000", "fd00:1::/32", None);
        assert!(guard.allows(address("[fd00:1::5]:80")));
        assert!(!guard.allows(address("[fd00:2::5]:80")));
    }

    #[test]
    fn behind_a_proxy_only_the_proxy_is_reached() {
        let guard = Guard::Only(address("10.0.0.5:3128"));
        assert!(guard.allows(address("10.0.0.5:3128")));
        assert!(!guard.allows(address("10.0.0.5:3129")));
        assert!(!guard.allows(address("1.1.1.1:443")));
    }

    #[test]
    fn name_servers_are_those_of_the_settings() {
        let settings =
            "# one\nnameserver 127.0.0.53\n  nameserver fe80::1%eth0 # two\noptions edns0\n";
        let found: Vec<String> = name_servers(settings)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, ["127.0.0.53", "fe80::1"]);
        assert_eq!(
            name_servers("search lan"),
            ["127.0.0.1".parse::<IpAddr>().expect("an address")]
        );
    }
}
