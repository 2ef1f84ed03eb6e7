//! Checks of webhook addresses: their syntax, and private addresses. Names are resolved and checked again for each connection.

use reqwest::Url;
use sluice_outbox::NetGuard;

const MAX_LENGTH: usize = 2_048;
const PRIVATE: &str = "url must not have a private address: use a public one, or start the server with --allow-private-network";

/// The rule that an address breaks.
pub(crate) fn error(url: &str, guard: NetGuard) -> Option<String> {
    if url.len() > MAX_LENGTH {
        return Some(format!("url must not be longer than {MAX_LENGTH} bytes"));
    }
    if url
        .chars()
        .any(|character| character.is_whitespace() || character.is_control())
    {
        return Some("url must not contain spaces or control characters".to_owned());
    }
    let Some((protocol, rest)) = url.split_once("://") else {
        return Some("url must begin with http:// or https://".to_owned());
    };
    if !["http", "https"]
        .iter()
        .any(|known| protocol.eq_ignore_ascii_case(known))
    {
        return Some("url must begin with http:// or https://".to_owned());
    }
    // The parser would skip further slashes and take the next segment for the host, as browsers do.
    if rest.is_empty() || rest.starts_with(['/', '\\', '?', '#']) {
        return Some("url must have a hostname".to_owned());
    }
    match Url::parse(url) {
        Ok(url) => guard.judge(&url).err().map(|_| PRIVATE.to_owned()),
        Err(error) => Some(format!("url is not valid: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a server that allows private addresses.
    fn error(url: &str) -> Option<String> {
        super::error(url, NetGuard::new(true))
    }

    #[test]
    fn a_literal_private_address_needs_the_permission_of_the_operator() {
        let guard = NetGuard::new(false);
        for url in [
            "http://127.0.0.1:9/hook",
            "http://10.1.2.3",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]/",
            "http://[::ffff:192.168.0.1]/",
            "http://169.254.169.254/latest/meta-data",
        ] {
            assert_eq!(super::error(url, guard).as_deref(), Some(PRIVATE), "{url}");
            assert_eq!(error(url), None, "{url}");
        }
        for url in [
            "https://example.com/",
            "http://1.1.1.1/",
            "http://[2606:4700::1111]/",
        ] {
            assert_eq!(super::error(url, guard), None, "{url}");
        }
    }

    #[test]
    fn http_and_https_addresses_with_a_hostname_are_valid() {
        for url in [
            "http://example.com",
            "https://example.com/",
            "HTTPS://EXAMPLE.com/Path",
            "http://localhost:8080/hook",
            "http://10.0.0.1",
            "http://[::1]:80/",
            "https://user:pass@example.com:8443/a/b%20c?d=e&f#g",
            "https://bücher.example/ä",
            "https://example.com?only=query",
        ] {
            assert_eq!(error(url), None, "{url}");
        }
        let longest = format!("http://example.com/{}", "x".repeat(MAX_LENGTH - 19));
        assert_eq!(error(&longest), None);
    }

    #[test]
    fn each_rule_has_its_message() {
        let protocol = "url must begin with http:// or https://";
        let hostname = "url must have a hostname";
        let spaces = "url must not contain spaces or control characters";
        for (url, words) in [
            ("", protocol),
            ("example.com", protocol),
            ("//example.com", protocol),
            ("http:example.com", protocol),
            ("http:/example.com", protocol),
            ("ftp://example.com", protocol),
            ("javascript://example.com", protocol),
            ("://example.com", protocol),
            ("xhttp://example.com", protocol),
            ("http://", hostname),
            ("http:///path", hostname),
            ("https://?q", hostname),
            ("https://#f", hostname),
            ("http://\\\\host", hostname),
            (" http://example.com", spaces),
            ("http://example.com/a b", spaces),
            ("http://example.com\n", spaces),
            ("http://exa\tmple.com", spaces),
            ("http://:80/", "url is not valid: empty host"),
            ("http://user@/", "url is not valid: empty host"),
            ("http://a:99999", "url is not valid: invalid port number"),
            ("http://[::1", "url is not valid: invalid IPv6 address"),
        ] {
            assert_eq!(error(url).as_deref(), Some(words), "{url:?}");
        }
        let too_long = format!("http://example.com/{}", "x".repeat(MAX_LENGTH));
        assert_eq!(
            error(&too_long).as_deref(),
            Some("url must not be longer than 2048 bytes")
        );
    }
}
