//! Protection from cross-site requests: a change that is authenticated by a cookie must come from the console.
//!
//! A browser sends the cookie with requests of any page. Only scripts of our own origin can set the required header, and the
//! headers that browsers set about the origin must not contradict it.

use axum::extract::FromRequestParts;
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{HOST, ORIGIN},
    request::Parts,
};

use crate::{error::ApiError, state::ServerState};

const CONSOLE: HeaderName = HeaderName::from_static("x-sluice-console");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The request comes from the console.
pub(crate) struct FromConsole;

impl FromRequestParts<ServerState> for FromConsole {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        check(&parts.headers, &state.infra.settings.public_url).map(|()| FromConsole)
    }
}

pub(crate) fn check(headers: &HeaderMap, public_url: &str) -> Result<(), ApiError> {
    if headers.get(CONSOLE).is_none_or(|value| value != "1") {
        return Err(ApiError::Forbidden(
            "a request with a session in place of an API key needs the header x-sluice-console: 1",
        ));
    }
    let hosts = [
        headers.get(HOST).and_then(|host| host.to_str().ok()),
        authority(public_url),
    ];
    let is_own = |origin: &HeaderValue| {
        let origin = origin.to_str().ok().and_then(authority);
        origin.is_some_and(|origin| hosts.into_iter().flatten().any(|host| same(origin, host)))
    };
    let is_same = |site: &HeaderValue| site == "same-origin";
    if headers.get_all(FETCH_SITE).iter().all(is_same) && headers.get_all(ORIGIN).iter().all(is_own)
    {
        Ok(())
    } else {
        Err(ApiError::Forbidden(
            "the request comes from a page of another site",
        ))
    }
}

/// The host and port of a URL.
fn authority(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next()
}

fn same(one: &str, other: &str) -> bool {
    without_default_port(one).eq_ignore_ascii_case(without_default_port(other))
}

fn without_default_port(authority: &str) -> &str {
    let stripped = authority.strip_suffix(":443");
    stripped
        .or_else(|| authority.strip_suffix(":80"))
        .unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(headers: &[(&'static str, &'static str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        check(&map, "https://Sluice.example.com:443").is_ok()
    }

    const CONSOLE: (&str, &str) = ("x-sluice-console", "1");
    const HOST: (&str, &str) = ("host", "127.0.0.1:3000");

    #[test]
    fn the_header_is_required() {
        assert!(passes(&[CONSOLE]));
        assert!(passes(&[CONSOLE, HOST]));
        assert!(!passes(&[HOST]));
        assert!(!passes(&[HOST, ("x-sluice-console", "0")]));
        assert!(!passes(&[HOST, ("sec-fetch-site", "same-origin")]));
    }

    #[test]
    fn another_origin_is_rejected() {
        assert!(passes(&[CONSOLE, ("sec-fetch-site", "same-origin")]));
        for site in ["same-site", "cross-site", "none", ""] {
            assert!(!passes(&[CONSOLE, ("sec-fetch-site", site)]), "{site}");
        }
    }

    #[test]
    fn an_origin_is_the_host_or_the_public_address() {
        for origin in [
            "http://127.0.0.1:3000",
            "https://sluice.example.com",
            "https://SLUICE.example.com:443",
        ] {
            assert!(passes(&[CONSOLE, HOST, ("origin", origin)]), "{origin}");
        }
        for origin in [
            "null",
            "",
            "127.0.0.1:3000",
            "http://127.0.0.1",
            "http://127.0.0.1:3001",
            "http://localhost:3000",
            "https://example.com",
            "https://sluice.example.com.evil.com",
        ] {
            assert!(!passes(&[CONSOLE, HOST, ("origin", origin)]), "{origin}");
        }
        let two = [
            CONSOLE,
            HOST,
            ("origin", "http://127.0.0.1:3000"),
            ("origin", "null"),
        ];
        assert!(!passes(&two));
    }
}
