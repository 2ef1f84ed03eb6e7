//! The address guard: users can make the server connect to public addresses only, unless the operator allows private
//! ones. The address that a name resolves to is checked when the connection is made.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use reqwest::{
    ClientBuilder, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};

const REFUSAL: &str = "the address is private";

/// Makes and guards the HTTP clients that send requests to addresses of users.
#[derive(Debug, Clone, Copy)]
pub struct NetGuard {
    allow_private: bool,
}

impl NetGuard {
    pub fn new(allow_private: bool) -> NetGuard {
        NetGuard { allow_private }
    }

    /// A client that connects to allowed addresses only. A URL must pass [`NetGuard::judge`] before.
    pub fn client(self) -> ClientBuilder {
        let builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .user_agent(concat!("sluice/", env!("CARGO_PKG_VERSION")));
        if self.allow_private {
            builder
        } else {
            builder.dns_resolver(Arc::new(PublicOnly))
        }
    }

    /// Checks a literal address, which never reaches the resolver.
    pub fn judge(self, url: &Url) -> Result<(), &'static str> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse::<IpAddr>() {
            Ok(address) if !self.allow_private && !is_public(address) => Err(REFUSAL),
            _ => Ok(()),
        }
    }
}

/// The innermost cause of a failed request, which is the part that a user understands.
pub fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Whether a request failed because its name resolves to private addresses only.
pub fn is_refusal(error: &reqwest::Error) -> bool {
    root_cause(error) == REFUSAL
}

struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(io::Error::other(REFUSAL).into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (b == 18 || b == 19))
        || (a == 192 && b == 0 && c == 0))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let [first, second, ..] = address.segments();
    // Only global unicast is public; of it, not documentation and not addresses that wrap IPv4 ones.
    (first & 0xe000) == 0x2000
        && !(first == 0x2001 && second == 0x0db8)
        && first != 0x2002
        && !(first == 0x2001 && second == 0)
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn private_loopback_link_local_and_metadata_addresses_are_not_public() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
        ] {
            assert!(
                !is_public(address.parse().expect("an address")),
                "{address}"
            );
        }
        for address in ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"] {
            assert!(is_public(address.parse().expect("an address")), "{address}");
        }
    }
}
