//! The `x-request-id` of every response: the client's own if it is valid, else a generated one.
//!
//! The header of the request stays as it is, because events show the headers that the client sent.

use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, HeaderName, HeaderValue};

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 128;

/// Generates ids that are unique in this process and, by their random prefix, across restarts.
pub(crate) struct RequestIds {
    prefix: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new(prefix: u64) -> Self {
        RequestIds {
            prefix,
            next: AtomicU64::default(),
        }
    }

    /// The id of a request.
    pub(crate) fn assign(&self, headers: &HeaderMap) -> HeaderValue {
        let header = headers.get(X_REQUEST_ID).filter(|id| is_valid(id));
        header.cloned().unwrap_or_else(|| self.generate())
    }

    fn generate(&self) -> HeaderValue {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:016x}-{number:x}", self.prefix);
        HeaderValue::try_from(id).expect("hexadecimal digits are valid in a header")
    }
}

fn is_valid(id: &HeaderValue) -> bool {
    (1..=MAX_LENGTH).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valid_id_is_kept_and_any_other_replaced() {
        let ids = RequestIds::new(0xabc);
        let id = |header: &[u8]| {
            let header = HeaderValue::from_bytes(header).unwrap();
            ids.assign(&HeaderMap::from_iter([(X_REQUEST_ID, header)]))
        };
        assert_eq!(id(b"my-id/1"), "my-id/1");
        assert_eq!(id(&[b'x'; 128]).len(), 128);
        assert_eq!(id(b""), "0000000000000abc-0");
        assert_eq!(id(b"a b"), "0000000000000abc-1");
        assert_eq!(id(b"\xff"), "0000000000000abc-2");
        assert_eq!(id(&[b'x'; 129]), "0000000000000abc-3");
        assert_eq!(ids.assign(&HeaderMap::new()), "0000000000000abc-4");
    }
}
