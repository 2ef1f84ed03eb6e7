//! What a user has approved. A code is a grant, sealed, for a short time.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sluice_infra::Infra;

use super::error::AccessError;

pub(super) const LIFETIME_MS: i64 = 60 * 1000;
/// Tells a code from other sealed texts.
pub(super) const KIND: &str = "agent code";

#[derive(Serialize, Deserialize)]
pub(super) struct Grant {
    pub(super) kind: String,
    pub(super) user_id: String,
    /// The id of the key to create. A code that is used twice would create it twice.
    pub(super) key_id: String,
    /// A digest of the application's id.
    pub(super) application: String,
    pub(super) name: String,
    pub(super) renews: bool,
    pub(super) redirect_uri: String,
    /// Of PKCE, by SHA-256.
    pub(super) challenge: String,
    /// Words separated by commas.
    pub(super) scopes: String,
    /// The lifetime of the key in seconds.
    pub(super) lifetime_s: u64,
    pub(super) expires_at: i64,
}

impl Grant {
    pub(super) fn seal(&self, infra: &Infra) -> String {
        let text = serde_json::to_vec(self).expect("texts and numbers are JSON");
        infra.vault.seal(&text, &mut infra.ids.rng())
    }

    pub(super) fn open(code: &str, infra: &Infra) -> Result<Grant, AccessError> {
        let invalid = AccessError::InvalidGrant("the code is not valid, or has expired");
        let text = infra.vault.open(code).ok();
        let opened: Option<Grant> = text.and_then(|text| serde_json::from_slice(&text).ok());
        let now = infra.now_ms();
        opened
            .filter(|grant| grant.kind == KIND && grant.expires_at > now)
            .ok_or(invalid)
    }
}

/// The digest of a text, as PKCE writes it.
pub(super) fn digest(text: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}
