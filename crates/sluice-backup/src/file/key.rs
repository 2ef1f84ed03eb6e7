//! The key of an encrypted backup, from a passphrase.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use rand::{CryptoRng, RngExt};
use subtle::ConstantTimeEq;

use crate::{BackupError, Result};

/// Half a second and 64 MiB for each guess, about.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 4;
const LANES: u32 = 1;
/// Beyond these a file is damaged, or was made to exhaust the machine.
const MOST_MEMORY_KIB: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 32;

/// Protects a backup.
#[derive(Clone)]
pub struct Passphrase(String);

impl Passphrase {
    pub fn new(text: impl Into<String>) -> Passphrase {
        Passphrase(text.into())
    }
}

/// Written by hand so that it reaches no log.
impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(..)")
    }
}

/// How a key is made from the passphrase. It is in the file.
pub(super) struct KeyHeader {
    memory_kib: u32,
    passes: u32,
    salt: [u8; 16],
    /// Tells a wrong passphrase from a damaged file.
    check: [u8; 16],
    pub(super) nonce: [u8; 19],
}

pub(super) const KEY_HEADER_LENGTH: usize = 4 + 4 + 16 + 16 + 19;

pub(super) type Key = [u8; 32];

impl KeyHeader {
    pub(super) fn create(
        passphrase: &Passphrase,
        rng: &mut impl CryptoRng,
    ) -> Result<(KeyHeader, Key)> {
        let mut header = KeyHeader {
            memory_kib: MEMORY_KIB,
            passes: PASSES,
            salt: rng.random(),
            check: [0; 16],
            nonce: rng.random(),
        };
        let (key, check) = header.derive(passphrase)?;
        header.check = check;
        Ok((header, key))
    }

    /// The key, if the passphrase is the right one.
    pub(super) fn key(&self, passphrase: &Passphrase) -> Result<Key> {
        if self.memory_kib > MOST_MEMORY_KIB || self.passes > MOST_PASSES {
            return Err(BackupError::damaged("its key takes too long"));
        }
        let (key, check) = self.derive(passphrase)?;
        if bool::from(check.ct_eq(&self.check)) {
            Ok(key)
        } else {
            Err(BackupError::WrongPassphrase)
        }
    }

    fn derive(&self, passphrase: &Passphrase) -> Result<(Key, [u8; 16])> {
        let mut output = [0; 48];
        let bad = |error: argon2::Error| BackupError::damaged(format!("its key: {error}"));
        let params = Params::new(self.memory_kib, self.passes, LANES, Some(output.len()));
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.map_err(bad)?);
        argon2
            .hash_password_into(passphrase.0.as_bytes(), &self.salt, &mut output)
            .map_err(bad)?;
        let (mut key, mut check) = ([0; 32], [0; 16]);
        key.copy_from_slice(&output[..32]);
        check.copy_from_slice(&output[32..]);
        Ok((key, check))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(KEY_HEADER_LENGTH);
        bytes.extend_from_slice(&self.memory_kib.to_le_bytes());
        bytes.extend_from_slice(&self.passes.to_le_bytes());
        bytes.extend_from_slice(&self.salt);
        bytes.extend_from_slice(&self.check);
        bytes.extend_from_slice(&self.nonce);
        bytes
    }

    pub(super) fn from_bytes(mut bytes: &[u8]) -> Result<KeyHeader> {
        Ok(KeyHeader {
            memory_kib: u32::from_le_bytes(take(&mut bytes)?),
            passes: u32::from_le_bytes(take(&mut bytes)?),
            salt: take(&mut bytes)?,
            check: take(&mut bytes)?,
            nonce: take(&mut bytes)?,
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk().ok_or(BackupError::Incomplete)?;
    *bytes = rest;
    Ok(*first)
}
