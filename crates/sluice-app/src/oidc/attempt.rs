//! An attempt to sign in, sealed in the cookie of its browser.

use serde::{Deserialize, Serialize};
use sluice_infra::Infra;

pub(super) const LIFETIME_MS: i64 = 10 * 60 * 1000;
/// A longer address is not remembered: browsers limit the size of cookies.
const LONGEST_ADDRESS: usize = 1_500;

#[derive(Serialize, Deserialize)]
pub(super) struct Attempt {
    pub(super) state: String,
    pub(super) nonce: String,
    /// Of PKCE.
    pub(super) verifier: String,
    pub(super) return_to: String,
    pub(super) expires_at: i64,
}

impl Attempt {
    pub(super) fn seal(mut self, infra: &Infra) -> String {
        if self.return_to.len() > LONGEST_ADDRESS {
            self.return_to = format!("{}/", infra.settings.public_url);
        }
        let text = serde_json::to_vec(&self).expect("texts and numbers are JSON");
        infra.vault.seal(&text, &mut infra.ids.rng())
    }

    /// `None` if it was changed, or has expired.
    pub(super) fn open(sealed: &str, infra: &Infra) -> Option<Attempt> {
        let text = infra.vault.open(sealed).ok()?;
        let attempt: Attempt = serde_json::from_slice(&text).ok()?;
        (attempt.expires_at > infra.now_ms()).then_some(attempt)
    }
}
