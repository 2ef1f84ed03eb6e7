//! Parses the body of a request by its content type.
//!
//! `bodyRaw` is always the exact text, or base64 when the bytes are not UTF-8. `body` is the parsed value, or the text when it
//! does not parse as its content type.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{HeaderMap, header::CONTENT_TYPE};
use serde_json::value::RawValue;
use sluice_engine::inbox::NewUpload;

use super::{
    grouped::write_urlencoded, json_text::JsonText, multipart, upload_address::UploadAddresses,
};
use crate::one_line::on_one_line;

/// The body of a request in its event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventBody<'a> {
    pub(super) raw: RawBody<'a>,
    /// JSON on one line; none when `body` equals `bodyRaw`.
    pub(super) parsed: Option<Cow<'a, str>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum RawBody<'a> {
    Text(&'a str),
    Base64(String),
}

impl EventBody<'_> {
    /// An estimate of the size of the body in the event: strings are escaped, and written twice when nothing was parsed.
    pub(super) fn json_size_hint(&self) -> usize {
        let raw = match &self.raw {
            RawBody::Text(text) => text.len() + text.len() / 8,
            RawBody::Base64(text) => text.len(),
        };
        raw + self.parsed.as_ref().map_or(raw, |parsed| parsed.len())
    }
}

/// The format of a body.
enum Kind {
    Json,
    UrlEncoded,
    Multipart { boundary: String },
    Other,
}

/// Parses the body and extracts its files.
pub(super) async fn parse_body<'a>(
    headers: &HeaderMap,
    body: &'a Bytes,
    addresses: &impl UploadAddresses,
) -> (EventBody<'a>, Vec<NewUpload>) {
    let text = str::from_utf8(body).ok();
    let raw = match text {
        Some(text) => RawBody::Text(text),
        None => RawBody::Base64(STANDARD.encode(body)),
    };
    let mut uploads = Vec::new();
    let parsed = match kind(headers) {
        _ if body.is_empty() => None,
        Kind::Json => text.and_then(parse_json),
        Kind::UrlEncoded => text.map(parse_urlencoded),
        Kind::Multipart { boundary } => {
            let form = multipart::parse(body.clone(), boundary, addresses).await;
            form.map(|form| {
                uploads = form.uploads;
                Cow::Owned(form.json)
            })
        }
        Kind::Other => None,
    };
    (EventBody { raw, parsed }, uploads)
}

fn kind(headers: &HeaderMap) -> Kind {
    let Some(content_type) = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return Kind::Other;
    };
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let is = |name: &str| essence.eq_ignore_ascii_case(name);
    if is("application/json") || is("text/json") || has_json_suffix(essence) {
        Kind::Json
    } else if is("application/x-www-form-urlencoded") {
        Kind::UrlEncoded
    } else if is("multipart/form-data") {
        match multer::parse_boundary(content_type) {
            Ok(boundary) => Kind::Multipart { boundary },
            Err(_) => Kind::Other,
        }
    } else {
        Kind::Other
    }
}

fn has_json_suffix(essence: &str) -> bool {
    essence
        .rsplit_once('+')
        .is_some_and(|(_, suffix)| suffix.eq_ignore_ascii_case("json"))
}

/// The text itself if it is JSON, so that numbers and the order of keys do not change.
fn parse_json(text: &str) -> Option<Cow<'_, str>> {
    let json = serde_json::from_str::<&RawValue>(text).ok()?;
    Some(on_one_line(json.get()))
}

/// A flat object, or the text itself if it is JSON, because command-line clients send JSON with this type by default.
fn parse_urlencoded(text: &str) -> Cow<'_, str> {
    if text.trim_start().starts_with(['{', '['])
        && let Some(json) = parse_json(text)
    {
        return json;
    }
    let mut form = JsonText::with_capacity(text.len() + text.len() / 2);
    write_urlencoded(&mut form, text.as_bytes());
    Cow::Owned(form.into_string())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::ingress::multipart::tests::CountedAddresses;

    async fn parse(content_type: &str, body: &[u8]) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap());
        let body = Bytes::copy_from_slice(body);
        let (parsed, uploads) = parse_body(&headers, &body, &CountedAddresses::default()).await;
        assert!(uploads.is_empty());
        parsed.parsed.map(Cow::into_owned)
    }

    #[tokio::test]
    async fn json_types_are_parsed_and_keep_their_text() {
        for content_type in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/cloudevents+json",
            "text/json",
        ] {
            let parsed = parse(
                content_type,
                b" {\"b\": 1.00, \"a\":\n 12345678901234567890123}\r\n",
            )
            .await;
            assert_eq!(
                parsed.as_deref(),
                Some("{\"b\": 1.00, \"a\":  12345678901234567890123}"),
                "{content_type}"
            );
        }
        assert_eq!(parse("text/plain", b"{}").await, None);
        assert_eq!(parse("application/jsonp", b"{}").await, None);
    }

    #[tokio::test]
    async fn invalid_json_stays_a_string() {
        for body in [&b"{"[..], b"", b" ", b"{} {}", b"NaN", b"\"a\nb\"", b"\xff"] {
            assert_eq!(parse("application/json", body).await, None, "{body:?}");
        }
    }

    #[tokio::test]
    async fn forms_become_objects_unless_they_are_json() {
        const FORM: &str = "application/x-www-form-urlencoded";
        let parsed = parse(FORM, b"a=1&b=2&a=3").await;
        assert_eq!(parsed.as_deref(), Some(r#"{"a":["1","3"],"b":"2"}"#));
        assert_eq!(
            parse(FORM, b" {\"a\": 1}").await.as_deref(),
            Some("{\"a\": 1}")
        );
        assert_eq!(parse(FORM, b"[1]").await.as_deref(), Some("[1]"));
        assert_eq!(parse(FORM, b"{a=1").await.as_deref(), Some(r#"{"{a":"1"}"#));
        assert_eq!(parse(FORM, b"5").await.as_deref(), Some(r#"{"5":""}"#));
        assert_eq!(parse(FORM, b"\xff=1").await, None);
    }

    #[tokio::test]
    async fn the_raw_body_is_exact_text_or_base64() {
        let headers = HeaderMap::new();
        let addresses = CountedAddresses::default();
        let body = Bytes::from_static(b" {}\r\n");
        let (parsed, _) = parse_body(&headers, &body, &addresses).await;
        assert_eq!(parsed.raw, RawBody::Text(" {}\r\n"));
        let body = Bytes::from_static(b"\xff\x00");
        let (parsed, _) = parse_body(&headers, &body, &addresses).await;
        assert_eq!(parsed.raw, RawBody::Base64("/wA=".to_owned()));
    }

    #[tokio::test]
    async fn a_multipart_type_without_a_boundary_stays_a_string() {
        assert_eq!(parse("multipart/form-data", b"--x--").await, None);
    }
}
