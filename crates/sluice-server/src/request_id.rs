//! The `x-request-id` of every response: the client's own when it sent a sane one, else one of ours.

use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, HeaderName, HeaderValue};

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 128;

/// Makes ids that are unique in this process and, by the random number they begin with, across restarts.
pub(crate) struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new(process: u64) -> Self {
        RequestIds {
            process,
            next: AtomicU64::new(0),
        }
    }

    /// The id of a request with these headers.
    pub(crate) fn assign(&self, headers: &HeaderMap) -> HeaderValue {
        match headers.get(X_REQUEST_ID) {
            Some(given) if is_sane(given) => given.clone(),
            _ => self.generate(),
        }
    }

    fn generate(&self) -> HeaderValue {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        HeaderValue::try_from(format!("{:016x}-{number:x}", self.process))
            .expect("hexadecimal digits and a dash are a valid header value")
    }
}

fn is_sane(id: &HeaderValue) -> bool {
    (1..=MAX_LENGTH).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(ids: &RequestIds, given: &[u8]) -> HeaderValue {
        let mut headers = HeaderMap::new();
        headers.insert(X_REQUEST_ID, HeaderValue::from_bytes(given).unwrap());
        ids.assign(&headers)
    }

    #[test]
    fn a_sane_id_is_kept_and_any_other_replaced() {
        let ids = RequestIds::new(0xabc);
        assert_eq!(assigned(&ids, b"my-id/1"), "my-id/1");
        assert_eq!(assigned(&ids, &[b'x'; 128]).len(), 128);
        assert_eq!(assigned(&ids, b""), "0000000000000abc-0");
        assert_eq!(assigned(&ids, b"a b"), "0000000000000abc-1");
        assert_eq!(assigned(&ids, b"\xff"), "0000000000000abc-2");
        assert_eq!(assigned(&ids, &[b'x'; 129]), "0000000000000abc-3");
        assert_eq!(ids.assign(&HeaderMap::new()), "0000000000000abc-4");
    }
}
