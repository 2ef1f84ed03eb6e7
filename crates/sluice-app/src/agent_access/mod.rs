//! Access for AI applications by OAuth 2.1: an application registers itself, its user approves it in the console, and it exchanges
//! the code for a named API key with scopes and an expiry.
//!
//! Registrations and codes are sealed texts that the application keeps, so requests without an account write nothing.

mod application;
mod error;
mod grant;
mod redirect;
mod service;

pub use application::Application;
pub use error::AccessError;
pub use service::{AgentAccess, AppRequest, Approval, Exchange, IssuedKey};
