//! What a client says it takes.

use http::{
    HeaderMap, HeaderName,
    header::{ACCEPT, ACCEPT_ENCODING},
};

/// Whether a browser goes to a page: then it asks for HTML by name, as neither commands nor script do.
pub(super) fn is_navigation(headers: &HeaderMap) -> bool {
    weight(headers, &ACCEPT, "text/html").is_some_and(|weight| weight > 0.0)
}

/// Whether a compressed form may be sent; `*` stands for every coding that is not named.
pub(super) fn takes_coding(headers: &HeaderMap, coding: &str) -> bool {
    let weight_of = |name| weight(headers, &ACCEPT_ENCODING, name);
    let weight = weight_of(coding).or_else(|| weight_of("*"));
    weight.is_some_and(|weight| weight > 0.0)
}

/// The `q` of a name in the list that a header is; 1 when it has none, and nothing when it is not in the list.
fn weight(headers: &HeaderMap, header: &HeaderName, name: &str) -> Option<f32> {
    let lists = headers.get_all(header).into_iter();
    let lists = lists.filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).find_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        if !parts.next()?.eq_ignore_ascii_case(name) {
            return None;
        }
        let given =
            parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        // What cannot be read asks for nothing that would have to be honoured.
        Some(given.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn codings_are_taken_unless_their_weight_is_zero() {
        let takes = |value: &'static str, coding: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
            takes_coding(&headers, coding)
        };
        assert!(takes("gzip, deflate, br", "br"));
        assert!(takes("gzip;q=0.5,BR ; q=0.1", "br"));
        assert!(takes("*", "br") && takes("br;q=0, *", "gzip"));
        assert!(!takes("br;q=0, *", "br"));
        assert!(!takes("gzip", "br") && !takes("", "br") && !takes("brotli", "br"));
        assert!(!takes("br;q=0.000", "br") && !takes("br;q=x", "br"));
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
