//! Secrets at rest: sealed for storage, and fingerprinted for look-up.
//!
//! A random data key does both. It is stored in the database, sealed by the master key, so that another master key can take
//! over without any secret being sealed again. A key for each use is derived from the data key, so that none tells
//! anything about the others.

use std::fmt;

use rand::CryptoRng;

mod cipher;
mod error;
mod hex;
mod key_file;
mod master_key;

pub use error::VaultError;
pub use key_file::{FoundKey, KeyFile, RotationLock};
pub use master_key::MasterKey;

use cipher::{Cipher, keyed_hash};
use hex::hex;

/// Seals and opens secrets with one data key.
#[derive(Clone)]
pub struct Vault {
    cipher: Cipher,
    fingerprint_key: [u8; 32],
    token_key: [u8; 32],
}

impl Vault {
    pub fn new(data_key: [u8; 32]) -> Vault {
        Vault {
            cipher: Cipher::derive(&data_key, "sluice sealed secrets"),
            fingerprint_key: keyed_hash(&data_key, b"sluice fingerprints"),
            token_key: keyed_hash(&data_key, b"sluice derived tokens"),
        }
    }

    /// Encrypts a secret. Sealing the same secret twice gives different texts.
    pub fn seal(&self, secret: &[u8], rng: &mut impl CryptoRng) -> String {
        self.cipher.seal(secret, rng)
    }

    /// Decrypts the result of [`Vault::seal`].
    pub fn open(&self, sealed: &str) -> Result<Vec<u8>, VaultError> {
        self.cipher.open(sealed)
    }

    /// A keyed hash by which a secret is found without being stored readably. The secret must be
    /// random, as API keys are: this does not slow down guessing.
    pub fn fingerprint(&self, secret: &str) -> String {
        hex(&keyed_hash(&self.fingerprint_key, secret.as_bytes()))
    }

    /// A secret that only this data key makes of a name, the same each time: 64 hexadecimal characters.
    pub fn derived_token(&self, name: &str) -> String {
        hex(&keyed_hash(&self.token_key, name.as_bytes()))
    }
}

/// Written by hand so that no key reaches a log.
impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(..)")
    }
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
        assert_eq!(vault(1).derived_token("a"), vault(1).derived_token("a"));
        assert_ne!(vault(1).derived_token("a"), vault(1).derived_token("b"));
        assert_ne!(vault(1).derived_token("a"), vault(2).derived_token("a"));
        assert_ne!(vault(1).derived_token("a"), vault(1).fingerprint("a"));
    }

    #[test]
    fn debug_shows_no_key() {
        assert_eq!(format!("{:?}", vault(1)), "Vault(..)");
    }
}
