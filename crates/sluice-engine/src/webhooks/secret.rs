//! The secrets that deliveries are signed with, as Standard Webhooks writes them.

use base64::{Engine, engine::general_purpose::STANDARD};
use sluice_store::Vault;

const PREFIX: &str = "whsec_";
const BYTES: usize = 24;

/// A new secret: as its user sees it once, and as it is stored.
pub(super) struct NewSecret {
    pub(super) shown: String,
    /// The text that is shown, sealed.
    pub(super) sealed: String,
}

impl NewSecret {
    pub(super) fn random(vault: &Vault) -> NewSecret {
        let bytes: [u8; BYTES] = rand::random();
        let shown = format!("{PREFIX}{}", STANDARD.encode(bytes));
        let sealed = vault.seal(shown.as_bytes());
        NewSecret { shown, sealed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_24_random_bytes_and_what_is_stored_opens_to_what_is_shown() {
        let vault = Vault::new([7; 32]);
        let secret = NewSecret::random(&vault);
        let encoded = secret.shown.strip_prefix("whsec_").expect("the prefix");
        assert_eq!(STANDARD.decode(encoded).expect("base64").len(), 24);
        let opened = vault.open(&secret.sealed).expect("our own seal");
        assert_eq!(opened, secret.shown.as_bytes());
        assert_ne!(NewSecret::random(&vault).shown, secret.shown);
    }
}
