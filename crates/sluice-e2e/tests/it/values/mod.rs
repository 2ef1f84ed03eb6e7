//! Values with more to them than their JSON: secrets, stores, requests, queries and folders.

mod data_store;
mod data_store_api;
mod data_store_limits;
mod db_size;
mod dir;
mod http_request;
mod secrets;
mod sql;

use serde_json::{Value, json};
use sluice_testkit::{Api, ServerOptions};

use crate::support::{own_server, user_of_shared};

/// CommonJS code of a source that is run by hand: its props, and the body of its `run(event)`.
fn with_props(props: &str, run: &str) -> String {
    format!(
        "module.exports = {{ name: \"Test\", version: \"0.0.1\", props: {{ {props} }}, async run(event) {{ {run} }} }};"
    )
}

/// Why values are refused.
async fn faults(api: &Api, props: &str, given: Value) -> Value {
    let body = json!({ "component_code": with_props(props, ""), "configured_props": given });
    let refused = api.post("/sources", &body).await.expect(422);
    refused["details"]["configured_props"].clone()
}

/// A new user of a server with little room for values.
async fn cramped_user() -> Api {
    let flags = [
        ["--max-db", "2KiB"],
        ["--max-data-store", "4KiB"],
        ["--max-data-store-value", "2KiB"],
        ["--idle-timeout", "300ms"],
    ];
    let flags = flags.into_iter().flatten();
    user_of_shared("value limits", || {
        flags.fold(own_server(), ServerOptions::arg)
    })
    .await
}
