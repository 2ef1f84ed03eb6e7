//! The result of a call, from the response of the API.

use axum::response::Response;
use http::StatusCode;
use http_body_util::BodyExt;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// A longer result fills the context of a model. The rest is cut.
const MAX_CHARACTERS: usize = 60_000;

/// The result of a tool of the server.
pub(super) async fn of_builtin(response: Response) -> CallToolResult {
    match read(response).await {
        Ok(body) => success(&unwrapped(body)),
        Err(error) => failure(error),
    }
}

/// The result of an action. That of one that failed is an error.
pub(super) async fn of_action(response: Response) -> CallToolResult {
    let mut run = match read(response).await {
        Ok(body) => unwrapped(body),
        Err(error) => return failure(error),
    };
    if let Some(run) = run.as_object_mut() {
        // The agent knows them, or is not to know.
        run.shift_remove("configured_props");
        run.shift_remove("key_id");
    }
    if run["state"] == "failed" {
        return failure(run.to_string());
    }
    success(&run)
}

pub(super) fn failure(message: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(cut(message))])
}

fn success(value: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(cut(value.to_string()))])
}

async fn read(response: Response) -> Result<Value, String> {
    let status = response.status();
    let body = response.into_body().collect().await;
    let body = body.map_err(|error| error.to_string())?.to_bytes();
    if status == StatusCode::NO_CONTENT || body.is_empty() {
        return Ok(Value::from("done"));
    }
    let text = String::from_utf8_lossy(&body);
    if !status.is_success() {
        return Err(format!("{status}: {text}"));
    }
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// A single item without its envelope. A list keeps its cursors.
fn unwrapped(mut body: Value) -> Value {
    match body.as_object_mut() {
        Some(fields) if fields.len() == 1 => match fields.shift_remove("data") {
            Some(data) => data,
            None => body,
        },
        _ => body,
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        None => text,
        Some((end, _)) => format!(
            "{}… (cut after {MAX_CHARACTERS} of {} characters: ask for less)",
            &text[..end],
            text.chars().count()
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_lose_their_envelope_and_lists_keep_it() {
        assert_eq!(
            unwrapped(json!({ "data": { "id": 1 } })),
            json!({ "id": 1 })
        );
        let list = json!({ "page_info": { "count": 0 }, "data": [] });
        assert_eq!(unwrapped(list.clone()), list);
        assert_eq!(unwrapped(json!({ "a": 1 })), json!({ "a": 1 }));
    }

    #[test]
    fn long_results_are_cut() {
        let text = cut("ä".repeat(MAX_CHARACTERS + 1));
        assert!(text.ends_with("(cut after 60000 of 60001 characters: ask for less)"));
        assert_eq!(cut("short".to_owned()), "short");
    }
}
