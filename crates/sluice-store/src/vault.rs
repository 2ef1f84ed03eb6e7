//! Secrets at rest: sealed for storage, and fingerprinted for look-up.
//!
//! Two keys are derived from the master key, one for each use, so that neither tells anything
//! about the other. A sealed text names its master key by one byte, which leaves room to rotate.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use hmac::{Hmac, Mac};
use rand::{CryptoRng, RngExt};
use sha2::Sha256;

mod error;
mod hex;
mod key_file;

pub use error::VaultError;

use hex::hex;

const NONCE_LENGTH: usize = 24;

/// Seals and opens secrets with one master key.
#[derive(Clone)]
pub struct Vault {
    key_id: u8,
    cipher: XChaCha20Poly1305,
    fingerprint_key: [u8; 32],
}

impl Vault {
    pub fn new(master_key: [u8; 32]) -> Vault {
        let sealing_key = keyed_hash(&master_key, b"sluice sealed secrets");
        Vault {
            key_id: keyed_hash(&master_key, b"sluice key id")[0],
            cipher: XChaCha20Poly1305::new(&sealing_key.into()),
            fingerprint_key: keyed_hash(&master_key, b"sluice fingerprints"),
        }
    }

    /// From the 64 hexadecimal characters an operator gives.
    pub fn from_hex(master_key: &str) -> Result<Vault, VaultError> {
        key_file::parse(master_key).map(Vault::new)
    }

    /// Reads the key file at `path`; `None` when there is none.
    pub fn load(path: &std::path::Path) -> Result<Option<Vault>, VaultError> {
        Ok(key_file::load(path)?.map(Vault::new))
    }

    /// Makes a key file that only its owner can read.
    pub fn create(path: &std::path::Path, rng: &mut impl CryptoRng) -> Result<Vault, VaultError> {
        key_file::create(path, rng).map(Vault::new)
    }

    /// Writes a given key to a file that only its owner can read, unless there is a file. Returns the key of the file.
    pub fn save(path: &std::path::Path, master_key: &str) -> Result<Vault, VaultError> {
        key_file::save(path, key_file::parse(master_key)?).map(Vault::new)
    }

    /// A value by which the key is recognized.
    pub fn key_check(&self) -> String {
        self.fingerprint("sluice master key")
    }

    /// Encrypts a secret. Sealing the same secret twice gives different texts, because each has a random nonce.
    pub fn seal(&self, secret: &[u8], rng: &mut impl CryptoRng) -> String {
        let nonce = XNonce::from(rng.random::<[u8; NONCE_LENGTH]>());
        let header = [self.key_id];
        let payload = Payload {
            msg: secret,
            aad: &header,
        };
        let sealed = self
            .cipher
            .encrypt(&nonce, payload)
            .expect("only secrets of many gigabytes cannot be encrypted");
        STANDARD_NO_PAD.encode([&header[..], nonce.as_slice(), &sealed].concat())
    }

    /// Decrypts the result of [`Vault::seal`].
    pub fn open(&self, sealed: &str) -> Result<Vec<u8>, VaultError> {
        let bytes = STANDARD_NO_PAD
            .decode(sealed)
            .map_err(|_| VaultError::Damaged)?;
        let (header, rest) = bytes.split_at_checked(1).ok_or(VaultError::Damaged)?;
        if header != [self.key_id] {
            return Err(VaultError::OtherKey);
        }
        let (nonce, ciphertext) = rest
            .split_first_chunk::<NONCE_LENGTH>()
            .ok_or(VaultError::Damaged)?;
        let payload = Payload {
            msg: ciphertext,
            aad: header,
        };
        self.cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| VaultError::Damaged)
    }

    /// A keyed hash by which a secret is found without being stored readably. The secret must be
    /// random, as API keys are: this does not slow down guessing.
    pub fn fingerprint(&self, secret: &str) -> String {
        hex(&keyed_hash(&self.fingerprint_key, secret.as_bytes()))
    }
}

/// Written by hand so that no key reaches a log.
impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(..)")
    }
}

fn keyed_hash(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn rng() -> StdRng {
        StdRng::seed_from_u64(1)
    }

    fn vault(byte: u8) -> Vault {
        Vault::new([byte; 32])
    }

    #[test]
    fn what_is_sealed_opens_again() {
        let mut rng = rng();
        let sealed = vault(1).seal(b"secret", &mut rng);
        assert_eq!(vault(1).open(&sealed).unwrap(), b"secret");
        assert!(!sealed.contains("secret"));
        assert_ne!(sealed, vault(1).seal(b"secret", &mut rng));
        assert_eq!(vault(1).open(&vault(1).seal(b"", &mut rng)).unwrap(), b"");
    }

    #[test]
    fn another_key_does_not_open_it() {
        let sealed = vault(1).seal(b"secret", &mut rng());
        assert!(matches!(vault(2).open(&sealed), Err(VaultError::OtherKey)));
    }

    #[test]
    fn a_changed_text_does_not_open() {
        let sealed = vault(1).seal(b"secret", &mut rng());
        for position in 2..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[position] = if changed[position] == b'A' {
                b'B'
            } else {
                b'A'
            };
            let changed = String::from_utf8(changed).unwrap();
            assert!(vault(1).open(&changed).is_err(), "{position}");
        }
        for garbage in ["", "A", "!", "AAAA"] {
            assert!(vault(1).open(garbage).is_err(), "{garbage}");
        }
    }

    #[test]
    fn fingerprints_depend_on_key_and_secret() {
        assert_eq!(vault(1).fingerprint("a"), vault(1).fingerprint("a"));
        assert_ne!(vault(1).fingerprint("a"), vault(1).fingerprint("b"));
        assert_ne!(vault(1).fingerprint("a"), vault(2).fingerprint("a"));
        assert_eq!(vault(1).fingerprint("a").len(), 64);
    }

    #[test]
    fn debug_shows_no_key() {
        assert_eq!(format!("{:?}", vault(1)), "Vault(..)");
    }
}
