//! Which addresses the server itself may be sent to by its users: public ones only, unless the operator
//! says otherwise. The check is on what a name resolves to, at the moment of connecting.

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

/// Decides for the clients that send requests where users want them sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NetGuard {
    allow_private: bool,
}

impl NetGuard {
    pub(crate) fn new(allow_private: bool) -> NetGuard {
        NetGuard { allow_private }
    }

    /// A client that connects to nothing that is refused; what [`NetGuard::judge`] refuses it must not be given.
    pub(crate) fn client(self) -> ClientBuilder {
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

    /// A literal address never reaches the resolver, so it is judged here.
    pub(crate) fn judge(self, url: &Url) -> Result<(), &'static str> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse::<IpAddr>() {
            Ok(address) if !self.allow_private && !is_public(address) => Err(REFUSAL),
            _ => Ok(()),
        }
    }
}

/// What lies at the bottom of a failed request: the words a user understands.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Whether a request failed because its name leads nowhere that may be reached.
pub(crate) fn is_refusal(error: &reqwest::Error) -> bool {
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
