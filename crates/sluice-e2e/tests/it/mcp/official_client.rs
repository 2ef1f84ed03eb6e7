//! The official client, started with node.

use std::{path::Path, process::Stdio};

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, sluice_binary};
use tokio::{io::AsyncWriteExt, process::Command};

use crate::support::shared_server;

/// The result of connecting, and those of the requests.
pub(super) struct Results {
    pub(super) connected: Value,
    pub(super) results: Vec<Value>,
}

/// A call of a tool.
#[expect(clippy::needless_pass_by_value, reason = "callers build it in place")]
pub(super) fn call(tool: &str, arguments: Value) -> Value {
    json!({ "tool": tool, "arguments": arguments })
}

/// A request for the list of tools.
pub(super) fn list() -> Value {
    json!({})
}

/// Sends requests over HTTP.
pub(super) async fn over_http(api: &Api, requests: &[Value]) -> Results {
    with_key(api.key(), requests).await
}

pub(super) async fn with_key(key: &str, requests: &[Value]) -> Results {
    let url = format!("{}/mcp", shared_server(Backend::Sqlite).url());
    exchange(&json!({ "url": url, "key": key, "requests": requests })).await
}

/// Sends requests through `sluice mcp`.
pub(super) async fn over_stdio(api: &Api, url: &str, requests: &[Value]) -> Results {
    let env = json!({ "SLUICE_URL": url, "SLUICE_API_KEY": api.key() });
    exchange(&json!({
        "command": sluice_binary(), "args": ["mcp"], "env": env, "requests": requests,
    }))
    .await
}

async fn exchange(input: &Value) -> Results {
    let Value::Array(mut results) = run_script("client.mjs", input).await else {
        panic!("no results");
    };
    Results {
        connected: results.remove(0),
        results,
    }
}

/// Runs a script of this folder with JSON as input and output.
pub(super) async fn run_script(name: &str, input: &Value) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp");
    let script = folder.join(name);
    let mut child = Command::new("node")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node can be started");
    let mut stdin = child.stdin.take().expect("a pipe");
    let text = input.to_string();
    stdin.write_all(text.as_bytes()).await.expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().await.expect("it ends");
    assert!(output.status.success(), "`make deno` installs the client");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The JSON in the text of a result that is no error.
#[track_caller]
pub(super) fn value(result: &Value) -> Value {
    assert_ne!(result["isError"], true, "{result:#}");
    serde_json::from_str(text(result)).expect("JSON")
}

/// The text of a result that is an error.
#[track_caller]
pub(super) fn refusal(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result:#}");
    text(result)
}

#[track_caller]
fn text(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {result:#}"))
}

/// The names of listed tools.
#[track_caller]
pub(super) fn names(listed: &Value) -> Vec<&str> {
    let tools = listed["tools"].as_array();
    let tools = tools.unwrap_or_else(|| panic!("no list: {listed:#}"));
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}
