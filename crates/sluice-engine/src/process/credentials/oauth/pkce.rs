//! Proof key for code exchange, RFC 7636.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::CryptoRng;
use sha2::{Digest, Sha256};

/// The secret that binds the exchange of a code to the request for it.
pub struct Verifier(String);

impl Verifier {
    pub fn random(rng: &mut impl CryptoRng) -> Verifier {
        Verifier(random_text(rng))
    }

    pub fn from_text(text: String) -> Verifier {
        Verifier(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&self.0))
    }
}

/// 256 random bits.
pub fn random_text(rng: &mut impl CryptoRng) -> String {
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let verifier = Verifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        assert_eq!(
            verifier.challenge(),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
        let random = Verifier::random(&mut StdRng::seed_from_u64(1));
        assert_eq!(random.as_str().len(), 43);
    }
}
