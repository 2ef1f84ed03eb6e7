//! The REST API, rule by rule: one subject to a file.

mod both_databases;
mod component_url;
mod components;
mod errors;
pub(crate) mod fixtures;
mod fuzz;
mod generated_clients;
mod hostile;
mod hostile_code;
mod hostile_http;
mod one_event;
mod replay;
mod request_spans;
mod retention;
mod retention_by_age;
mod run;
mod server;
mod tap_pipedream;
