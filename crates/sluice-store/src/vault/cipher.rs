//! Authenticated encryption. A sealed text names its key, so that one of another key is told from a damaged one.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use hmac::{Hmac, Mac};
use rand::{CryptoRng, RngExt};
use sha2::Sha256;

use super::error::VaultError;

const ID_LENGTH: usize = 4;
const NONCE_LENGTH: usize = 24;

#[derive(Clone)]
pub(super) struct Cipher {
    key_id: [u8; ID_LENGTH],
    cipher: XChaCha20Poly1305,
}

impl Cipher {
    /// Derived from a key for one purpose. Ciphers of different purposes tell nothing about each other.
    pub(super) fn derive(key: &[u8; 32], purpose: &str) -> Cipher {
        let id = keyed_hash(key, format!("{purpose} id").as_bytes());
        let mut key_id = [0; ID_LENGTH];
        key_id.copy_from_slice(&id[..ID_LENGTH]);
        Cipher {
            key_id,
            cipher: XChaCha20Poly1305::new(&keyed_hash(key, purpose.as_bytes()).into()),
        }
    }

    /// Sealing the same text twice gives different results, because each has a random nonce.
    pub(super) fn seal(&self, text: &[u8], rng: &mut impl CryptoRng) -> String {
        let nonce = XNonce::from(rng.random::<[u8; NONCE_LENGTH]>());
        let payload = Payload {
            msg: text,
            aad: &self.key_id,
        };
        let sealed = self
            .cipher
            .encrypt(&nonce, payload)
            .expect("only texts of many gigabytes cannot be encrypted");
        STANDARD_NO_PAD.encode([&self.key_id[..], nonce.as_slice(), &sealed].concat())
    }

    pub(super) fn open(&self, sealed: &str) -> Result<Vec<u8>, VaultError> {
        let bytes = STANDARD_NO_PAD
            .decode(sealed)
            .map_err(|_| VaultError::Damaged)?;
        let (key_id, rest) = bytes
            .split_at_checked(ID_LENGTH)
            .ok_or(VaultError::Damaged)?;
        if key_id != self.key_id {
            return Err(VaultError::OtherKey);
        }
        let (nonce, ciphertext) = rest
            .split_first_chunk::<NONCE_LENGTH>()
            .ok_or(VaultError::Damaged)?;
        let payload = Payload {
            msg: ciphertext,
            aad: key_id,
        };
        self.cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| VaultError::Damaged)
    }
}

pub(super) fn keyed_hash(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}
