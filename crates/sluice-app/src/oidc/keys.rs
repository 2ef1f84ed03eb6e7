//! The provider's public keys, and signatures by them.
//!
//! A key decides its algorithm, never the token: a token that names another algorithm, a symmetric one or none is rejected.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::Deserialize;

/// Keys of a provider that are read. Providers have a handful.
const MOST_KEYS: usize = 100;

/// A JSON Web Key Set, of which keys of other kinds and for other uses are left out.
#[derive(Debug, Default)]
pub(super) struct KeySet(Vec<Key>);

#[derive(Debug)]
struct Key {
    id: Option<String>,
    kind: KeyKind,
}

#[derive(Debug)]
enum KeyKind {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// An uncompressed point.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// The header of a token.
#[derive(Debug, Deserialize)]
pub(super) struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that must be understood. There are none that are.
    crit: Option<serde_json::Value>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum SignatureError {
    /// The provider may have new keys.
    UnknownKey,
    Algorithm(String),
    Invalid,
}

#[derive(Deserialize)]
struct JsonKeySet {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct JsonKey {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    pub(super) fn parse(json: &[u8]) -> Option<KeySet> {
        let set: JsonKeySet = serde_json::from_slice(json).ok()?;
        let keys = set.keys.into_iter().take(MOST_KEYS).filter_map(|key| {
            let key: JsonKey = serde_json::from_value(key).ok()?;
            Key::parse(&key)
        });
        Some(KeySet(keys.collect()))
    }

    /// Verifies a signature by the key that the header names. A header may leave it out if only one key fits.
    pub(super) fn verify(
        &self,
        header: &Header,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), SignatureError> {
        if header.crit.is_some() || !ALGORITHMS.contains(&header.alg.as_str()) {
            return Err(SignatureError::Algorithm(header.alg.clone()));
        }
        let fits = |key: &&Key| {
            let is_named = header.kid.is_none() || key.id == header.kid;
            is_named && key.kind.algorithm() == header.alg
        };
        let mut fitting = self.0.iter().filter(fits);
        let key = fitting.next().ok_or(SignatureError::UnknownKey)?;
        if fitting.next().is_some() {
            return Err(SignatureError::Invalid);
        }
        key.kind
            .verify(message, signature)
            .map_err(|_| SignatureError::Invalid)
    }
}

const RS256: &str = "RS256";
const ES256: &str = "ES256";
const EDDSA: &str = "EdDSA";
const ALGORITHMS: [&str; 3] = [RS256, ES256, EDDSA];

impl Key {
    fn parse(json: &JsonKey) -> Option<Key> {
        if json.purpose.as_deref().is_some_and(|it| it != "sig") {
            return None;
        }
        let kind = match (json.kty.as_str(), json.crv.as_deref()) {
            ("RSA", _) => KeyKind::Rsa {
                modulus: number(json.n.as_ref())?,
                exponent: number(json.e.as_ref())?,
            },
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes(json.x.as_ref())?, bytes(json.y.as_ref())?);
                KeyKind::P256([&[4], &x[..], &y[..]].concat())
            }
            ("OKP", Some("Ed25519")) => KeyKind::Ed25519(bytes(json.x.as_ref())?),
            _ => return None,
        };
        let is_other = |alg: &str| alg != kind.algorithm();
        if json.alg.as_deref().is_some_and(is_other) {
            return None;
        }
        Some(Key {
            id: json.kid.clone(),
            kind,
        })
    }
}

impl KeyKind {
    fn algorithm(&self) -> &'static str {
        match self {
            KeyKind::Rsa { .. } => RS256,
            KeyKind::P256(_) => ES256,
            KeyKind::Ed25519(_) => EDDSA,
        }
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), ring::error::Unspecified> {
        match self {
            KeyKind::Rsa { modulus, exponent } => RsaPublicKeyComponents {
                n: modulus,
                e: exponent,
            }
            .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
            KeyKind::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            KeyKind::Ed25519(point) => {
                UnparsedPublicKey::new(&ED25519, point).verify(message, signature)
            }
        }
    }
}

fn bytes(text: Option<&String>) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD
        .decode(text?.trim_end_matches('='))
        .ok()
}

/// Some providers write leading zeros, which ring rejects.
fn number(text: Option<&String>) -> Option<Vec<u8>> {
    let mut bytes = bytes(text)?;
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    Some(bytes.split_off(zeros))
}
