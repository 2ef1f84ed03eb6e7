//! The master key, which seals the data key and nothing else.

use std::fmt;

use rand::{CryptoRng, RngExt};

use super::{Vault, cipher::Cipher, error::VaultError, hex::hex};

const LENGTH: usize = 32;

/// The key that an operator keeps apart from the database.
#[derive(Clone, PartialEq, Eq)]
pub struct MasterKey([u8; LENGTH]);

impl MasterKey {
    pub fn generate(rng: &mut impl CryptoRng) -> MasterKey {
        MasterKey(rng.random())
    }

    /// From 64 hexadecimal characters. Space around them is ignored.
    pub fn from_hex(text: &str) -> Result<MasterKey, VaultError> {
        let digits = text.trim().as_bytes();
        let mut key = [0; LENGTH];
        if digits.len() != LENGTH * 2 {
            return Err(VaultError::BadKey);
        }
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(MasterKey(key))
    }

    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// A new data key, sealed.
    pub fn new_data_key(&self, rng: &mut impl CryptoRng) -> String {
        let data_key: [u8; LENGTH] = rng.random();
        self.cipher().seal(&data_key, rng)
    }

    /// The vault of a sealed data key. An error if another master key sealed it.
    pub fn open(&self, sealed: &str) -> Result<Vault, VaultError> {
        self.data_key(sealed).map(Vault::new)
    }

    /// The data key of this master key, sealed by `new`.
    pub fn reseal(
        &self,
        sealed: &str,
        new: &MasterKey,
        rng: &mut impl CryptoRng,
    ) -> Result<String, VaultError> {
        let data_key = self.data_key(sealed)?;
        Ok(new.cipher().seal(&data_key, rng))
    }

    fn data_key(&self, sealed: &str) -> Result<[u8; LENGTH], VaultError> {
        let opened = self.cipher().open(sealed)?;
        opened.try_into().map_err(|_| VaultError::Damaged)
    }

    fn cipher(&self) -> Cipher {
        Cipher::derive(&self.0, "sluice data key")
    }
}

/// Written by hand so that no key reaches a log.
impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(..)")
    }
}

fn digit(character: u8) -> Result<u8, VaultError> {
    char::from(character)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
        .ok_or(VaultError::BadKey)
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn rng() -> StdRng {
        StdRng::seed_from_u64(1)
    }

    fn key(byte: u8) -> MasterKey {
        MasterKey([byte; LENGTH])
    }

    #[test]
    fn a_data_key_opens_with_its_master_key_only() {
        let mut rng = rng();
        let sealed = key(1).new_data_key(&mut rng);
        assert_ne!(sealed, key(1).new_data_key(&mut rng));
        let secret = key(1).open(&sealed).unwrap().seal(b"secret", &mut rng);
        assert_eq!(
            key(1).open(&sealed).unwrap().open(&secret).unwrap(),
            b"secret"
        );
        let other = key(2).open(&sealed);
        assert!(matches!(other, Err(VaultError::OtherKey)));
        let changed = format!("{}AAAA", &sealed[..sealed.len() - 4]);
        assert!(matches!(key(1).open(&changed), Err(VaultError::Damaged)));
    }

    #[test]
    fn another_master_key_takes_over_the_same_data_key() {
        let mut rng = rng();
        let sealed = key(1).new_data_key(&mut rng);
        let before = key(1).open(&sealed).unwrap();
        let secret = before.seal(b"secret", &mut rng);
        let resealed = key(1).reseal(&sealed, &key(2), &mut rng).unwrap();
        let after = key(2).open(&resealed).unwrap();
        assert_eq!(after.open(&secret).unwrap(), b"secret");
        assert_eq!(after.fingerprint("a"), before.fingerprint("a"));
        assert!(key(1).open(&resealed).is_err());
        assert!(key(2).reseal(&sealed, &key(1), &mut rng).is_err());
    }

    #[test]
    fn hexadecimal_of_either_case_parses() {
        let parse = |text: &str| MasterKey::from_hex(text);
        assert_eq!(parse(&"aB".repeat(32)).unwrap(), key(0xab));
        assert_eq!(parse(&format!("{}\n", "01".repeat(32))).unwrap(), key(1));
        assert_eq!(key(0xab).hex(), "ab".repeat(32));
        for bad in ["", "zz", &"0".repeat(63), &"g".repeat(64), &"ä".repeat(32)] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn debug_shows_no_key() {
        assert_eq!(format!("{:?}", key(1)), "MasterKey(..)");
    }
}
