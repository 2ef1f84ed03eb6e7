//! Apps, accounts and OAuth 2, the last against a real provider on loopback.

mod apps;
mod browser;
mod connect;
pub(crate) mod fixtures;
mod keys;
mod provider;
mod renewal;
mod secrets;
mod sources;
mod uses;
