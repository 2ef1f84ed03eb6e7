//! Proof key for code exchange, RFC 7636.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// The secret that proves to the token endpoint that whoever exchanges the code also asked for it.
pub(crate) struct Verifier(String);

impl Verifier {
    pub(crate) fn random() -> Verifier {
        Verifier(random_text())
    }

    pub(crate) fn from_text(text: String) -> Verifier {
        Verifier(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&self.0))
    }
}

/// 256 bits that nobody guesses.
pub(crate) fn random_text() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let verifier = Verifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        assert_eq!(
            verifier.challenge(),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
        assert_eq!(Verifier::random().as_str().len(), 43);
    }
}
