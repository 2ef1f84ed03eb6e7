//! The HTTP API in process: a real socket and a real SQLite database, scripted component processes, and a manual clock.

mod api;
mod described;
mod server;
mod support;
