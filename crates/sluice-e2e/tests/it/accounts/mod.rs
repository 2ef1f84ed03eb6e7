//! Apps, accounts and OAuth 2, the last against a real provider on loopback.

mod apps;
pub(crate) mod browser;
mod connect;
pub(crate) mod fixtures;
mod keys;
pub(crate) mod provider;
mod renewal;
mod secrets;
mod single_sign_on;
mod sources;
mod uses;
