//! Values with a structure of their own: the name of a data store, a request, a query.

use serde_json::{Map, Value, json};

use crate::{json_value::object, prop_error::ValueError};

/// Bytes of a data store's name. Both databases can index the name together with a key.
const MAX_STORE_NAME: usize = 200;
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// The name of the store. `{name}` and `{id}` are accepted too.
pub(crate) fn data_store(value: &Value) -> Result<Value, ValueError> {
    let name = value
        .get("name")
        .or_else(|| value.get("id"))
        .unwrap_or(value)
        .as_str()
        .filter(|name| !name.trim().is_empty() && !name.contains('\0'))
        .ok_or_else(|| ValueError::invalid("must be the name of a data store"))?;
    if name.len() > MAX_STORE_NAME {
        return Err(ValueError::invalid("must be a name of at most 200 bytes"));
    }
    Ok(Value::from(name))
}

/// A request with a valid URL and method. The default method is GET.
pub(crate) fn http_request(value: &Value) -> Result<Value, ValueError> {
    let Some(Value::Object(mut request)) = object(value) else {
        return Err(ValueError::wrong_type("must be an object with a url"));
    };
    check_url(&request)?;
    let method = match request.get("method") {
        None | Some(Value::Null) => "GET".to_owned(),
        Some(method) => method
            .as_str()
            .map(str::to_ascii_uppercase)
            .filter(|method| METHODS.contains(&method.as_str()))
            .ok_or_else(|| {
                ValueError::invalid(
                    "must have a method of GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS",
                )
            })?,
    };
    request.insert("method".to_owned(), Value::from(method));
    let lists = ["headers", "params"].map(|name| request.get(name));
    if !lists.into_iter().flatten().all(is_name_value_list) {
        return Err(ValueError::invalid(
            "must have headers and params that are objects or lists of names and values",
        ));
    }
    match request.get("auth").map(|auth| auth.get("type")) {
        None | Some(None | Some(Value::Null)) => {}
        Some(Some(Value::String(kind))) if ["none", "basic", "bearer"].contains(&kind.as_str()) => {
        }
        Some(Some(_)) => {
            return Err(ValueError::invalid(
                "must have an auth of type none, basic or bearer",
            ));
        }
    }
    Ok(Value::Object(request))
}

fn check_url(request: &Map<String, Value>) -> Result<(), ValueError> {
    let url = request.get("url").and_then(Value::as_str).unwrap_or("");
    if url.is_empty() {
        return Err(ValueError::invalid("must have a url"));
    }
    let scheme = url.split("://").next().unwrap_or("").to_ascii_lowercase();
    if scheme.len() < url.len() && ["http", "https"].contains(&scheme.as_str()) {
        Ok(())
    } else {
        Err(ValueError::invalid(
            "must have a url that begins with http:// or https://",
        ))
    }
}

fn is_name_value_list(value: &Value) -> bool {
    match value {
        Value::Null | Value::Object(_) => true,
        Value::Array(rows) => rows
            .iter()
            .all(|row| row.get("name").is_some_and(Value::is_string)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A query with a list of parameters. Text is a query without parameters.
pub(crate) fn sql(value: &Value) -> Result<Value, ValueError> {
    let mut statement = match value {
        Value::String(query) => Map::from_iter([("query".to_owned(), json!(query))]),
        Value::Object(fields) => fields.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            return Err(ValueError::wrong_type(
                "must be a query or an object with one",
            ));
        }
    };
    if !statement.get("query").is_some_and(Value::is_string) {
        return Err(ValueError::invalid("must have a query"));
    }
    match statement.get("params") {
        None | Some(Value::Null) => {
            statement.insert("params".to_owned(), json!([]));
        }
        Some(Value::Array(_)) => {}
        Some(_) => return Err(ValueError::invalid("must have params that are a list")),
    }
    Ok(Value::Object(statement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_store_is_named_by_text_or_by_an_object() {
        for given in [json!("a"), json!({"name": "a"}), json!({"id": "a"})] {
            assert_eq!(data_store(&given), Ok(json!("a")), "{given}");
        }
        assert!(data_store(&json!("x".repeat(200))).is_ok());
        let invalid = [
            json!(""),
            json!(" "),
            json!("a\0"),
            json!(5),
            json!({}),
            json!({"name": 1}),
            json!("x".repeat(201)),
        ];
        for given in invalid {
            assert!(data_store(&given).is_err(), "{given}");
        }
    }

    #[test]
    fn a_request_needs_a_url_and_a_known_method() {
        assert_eq!(
            http_request(&json!({"url": "https://x"})),
            Ok(json!({"url": "https://x", "method": "GET"}))
        );
        let whole = json!({
            "url": "HTTP://x", "method": "PATCH", "headers": [{"name": "a", "value": "b"}], "params": {"c": 1},
            "body": "text", "auth": {"type": "bearer", "token": "t"},
        });
        assert_eq!(http_request(&whole), Ok(whole));
        assert_eq!(
            http_request(&json!(5)),
            Err(ValueError::wrong_type("must be an object with a url"))
        );
        for (given, reason) in [
            (json!({"method": "GET"}), "must have a url"),
            (
                json!({"url": "x.com"}),
                "must have a url that begins with http:// or https://",
            ),
            (
                json!({"url": "file://x"}),
                "must have a url that begins with http:// or https://",
            ),
            (
                json!({"url": "http"}),
                "must have a url that begins with http:// or https://",
            ),
            (
                json!({"url": "http://x", "method": "FETCH"}),
                "must have a method of GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS",
            ),
            (
                json!({"url": "http://x", "headers": [{"value": "b"}]}),
                "must have headers and params that are objects or lists of names and values",
            ),
            (
                json!({"url": "http://x", "auth": {"type": "digest"}}),
                "must have an auth of type none, basic or bearer",
            ),
        ] {
            let error = ValueError::invalid(reason);
            assert_eq!(http_request(&given), Err(error), "{given}");
        }
    }

    #[test]
    fn a_query_may_be_given_alone() {
        assert_eq!(
            sql(&json!("select 1")),
            Ok(json!({"query": "select 1", "params": []}))
        );
        let whole = json!({"query": "q", "params": [1], "more": true});
        assert_eq!(sql(&whole), Ok(whole));
        for given in [json!(1), json!({}), json!({"query": "q", "params": {}})] {
            assert!(sql(&given).is_err(), "{given}");
        }
    }
}
