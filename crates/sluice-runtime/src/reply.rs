//! Responses of components to HTTP requests.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;

/// The response of a component to the HTTP request that it handles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// The body of a message: a text, or bytes in base64.
pub(crate) fn body(text: Option<String>, base64: Option<&str>) -> Result<Bytes, String> {
    match base64 {
        Some(encoded) => BASE64_STANDARD
            .decode(encoded)
            .map(Bytes::from)
            .map_err(|error| error.to_string()),
        None => Ok(Bytes::from(text.unwrap_or_default())),
    }
}
