//! The address of the client behind trusted proxies.
//!
//! Each proxy appends the address of its client to one header, so the entries are read from the right. The first address that
//! is not a trusted proxy is the client. Entries further left were sent by that client and prove nothing.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, header::FORWARDED};
use ipnet::IpNet;
use sluice_infra::{ForwardedHeader, ProxySettings};

pub(crate) struct ClientAddresses {
    trusted: Vec<IpNet>,
    header: ForwardedHeader,
}

impl ClientAddresses {
    pub(crate) fn new(settings: &ProxySettings) -> ClientAddresses {
        ClientAddresses {
            trusted: settings.trusted.clone(),
            header: settings.header,
        }
    }

    /// The client of a request that came over a connection from `peer`. Without a trusted peer the headers are not read. An
    /// entry that is no address ends the chain at the proxy that wrote it.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.is_trusted(client) {
            return client;
        }
        for entry in self.entries(headers).into_iter().rev() {
            let Some(ip) = entry else { break };
            client = ip.to_canonical();
            if !self.is_trusted(client) {
                break;
            }
        }
        client
    }

    fn is_trusted(&self, ip: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&ip))
    }

    /// The entries of all lines of the header, in order.
    fn entries(&self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let name = match self.header {
            ForwardedHeader::XForwardedFor => HeaderName::from_static("x-forwarded-for"),
            ForwardedHeader::Forwarded => FORWARDED,
        };
        let parse = match self.header {
            ForwardedHeader::XForwardedFor => parse_address,
            ForwardedHeader::Forwarded => forwarded_for,
        };
        let lines = headers.get_all(name).into_iter();
        let entries = lines.flat_map(|line| match line.to_str() {
            Ok(line) => line.split(',').map(parse).collect(),
            Err(_) => vec![None],
        });
        entries.collect()
    }
}

/// The address in the parameter `for` of an element of `Forwarded` (RFC 7239).
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let value = element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value)
    })?;
    parse_address(value.trim().trim_matches('"'))
}

/// An address, also with a port, which some proxies add. IPv6 is in brackets then.
fn parse_address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let ip = bare.unwrap_or(text).parse().ok();
    ip.or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn addresses(header: ForwardedHeader) -> ClientAddresses {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|network| network.parse().unwrap());
        ClientAddresses::new(&ProxySettings {
            trusted: trusted.to_vec(),
            header,
        })
    }

    fn client(header: ForwardedHeader, peer: &str, lines: &[(&'static str, &str)]) -> String {
        let mut headers = HeaderMap::new();
        for (name, line) in lines {
            headers.append(*name, HeaderValue::from_str(line).unwrap());
        }
        let client = addresses(header).client(peer.parse().unwrap(), &headers);
        client.to_string()
    }

    #[test]
    fn the_rightmost_address_that_is_no_proxy_is_the_client() {
        let client = |peer: &str, line: &str| {
            let header = ForwardedHeader::XForwardedFor;
            client(header, peer, &[("x-forwarded-for", line)])
        };
        assert_eq!(client("10.0.0.1", "203.0.113.7"), "203.0.113.7");
        assert_eq!(
            client("10.0.0.1", "1.1.1.1, 203.0.113.7, 10.9.9.9"),
            "203.0.113.7"
        );
        assert_eq!(client("10.0.0.1", "203.0.113.7:4711"), "203.0.113.7");
        assert_eq!(client("10.0.0.1", "[2001:db8::1]:80"), "2001:db8::1");
        assert_eq!(client("fd00::1", "2001:db8::1"), "2001:db8::1");
        assert_eq!(
            client("::ffff:10.0.0.1", "::ffff:203.0.113.7"),
            "203.0.113.7"
        );
        // All of them are proxies.
        assert_eq!(client("10.0.0.1", "10.0.0.3, 10.0.0.2"), "10.0.0.3");
        // An entry that is no address, and none at all.
        assert_eq!(
            client("10.0.0.1", "203.0.113.7, unknown, 10.0.0.2"),
            "10.0.0.2"
        );
        assert_eq!(client("10.0.0.1", ""), "10.0.0.1");
        // A peer that is no proxy is the client, whatever it says.
        assert_eq!(client("198.51.100.9", "203.0.113.7"), "198.51.100.9");
    }

    #[test]
    fn lines_are_one_list_and_only_the_header_of_the_proxies_counts() {
        let lines = [
            ("x-forwarded-for", "1.1.1.1"),
            ("x-forwarded-for", "203.0.113.7"),
            ("forwarded", "for=9.9.9.9"),
        ];
        let of = |header| client(header, "10.0.0.1", &lines);
        assert_eq!(of(ForwardedHeader::XForwardedFor), "203.0.113.7");
        assert_eq!(of(ForwardedHeader::Forwarded), "9.9.9.9");
    }

    #[test]
    fn forwarded_is_read_as_its_standard_says() {
        let client = |line: &str| {
            client(
                ForwardedHeader::Forwarded,
                "10.0.0.1",
                &[("forwarded", line)],
            )
        };
        assert_eq!(
            client("for=203.0.113.7;proto=https;by=10.0.0.1"),
            "203.0.113.7"
        );
        assert_eq!(
            client("proto=http; For=\"[2001:db8::1]:4711\""),
            "2001:db8::1"
        );
        assert_eq!(
            client("for=1.1.1.1, for=203.0.113.7, for=10.0.0.2"),
            "203.0.113.7"
        );
        assert_eq!(client("for=203.0.113.7, for=_hidden"), "10.0.0.1");
        assert_eq!(client("by=10.0.0.1"), "10.0.0.1");
    }
}
