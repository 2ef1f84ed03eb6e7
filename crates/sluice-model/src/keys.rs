//! Secret tokens: API keys, session tokens of browsers, and the unguessable part of an endpoint's address.
//!
//! All are 32 lower-case hexadecimal characters, 128 bits from a cryptographic generator. The `Debug` output of an
//! [`ApiKey`] or a [`SessionToken`] hides the text, and neither serialises. Code that sends one asks for its text.

use std::fmt;

use rand::CryptoRng;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::invalid_id::InvalidId;

const HEX_LENGTH: usize = 32;

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Box<str>);

        impl $name {
            pub fn random(rng: &mut impl CryptoRng) -> Self {
                Self(random_hex(rng).into())
            }

            pub fn parse(text: &str) -> Option<Self> {
                is_key(text).then(|| Self(text.into()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    };
}

/// A [`key`] that authenticates a user.
macro_rules! secret_key {
    ($(#[$doc:meta])* $name:ident) => {
        key!($(#[$doc])* $name);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(********)"))
            }
        }
    };
}

secret_key!(
    /// The bearer token of a client.
    ApiKey
);
secret_key!(
    /// The content of the session cookie of a browser.
    SessionToken
);
key!(
    /// The part of an endpoint's address that identifies its source.
    EndpointKey
);

impl fmt::Debug for EndpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EndpointKey({self})")
    }
}

impl fmt::Display for EndpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for EndpointKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for EndpointKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            de::Error::custom(InvalidId {
                kind: "EndpointKey",
            })
        })
    }
}

fn random_hex(rng: &mut impl CryptoRng) -> String {
    format!("{:016x}{:016x}", rng.next_u64(), rng.next_u64())
}

fn is_key(text: &str) -> bool {
    text.len() == HEX_LENGTH
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    #[test]
    fn random_keys_parse_back() {
        let mut rng = StdRng::seed_from_u64(3);
        let key = ApiKey::random(&mut rng);
        assert_eq!(ApiKey::parse(key.as_str()), Some(key));
        let token = SessionToken::random(&mut rng);
        assert_eq!(SessionToken::parse(token.as_str()), Some(token));
        let endpoint = EndpointKey::random(&mut rng);
        assert_eq!(EndpointKey::parse(endpoint.as_str()), Some(endpoint));
    }

    #[test]
    fn debug_hides_api_keys_and_session_tokens() {
        let key = ApiKey::random(&mut StdRng::seed_from_u64(3));
        assert!(!format!("{key:?}").contains(key.as_str()));
        let token = SessionToken::random(&mut StdRng::seed_from_u64(3));
        assert!(!format!("{token:?}").contains(token.as_str()));
    }

    #[test]
    fn only_32_lower_case_hex_characters_parse() {
        for bad in ["", "abc", &"g".repeat(32), &"A".repeat(32), &"a".repeat(33)] {
            assert_eq!(ApiKey::parse(bad), None, "{bad}");
            assert_eq!(SessionToken::parse(bad), None, "{bad}");
            assert_eq!(EndpointKey::parse(bad), None, "{bad}");
        }
    }
}
