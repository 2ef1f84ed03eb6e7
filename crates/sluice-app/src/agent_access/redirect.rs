//! The addresses at which an application receives its code.

use url::{Host, Url};

use super::error::AccessError;

const MAX_LENGTH: usize = 500;
/// Schemes that a browser handles itself, some by running code.
const BROWSER_SCHEMES: [&str; 12] = [
    "javascript",
    "data",
    "vbscript",
    "file",
    "blob",
    "about",
    "filesystem",
    "view-source",
    "ws",
    "wss",
    "ftp",
    "chrome",
];

/// Fails unless codes may be sent to this address.
pub(super) fn check(text: &str) -> Result<Url, AccessError> {
    let invalid = |reason| Err(AccessError::InvalidRedirectUri(reason));
    if text.len() > MAX_LENGTH {
        return invalid("is too long");
    }
    let Ok(url) = Url::parse(text) else {
        return invalid("is no URL");
    };
    if url.fragment().is_some() {
        return invalid("must not have a fragment");
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => invalid("must begin with https, unless it leads to the user's own machine"),
        scheme if BROWSER_SCHEMES.contains(&scheme) => invalid("has a scheme that is not allowed"),
        // An application on the user's machine, such as an editor.
        _ => Ok(url),
    }
}

/// Whether `given` is the registered address. The port of an application on the user's machine may differ.
pub(super) fn is_same(registered: &str, given: &str) -> bool {
    if registered == given {
        return true;
    }
    let (Ok(mut registered), Ok(mut given)) = (Url::parse(registered), Url::parse(given)) else {
        return false;
    };
    if !(is_loopback(&registered) && is_loopback(&given)) {
        return false;
    }
    registered.set_port(None).is_ok() && given.set_port(None).is_ok() && registered == given
}

/// Whether it is plain HTTP to the user's own machine.
fn is_loopback(url: &Url) -> bool {
    url.scheme() == "http"
        && match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_to_safe_addresses_only() {
        for good in [
            "https://app.example.com/callback?a=1",
            "http://127.0.0.1:3334/cb",
            "http://localhost/cb",
            "http://[::1]:1/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback",
        ] {
            assert!(check(good).is_ok(), "{good}");
        }
        let long = format!("https://a/{}", "x".repeat(500));
        for bad in [
            "http://example.com/cb",
            "http://localhost.example.com/cb",
            "https://a/cb#f",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "/cb",
            "",
            long.as_str(),
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        assert!(is_same("http://127.0.0.1/cb", "http://127.0.0.1:9/cb"));
        assert!(is_same("https://a/cb", "https://a/cb"));
        assert!(!is_same("https://a/cb", "https://a:444/cb"));
        assert!(!is_same("http://127.0.0.1/cb", "http://127.0.0.1:9/other"));
        assert!(!is_same("http://127.0.0.1/cb", "http://localhost/cb"));
    }
}
