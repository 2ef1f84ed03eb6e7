//! Signing secrets in the format of Standard Webhooks.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rand::{CryptoRng, RngExt};
use sluice_store::Vault;

const PREFIX: &str = "whsec_";
const BYTES: usize = 24;

/// A new secret.
pub(crate) struct NewSecret {
    /// Shown to the user once.
    pub(crate) shown: String,
    /// Stored.
    pub(crate) sealed: String,
}

impl NewSecret {
    pub(crate) fn random(vault: &Vault, rng: &mut impl CryptoRng) -> NewSecret {
        let bytes: [u8; BYTES] = rng.random();
        let shown = format!("{PREFIX}{}", STANDARD.encode(bytes));
        let sealed = vault.seal(shown.as_bytes(), rng);
        NewSecret { shown, sealed }
    }
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    #[test]
    fn a_secret_is_24_random_bytes_and_is_stored_sealed() {
        let vault = Vault::new([7; 32]);
        let mut rng = StdRng::seed_from_u64(1);
        let secret = NewSecret::random(&vault, &mut rng);
        let encoded = secret.shown.strip_prefix("whsec_").expect("the prefix");
        assert_eq!(STANDARD.decode(encoded).expect("base64").len(), 24);
        let opened = vault.open(&secret.sealed).expect("our own seal");
        assert_eq!(opened, secret.shown.as_bytes());
        assert_ne!(NewSecret::random(&vault, &mut rng).shown, secret.shown);
    }
}
