//! The key that authenticates the messages of a harness.

use std::{fmt, str};

use rand::{Rng, rngs::StdRng};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key([u8; Key::LENGTH]);

impl Key {
    pub(crate) const LENGTH: usize = 32;

    #[expect(clippy::disallowed_methods, reason = "nobody may be able to repeat it")]
    pub(crate) fn random() -> Key {
        let mut rng: StdRng = rand::make_rng();
        let mut bytes = [0; Key::LENGTH];
        rng.fill_bytes(&mut bytes);
        Key(bytes.map(|byte| DIGITS[usize::from(byte % 16)]))
    }

    /// The key at the start of a line, and the rest of the line.
    pub(crate) fn split(line: &[u8]) -> Option<(Key, &[u8])> {
        let (key, rest) = line.split_first_chunk()?;
        Some((Key(*key), rest))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.0).unwrap_or_default())
    }
}

/// Not shown, because logs are no place for keys.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}
