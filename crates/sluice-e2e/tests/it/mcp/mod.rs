//! The server of the Model Context Protocol, used by the official client.

mod builtin;
mod every_tool;
mod keys;
mod oauth;
mod official_client;
mod refresh;
mod stdio;
mod tools;
