//! Components as their authors meet them: loading, props, interfaces, emits, lifecycle, logs and limits.

mod dedupe;
mod dedupe_last;
mod emit;
mod environment;
mod hook_errors;
mod http_answer;
mod http_body;
mod http_event;
mod http_multipart;
mod http_respond;
mod instance;
mod lifecycle;
mod limits;
mod loading;
mod log_attribution;
mod logs;
mod process_death;
mod props;
mod restart;
mod settings;
mod shape;
mod state;
mod timer_updates;
mod timers;
mod uncaught;
mod versions;

use serde_json::{Value, json};
use sluice_testkit::{Api, ServerOptions};

use crate::support::{Deployed, own_server, user_of_shared};

/// CommonJS code of a component with a name, a version and `rest`.
fn component(rest: &str) -> String {
    format!("module.exports = {{ name: \"Test\", version: \"0.0.1\", {rest} }};")
}

/// A source that is run by hand; `run` is the body of its `run(event)`.
fn manual(run: &str) -> String {
    component(&format!("async run(event) {{ {run} }}"))
}

/// A source with an endpoint that is answered at once.
fn http(run: &str) -> String {
    component(&format!(
        "props: {{ http: '$.interface.http' }}, async run(event) {{ {run} }}"
    ))
}

/// A source with an endpoint that it answers itself.
fn responder(run: &str) -> String {
    component(&format!(
        "props: {{ http: {{ type: '$.interface.http', customResponse: true }} }}, async run(event) {{ {run} }}"
    ))
}

/// A new user of a server whose limits are low; all tests of limits share it.
async fn limited_user() -> Api {
    let flags = [
        ["--invocation-timeout", "1s"],
        ["--load-timeout", "4s"],
        ["--heap", "48MiB"],
        ["--max-body", "64KiB"],
        ["--max-emit", "8KiB"],
        ["--max-emits", "64KiB"],
        ["--max-log", "8KiB"],
    ];
    let flags = flags.into_iter().flatten();
    user_of_shared("component limits", || {
        flags.fold(own_server(), ServerOptions::arg)
    })
    .await
}

/// A new user of a server whose components may reach it.
async fn open_user() -> Api {
    user_of_shared("private network", || {
        own_server().arg("--allow-private-network")
    })
    .await
}

/// The faults of code that must be refused.
async fn code_faults(api: &Api, code: &str) -> Vec<String> {
    let body = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .expect(422);
    texts(&body["details"]["component_code"])
}

fn texts(list: &Value) -> Vec<String> {
    let list = list
        .as_array()
        .unwrap_or_else(|| panic!("not a list: {list}"));
    list.iter()
        .map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

/// The ids of the newest events' emits, newest first.
async fn emitted_ids(source: &Deployed) -> Vec<String> {
    let summaries = source.summaries().await;
    summaries
        .iter()
        .map(|summary| {
            summary["metadata"]["id"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}
