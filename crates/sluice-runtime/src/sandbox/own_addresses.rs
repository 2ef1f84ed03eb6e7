//! The addresses of this server, which components must not reach.

use std::net::{IpAddr, SocketAddr};

/// The addresses of a server that listens on `listen`, as hosts and ports, and the host of its public URL.
pub fn own_addresses(listen: SocketAddr, public_url: Option<&str>) -> Vec<String> {
    let mut addresses = vec![listen.to_string()];
    if listen.ip().is_unspecified() {
        let interfaces = interfaces().into_iter();
        addresses.extend(interfaces.map(|ip| SocketAddr::new(ip, listen.port()).to_string()));
    }
    let public_host = public_url
        .and_then(|url| url.split("://").nth(1))
        .and_then(|rest| rest.split('/').next());
    addresses.extend(public_host.map(str::to_owned));
    addresses
}

fn interfaces() -> Vec<IpAddr> {
    let Ok(interfaces) = nix::ifaddrs::getifaddrs() else {
        return Vec::new();
    };
    interfaces
        .filter_map(|interface| interface.address)
        .filter_map(|address| {
            let v4 = address.as_sockaddr_in().map(|a| IpAddr::V4(a.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|a| IpAddr::V6(a.ip())))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::own_addresses;

    #[test]
    fn a_server_on_all_interfaces_is_found_on_each_of_them() {
        let listen = "0.0.0.0:3000".parse().expect("an address");
        let found = own_addresses(listen, Some("https://hooks.example.com/base"));
        for address in ["0.0.0.0:3000", "127.0.0.1:3000", "hooks.example.com"] {
            assert!(found.iter().any(|one| one == address), "{found:?}");
        }
    }
}
