//! The request of the API for a call of a tool.

use axum::body::Body;
use http::{
    Method, Request,
    header::{AUTHORIZATION, CONTENT_TYPE, HOST},
};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::{builtin::Builtin, client::McpClient};

/// All but what is usual in ids, keys and slugs.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
/// Of values of the query.
const VALUE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'<')
    .add(b'>');

/// A tool of the server.
pub(super) fn of_builtin(
    tool: &Builtin,
    mut arguments: Map<String, Value>,
    client: &McpClient,
) -> Result<Request<Body>, String> {
    let path = with_variables(&tool.path, &mut arguments)?;
    if [Method::POST, Method::PUT].contains(&tool.method) {
        return request(&tool.method, &path, Some(Value::Object(arguments)), client);
    }
    let pairs: Vec<String> = arguments
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| {
            format!(
                "{}={}",
                utf8_percent_encode(name, SEGMENT),
                encoded(&text(value))
            )
        })
        .collect();
    let uri = match pairs.as_slice() {
        [] => path,
        pairs => format!("{path}?{}", pairs.join("&")),
    };
    request(&tool.method, &uri, None, client)
}

/// An action that the user enabled.
pub(super) fn of_action(
    name: &str,
    arguments: &Map<String, Value>,
    client: &McpClient,
) -> Result<Request<Body>, String> {
    let path = format!("/v1/tools/{}/run", utf8_percent_encode(name, SEGMENT));
    let body = json!({ "configured_props": arguments });
    request(&Method::POST, &path, Some(body), client)
}

fn with_variables(path: &str, arguments: &mut Map<String, Value>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, (name, after))) = rest
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        let value = arguments.remove(name).filter(|value| !value.is_null());
        let value = text(&value.ok_or_else(|| format!("{name} is required"))?);
        // Segments of dots alone would lead to another path.
        if value.is_empty() || value.chars().all(|char| char == '.') {
            return Err(format!("{name} is not valid"));
        }
        filled.push_str(before);
        filled.extend(utf8_percent_encode(&value, SEGMENT));
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn request(
    method: &Method,
    uri: &str,
    body: Option<Value>,
    client: &McpClient,
) -> Result<Request<Body>, String> {
    let mut request = Request::builder()
        .method(method)
        .uri(uri)
        .header(HOST, "localhost");
    if let Some(authorization) = &client.authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    if let Some(trace) = &client.trace {
        request = request.extension(trace.clone());
    }
    let body = match body {
        None => Body::empty(),
        Some(body) => {
            request = request.header(CONTENT_TYPE, "application/json");
            Body::from(body.to_string())
        }
    };
    request.body(body).map_err(|error| error.to_string())
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn encoded(value: &str) -> String {
    utf8_percent_encode(value, VALUE).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(path: &str, arguments: Value) -> Result<String, String> {
        let Value::Object(mut arguments) = arguments else {
            panic!("arguments are an object");
        };
        with_variables(path, &mut arguments)
    }

    #[test]
    fn arguments_cannot_leave_their_segment() {
        let path = "/v1/sources/{id}/run";
        assert_eq!(
            filled(path, json!({ "id": "a/../b?c#d" })).unwrap(),
            "/v1/sources/a%2F..%2Fb%3Fc%23d/run"
        );
        for bad in [json!({}), json!({ "id": ".." }), json!({ "id": "" })] {
            assert!(filled(path, bad).is_err());
        }
    }
}
