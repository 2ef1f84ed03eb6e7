//! Isolates content of users from the console in browsers.
//!
//! Responses of components have the same origin as the console, unless endpoints have a domain of their own.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{ALT_SVC, CONTENT_SECURITY_POLICY, SET_COOKIE, STRICT_TRANSPORT_SECURITY},
};

use crate::session_cookie;

/// Gives a document an opaque origin: it cannot read the console, and its requests carry no cookies.
const SANDBOX: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads",
);

/// Headers of one response that affect its whole origin.
const ORIGIN_WIDE: [HeaderName; 6] = [
    ALT_SVC,
    STRICT_TRANSPORT_SECURITY,
    HeaderName::from_static("clear-site-data"),
    HeaderName::from_static("nel"),
    HeaderName::from_static("report-to"),
    HeaderName::from_static("service-worker-allowed"),
];

/// Sandboxes content that is not ours. The content's own policy applies as well.
pub(crate) fn confine(headers: &mut HeaderMap) {
    for name in &ORIGIN_WIDE {
        headers.remove(name);
    }
    // It fails only when the map is full, and then the component sent more headers than can be sent.
    let _ = headers.try_append(CONTENT_SECURITY_POLICY, SANDBOX);
}

/// Whether a header would set a cookie of the console.
pub(super) fn sets_session(name: &HeaderName, value: &HeaderValue) -> bool {
    name == SET_COOKIE && session_cookie::is_set_by(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_policy_of_the_content_is_kept() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("x"));
        headers.insert("clear-site-data", HeaderValue::from_static("\"*\""));
        headers.insert("x-a", HeaderValue::from_static("1"));
        confine(&mut headers);
        let policies: Vec<_> = headers.get_all(CONTENT_SECURITY_POLICY).iter().collect();
        assert_eq!(policies, [&HeaderValue::from_static("x"), &SANDBOX]);
        assert!(!headers.contains_key("clear-site-data"));
        assert!(headers.contains_key("x-a"));
    }
}
