//! Apps and clients as the operator describes them.

use std::collections::BTreeMap;

use sluice_model::AppAuth;

/// An app as the operator describes it.
pub struct NewApp {
    pub slug: String,
    /// Defaults to the slug.
    pub name: Option<String>,
    pub description: Option<String>,
    pub auth: AppAuth,
    /// Defaults to the one it has.
    pub client_secret: Option<String>,
}

/// A client that the operator registered with a provider.
pub struct NewClient {
    pub id: String,
    /// Defaults to the one it has.
    pub secret: Option<String>,
    /// Defaults to those it has.
    pub scopes: Option<Vec<String>>,
    /// Defaults of the fields of accounts, such as the host of a server of one's own.
    pub fields: BTreeMap<String, String>,
}
