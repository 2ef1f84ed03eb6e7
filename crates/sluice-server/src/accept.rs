//! The content types and codings that a client accepts.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{ACCEPT, ACCEPT_ENCODING},
};

/// Whether a browser navigates to a page. It accepts HTML by name then, which scripts and commands do not.
pub(crate) fn is_navigation(headers: &HeaderMap) -> bool {
    weight(headers, &ACCEPT, "text/html").is_some_and(|weight| weight > 0.0)
}

/// Whether a client prefers OpenMetrics to plain text, which is for all that name neither.
pub(crate) fn prefers_open_metrics(headers: &HeaderMap) -> bool {
    let weight_of = |name| weight(headers, &ACCEPT, name).unwrap_or(0.0);
    let plain = weight_of("text/plain");
    let open = weight_of("application/openmetrics-text");
    open > 0.0 && open >= plain
}

/// The accepted ones of our codings by name, as an `accept-encoding`: `ServeDir` does not know `*`.
pub(crate) fn codings(headers: &HeaderMap) -> Option<HeaderValue> {
    let accepted = (accepts(headers, "br"), accepts(headers, "gzip"));
    let codings = match accepted {
        (true, true) => "br, gzip",
        (true, false) => "br",
        (false, true) => "gzip",
        (false, false) => return None,
    };
    Some(HeaderValue::from_static(codings))
}

/// Whether a coding is accepted; `*` stands for every coding that is not named.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let weight_of = |name| weight(headers, &ACCEPT_ENCODING, name);
    let weight = weight_of(coding).or_else(|| weight_of("*"));
    weight.is_some_and(|weight| weight > 0.0)
}

/// The `q` of a name in a header that is a list: 1 by default, and none when the name is not in the list.
fn weight(headers: &HeaderMap, header: &HeaderName, name: &str) -> Option<f32> {
    let lists = headers.get_all(header).into_iter();
    let lists = lists.filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).find_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        if !parts.next()?.eq_ignore_ascii_case(name) {
            return None;
        }
        let weight =
            parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        // With a weight that does not parse, the name counts as not accepted.
        Some(weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_accepted_unless_their_weight_is_zero() {
        for (header, expected) in [
            ("gzip, deflate, br", "br, gzip"),
            ("gzip;q=0.5,BR ; q=0.1", "br, gzip"),
            ("*", "br, gzip"),
            ("br;q=0, *", "gzip"),
            ("br", "br"),
            ("gzip", "gzip"),
            ("gzip, br;q=0.000", "gzip"),
            ("gzip, br;q=x", "gzip"),
            ("", ""),
            ("brotli", ""),
            ("*;q=0", ""),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(header));
            let codings = codings(&headers);
            let codings = codings.as_ref().map_or(&b""[..], HeaderValue::as_bytes);
            assert_eq!(codings, expected.as_bytes(), "{header}");
        }
    }

    #[test]
    fn open_metrics_are_asked_for_by_name() {
        let prefers = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(value));
            prefers_open_metrics(&headers)
        };
        assert!(prefers(
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
             text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
        ));
        assert!(prefers("application/openmetrics-text"));
        assert!(!prefers("*/*") && !prefers("text/html, */*;q=0.8") && !prefers(""));
        assert!(!prefers(
            "text/plain;version=0.0.4, application/openmetrics-text;q=0.9"
        ));
        assert!(!prefers("application/openmetrics-text;q=0"));
        assert!(!prefers_open_metrics(&HeaderMap::new()));
    }

    #[test]
    fn a_navigation_asks_for_html_by_name() {
        let navigates = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(value));
            is_navigation(&headers)
        };
        assert!(navigates("text/html,application/xhtml+xml,*/*;q=0.8"));
        assert!(navigates("application/json, Text/HTML;q=0.1"));
        assert!(!navigates("*/*") && !navigates("text/*") && !navigates(""));
        assert!(!navigates("text/html;q=0") && !navigates("application/json"));
        assert!(!is_navigation(&HeaderMap::new()));
    }
}
