//! What people's code answers stands on the same origin as the console, unless endpoints have a domain of their own. A browser
//! must not take the one for the other.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{ALT_SVC, CONTENT_SECURITY_POLICY, SET_COOKIE, STRICT_TRANSPORT_SECURITY},
};

use crate::session_cookie;

/// A document with this policy has an origin of its own, which is nobody else's: it reads nothing of the console, and no
/// cookie goes with what it sends.
const SANDBOX: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads",
);

/// Headers by which one answer speaks for all of its origin.
const FOR_THE_ORIGIN: [HeaderName; 6] = [
    ALT_SVC,
    STRICT_TRANSPORT_SECURITY,
    HeaderName::from_static("clear-site-data"),
    HeaderName::from_static("nel"),
    HeaderName::from_static("report-to"),
    HeaderName::from_static("service-worker-allowed"),
];

/// Confines content that is not ours. A policy that it has of its own holds beside ours.
pub(crate) fn confine(headers: &mut HeaderMap) {
    for name in &FOR_THE_ORIGIN {
        headers.remove(name);
    }
    // A map that can hold no more has let go of headers before.
    let _ = headers.try_append(CONTENT_SECURITY_POLICY, SANDBOX);
}

/// Whether a header would sign a browser in or out, at whatever address.
pub(super) fn touches_the_session(name: &HeaderName, value: &HeaderValue) -> bool {
    name == SET_COOKIE && session_cookie::is_set_by(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_of_its_own_stays_beside_ours() {
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
