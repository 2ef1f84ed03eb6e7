//! The operator's settings for sign-in with OpenID Connect.

use std::fmt;

#[derive(Clone)]
pub struct OidcSettings {
    /// The provider's address, exactly as it names itself in its tokens.
    pub issuer: String,
    pub client_id: String,
    /// None for a public client.
    pub client_secret: Option<String>,
    pub scopes: Vec<String>,
    /// The provider's name on the sign-in page.
    pub name: String,
    /// Domains of mail addresses that may sign in, in lower case. Empty: all.
    pub allowed_domains: Vec<String>,
    /// Whether an unknown person gets a user.
    pub create_users: bool,
}

/// Hides the secret.
impl fmt::Debug for OidcSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcSettings")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
