//! Access for AI applications by OAuth 2.1: an application registers itself, its user approves it in the console, and it exchanges
//! the code for a named API key with scopes and an expiry. An application that renews its tokens gets tokens for an hour, which
//! replace each other as the secret of that key.
//!
//! Registrations and codes are sealed texts that the application keeps, so requests without an account write nothing.

mod application;
mod error;
mod grant;
mod redirect;
mod refresh_token;
mod renewal;
mod revocation;
mod service;

pub use application::Application;
pub use error::AccessError;
pub use renewal::Renewal;
pub use revocation::Revocation;
pub use service::{AgentAccess, AppRequest, Approval, Exchange, IssuedKey};
