//! Values with more to them than their JSON: secrets, stores, requests, queries and folders.

mod data_store;
mod data_store_api;
mod data_store_limits;
mod db_size;
mod dir;
mod http_request;
mod secrets;
mod sql;

use std::sync::OnceLock;

use serde_json::{Value, json};
use sluice_testkit::{Api, Plan, Server};

use crate::support::{own_server, unique_name};

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
    static SERVER: OnceLock<Server> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let flags = [
            ["--max-db", "2KiB"],
            ["--max-data-store", "4KiB"],
            ["--max-data-store-value", "2KiB"],
            ["--idle-timeout", "300ms"],
        ];
        let options = flags
            .into_iter()
            .flatten()
            .fold(own_server(), sluice_testkit::ServerOptions::arg);
        Server::start_blocking(options)
    });
    server.user(&unique_name(), Plan::Free).await
}
