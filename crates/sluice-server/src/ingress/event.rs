//! Builds the event of a request: one line of JSON.

use std::net::IpAddr;

use http::{HeaderMap, HeaderValue, Method, header::GetAll};

use super::{
    body::{EventBody, RawBody},
    grouped::write_urlencoded,
    json_text::JsonText,
};

/// Enough capacity for everything but the body, in nearly every event.
const HEAD_CAPACITY: usize = 1024;

/// The parts of an event besides the body.
pub(super) struct RequestFacts<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    pub(super) query: &'a str,
    pub(super) headers: &'a HeaderMap,
    pub(super) url: &'a str,
    pub(super) client_ip: IpAddr,
}

pub(super) fn event_json(request: &RequestFacts<'_>, body: &EventBody<'_>) -> String {
    let mut text = JsonText::with_capacity(HEAD_CAPACITY + body.json_size_hint());
    text.raw("{\"method\":");
    text.string(request.method.as_str());
    text.raw(",\"path\":");
    text.string(request.path);
    text.raw(",\"query\":");
    write_urlencoded(&mut text, request.query.as_bytes());
    text.raw(",\"headers\":");
    write_headers(&mut text, request.headers);
    write_body(&mut text, body);
    text.raw(",\"url\":");
    text.string(request.url);
    text.raw(",\"client_ip\":");
    text.plain(request.client_ip);
    text.raw("}");
    text.into_string()
}

/// The request that resumes a run, besides its body.
pub(super) struct CallbackFacts<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    pub(super) query: &'a str,
    pub(super) headers: &'a HeaderMap,
}

/// Without a body, `body` is the query, because links carry their answer there.
pub(super) fn callback_json(request: &CallbackFacts<'_>, body: &EventBody<'_>) -> String {
    let mut text = JsonText::with_capacity(HEAD_CAPACITY + body.json_size_hint());
    text.raw("{\"method\":");
    text.string(request.method.as_str());
    text.raw(",\"path\":");
    text.string(request.path);
    text.raw(",\"query\":");
    write_urlencoded(&mut text, request.query.as_bytes());
    text.raw(",\"headers\":");
    write_headers(&mut text, request.headers);
    text.raw(",\"body\":");
    if let RawBody::Text("") = body.raw {
        write_urlencoded(&mut text, request.query.as_bytes());
    } else {
        write_parsed(&mut text, body);
    }
    text.raw("}");
    text.into_string()
}

/// The body alone as an event. An absent body is an empty object, because components read fields without checking.
pub(super) fn body_json(body: &EventBody<'_>) -> String {
    if let RawBody::Text("") = body.raw {
        return "{}".to_owned();
    }
    let mut text = JsonText::with_capacity(body.json_size_hint());
    write_parsed(&mut text, body);
    text.into_string()
}

fn write_body(text: &mut JsonText, body: &EventBody<'_>) {
    text.raw(",\"bodyRaw\":");
    match &body.raw {
        RawBody::Text(raw) => text.string(raw),
        RawBody::Base64(raw) => {
            text.plain(raw);
            text.raw(",\"isBase64\":true");
        }
    }
    text.raw(",\"body\":");
    write_parsed(text, body);
}

fn write_parsed(text: &mut JsonText, body: &EventBody<'_>) {
    match (&body.parsed, &body.raw) {
        (Some(json), _) => text.raw(json),
        (None, RawBody::Text(raw)) => text.string(raw),
        (None, RawBody::Base64(raw)) => text.plain(raw),
    }
}

/// Names are in lower case, and the values of a repeated header are joined.
fn write_headers(text: &mut JsonText, headers: &HeaderMap) {
    text.raw("{");
    text.joined(headers.keys(), |text, name| {
        text.string(name.as_str());
        text.raw(":");
        write_values(text, &headers.get_all(name));
    });
    text.raw("}");
}

fn write_values(text: &mut JsonText, values: &GetAll<'_, HeaderValue>) {
    let mut values = values
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()));
    let first = values.next().unwrap_or_default();
    text.string(&values.fold(first, |joined, value| joined + ", " + value));
}

#[cfg(test)]
mod tests {
    use http::HeaderName;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn event(query: &str, headers: &HeaderMap, body: &EventBody<'_>) -> String {
        let request = RequestFacts {
            method: &Method::POST,
            path: "/a\"b",
            query,
            headers,
            url: "http://localhost/e/x",
            client_ip: IpAddr::from([127, 0, 0, 1]),
        };
        event_json(&request, body)
    }

    fn text_body(raw: &str) -> EventBody<'_> {
        EventBody {
            raw: RawBody::Text(raw),
            parsed: None,
        }
    }

    #[test]
    fn an_event_has_its_fields_in_order() {
        let mut headers = HeaderMap::new();
        headers.append("X-Two", HeaderValue::from_static("1"));
        headers.append("x-two", HeaderValue::from_static("2"));
        headers.append("x-odd", HeaderValue::from_bytes(b"\xff\t\"").unwrap());
        let body = EventBody {
            raw: RawBody::Text("{\"n\": 1.0}"),
            parsed: Some("{\"n\": 1.0}".into()),
        };
        assert_eq!(
            event("a=1&a=2", &headers, &body),
            concat!(
                r#"{"method":"POST","path":"/a\"b","query":{"a":["1","2"]},"#,
                r#""headers":{"x-two":"1, 2","x-odd":"\u{fffd}\t\""},"#,
                r#""bodyRaw":"{\"n\": 1.0}","body":{"n": 1.0},"#,
                r#""url":"http://localhost/e/x","client_ip":"127.0.0.1"}"#,
            )
            .replace("\\u{fffd}", "\u{fffd}")
        );
    }

    #[test]
    fn no_body_is_an_empty_string() {
        let event: Value =
            serde_json::from_str(&event("", &HeaderMap::new(), &text_body(""))).unwrap();
        assert_eq!(event["bodyRaw"], "");
        assert_eq!(event["body"], "");
        assert_eq!(event.get("isBase64"), None);
    }

    #[test]
    fn a_body_can_be_the_event() {
        assert_eq!(body_json(&text_body("")), "{}");
        assert_eq!(body_json(&text_body("a\n")), r#""a\n""#);
        let parsed = EventBody {
            raw: RawBody::Text("{\"n\":\n1.0}"),
            parsed: Some("{\"n\": 1.0}".into()),
        };
        assert_eq!(body_json(&parsed), r#"{"n": 1.0}"#);
    }

    #[test]
    fn binary_bodies_are_marked() {
        let body = EventBody {
            raw: RawBody::Base64("/w==".to_owned()),
            parsed: None,
        };
        let event: Value = serde_json::from_str(&event("", &HeaderMap::new(), &body)).unwrap();
        assert_eq!(event["bodyRaw"], "/w==");
        assert_eq!(event["isBase64"], json!(true));
        assert_eq!(event["body"], "/w==");
    }

    proptest! {
        #[test]
        fn any_request_becomes_one_line_of_json(
            raw in "\\PC*|[\\x00-\\x1f]*",
            query in ".*",
            values in proptest::collection::vec("[\\x20-\\x7e\\t]*", 0..5),
        ) {
            let mut headers = HeaderMap::new();
            for (index, value) in values.iter().enumerate() {
                let name = HeaderName::try_from(format!("x-{}", index / 2)).unwrap();
                headers.append(name, HeaderValue::from_str(value).unwrap());
            }
            let text = event(&query, &headers, &text_body(&raw));
            prop_assert!(!text.contains(['\n', '\r', '\0']));
            let parsed: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&parsed["bodyRaw"], &Value::from(raw));
        }
    }
}
