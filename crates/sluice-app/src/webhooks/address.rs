//! Syntax check of webhook addresses. The outbox checks at connect time whether an address may be reached.

use reqwest::Url;

const MAX_LENGTH: usize = 2_048;

/// The rule that an address breaks.
pub(super) fn error(url: &str) -> Option<String> {
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
    Url::parse(url)
        .err()
        .map(|error| format!("url is not valid: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
