//! Messages of the protocol, as far as passing them on requires.

use serde::Deserialize;
use serde_json::{Value, json};

/// The key of the protocol version in the metadata of a request.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The code for errors of a server.
const SERVER_ERROR: i32 = -32000;
const PARSE_ERROR: i32 = -32700;

/// A message of the client.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    /// Absent in notifications.
    pub(super) id: Option<Value>,
    pub(super) method: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Message {
    /// The protocol version that the message itself names.
    pub(super) fn version(&self) -> Option<&str> {
        self.params["_meta"][VERSION].as_str()
    }

    /// What the request is about, for the header of that name.
    pub(super) fn name(&self) -> Option<&str> {
        let field = match self.method.as_deref()? {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return None,
        };
        self.params[field].as_str()
    }

    pub(super) fn is_initialize(&self) -> bool {
        self.method.as_deref() == Some("initialize")
    }

    /// The request that this notification cancels.
    pub(super) fn cancelled(&self) -> Option<&Value> {
        let is_cancellation = self.method.as_deref() == Some("notifications/cancelled");
        is_cancellation.then(|| &self.params["requestId"])
    }
}

/// The version that the server chose, in the response to `initialize`.
pub(super) fn chosen_version(response: &str) -> Option<String> {
    let response: Value = serde_json::from_str(response).ok()?;
    let version = response["result"]["protocolVersion"].as_str()?;
    Some(version.to_owned())
}

/// The response to a request that did not reach the server.
pub(super) fn failure(id: &Value, message: &str) -> String {
    error(id, SERVER_ERROR, message)
}

/// The response to a line that is no message.
pub(super) fn not_a_message(reason: &str) -> String {
    error(&Value::Null, PARSE_ERROR, reason)
}

fn error(id: &Value, code: i32, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(value: &Value) -> Message {
        serde_json::from_value(value.clone()).unwrap()
    }

    #[test]
    fn the_subject_and_the_version_of_a_request_are_found() {
        let call = message(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "fetch", "_meta": { VERSION: "2026-07-28" } },
        }));
        assert_eq!(call.name(), Some("fetch"));
        assert_eq!(call.version(), Some("2026-07-28"));
        assert!(call.cancelled().is_none() && !call.is_initialize());
    }

    #[test]
    fn a_cancellation_names_its_request() {
        let cancelled = message(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 },
        }));
        assert_eq!(cancelled.cancelled(), Some(&json!(7)));
        assert!(cancelled.id.is_none());
    }

    #[test]
    fn the_chosen_version_is_that_of_the_response() {
        let response = r#"{"id":0,"result":{"protocolVersion":"2025-06-18"}}"#;
        assert_eq!(chosen_version(response), Some("2025-06-18".to_owned()));
        assert_eq!(chosen_version("{}"), None);
    }
}
