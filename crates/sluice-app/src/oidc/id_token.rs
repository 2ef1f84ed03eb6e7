//! ID tokens: who signed in, as the provider signs it.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::keys::{Header, KeySet, SignatureError};

/// Clocks may differ by this.
const LEEWAY_SECONDS: i64 = 60;
const LONGEST_SUBJECT: usize = 255;

/// Claims about a person. Providers send them in the ID token or as user information.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Claims {
    #[serde(default)]
    pub(super) sub: String,
    pub(super) email: Option<String>,
    #[serde(default, deserialize_with = "flag")]
    pub(super) email_verified: bool,
    pub(super) preferred_username: Option<String>,
    pub(super) name: Option<String>,
}

#[derive(Deserialize)]
struct Envelope {
    iss: String,
    aud: Audience,
    azp: Option<String>,
    exp: f64,
    iat: Option<f64>,
    nbf: Option<f64>,
    nonce: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

/// What a token must be for.
pub(super) struct Expected<'e> {
    pub(super) issuer: &'e str,
    pub(super) client_id: &'e str,
    pub(super) nonce: &'e str,
    pub(super) now_ms: i64,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenError {
    /// The provider may have new keys.
    #[error("its ID token is signed with an unknown key")]
    UnknownKey,
    #[error("{0}")]
    Invalid(String),
}

fn invalid(reason: &str) -> TokenError {
    TokenError::Invalid(reason.to_owned())
}

/// The claims of a token that the provider signed, for this client and this sign-in, and that has not expired.
pub(super) fn verify(
    token: &str,
    keys: &KeySet,
    expected: &Expected<'_>,
) -> Result<Claims, TokenError> {
    let malformed = || invalid("its ID token is malformed");
    let (signed, signature) = token.rsplit_once('.').ok_or_else(malformed)?;
    let (header, payload) = signed.split_once('.').ok_or_else(malformed)?;
    let header: Header = part(header).ok_or_else(malformed)?;
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature);
    let signature = signature.map_err(|_| malformed())?;
    keys.verify(&header, signed.as_bytes(), &signature)
        .map_err(|error| match error {
            SignatureError::UnknownKey => TokenError::UnknownKey,
            SignatureError::Invalid => invalid("the signature of its ID token is not valid"),
            SignatureError::Algorithm(name) => TokenError::Invalid(format!(
                "its ID token is signed with {}; RS256, ES256 and EdDSA are accepted",
                short(&name)
            )),
        })?;
    let envelope: Envelope = part(payload).ok_or_else(malformed)?;
    check(&envelope, expected)?;
    let claims: Claims = part(payload).ok_or_else(malformed)?;
    if claims.sub.is_empty() || claims.sub.len() > LONGEST_SUBJECT {
        return Err(invalid("its ID token names no person"));
    }
    Ok(claims)
}

fn check(envelope: &Envelope, expected: &Expected<'_>) -> Result<(), TokenError> {
    if envelope.iss != expected.issuer {
        return Err(invalid("its ID token is from another issuer"));
    }
    let client_id = expected.client_id;
    let (is_ours, is_alone) = match &envelope.aud {
        Audience::One(audience) => (audience == client_id, true),
        Audience::Many(all) => (all.iter().any(|it| it == client_id), all.len() == 1),
    };
    let is_authorized = match &envelope.azp {
        Some(party) => party == client_id,
        None => is_alone,
    };
    if !is_ours || !is_authorized {
        return Err(invalid("its ID token is for another client"));
    }
    if envelope.nonce.as_deref() != Some(expected.nonce) {
        return Err(invalid("its ID token is for another sign-in"));
    }
    let now = expected.now_ms.div_euclid(1000);
    if !is_after(envelope.exp, now - LEEWAY_SECONDS) {
        return Err(invalid("its ID token has expired"));
    }
    let latest = now + LEEWAY_SECONDS;
    let is_early = |time: Option<f64>| time.is_some_and(|time| is_after(time, latest));
    if is_early(envelope.iat) || is_early(envelope.nbf) {
        return Err(invalid(
            "its ID token is not valid yet: compare the clocks of both servers",
        ));
    }
    Ok(())
}

/// Times may have fractions. A time that is no number is never after another.
fn is_after(time: f64, seconds: i64) -> bool {
    // Exact for times of this age.
    #[expect(clippy::cast_precision_loss, reason = "seconds are below 2^52")]
    let seconds = seconds as f64;
    time > seconds
}

fn part<T: DeserializeOwned>(text: &str) -> Option<T> {
    let json = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    serde_json::from_slice(&json).ok()
}

fn short(name: &str) -> String {
    let printable = |character: &char| !character.is_control();
    let text: String = name.chars().filter(printable).take(20).collect();
    if text.is_empty() {
        "no algorithm".to_owned()
    } else {
        text
    }
}

/// Some providers write a boolean as text.
fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value == Value::Bool(true) || value == "true")
}
