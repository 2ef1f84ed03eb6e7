//! Responses of a token endpoint: tokens, or an error by what the caller can do about it.

use std::collections::BTreeMap;

use reqwest::StatusCode;
use serde_json::{Map, Value};

const LONGEST_MESSAGE: usize = 300;

/// The tokens of a provider.
pub struct TokenAnswer {
    pub access_token: String,
    pub refresh_token: Option<String>,
    /// In seconds.
    pub expires_in: Option<i64>,
    pub extra: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OauthError {
    /// A retry may succeed.
    #[error("{0}")]
    Passing(String),
    /// The code or the refresh token was used, has expired or was revoked.
    #[error("{0}")]
    InvalidGrant(String),
    #[error("{0}")]
    Refused(String),
}

pub(super) fn token_answer(status: StatusCode, body: &[u8]) -> Result<TokenAnswer, OauthError> {
    let Some(mut fields) = json_object(body).filter(|_| !status.is_server_error()) else {
        return Err(refusal(status, None));
    };
    // Some providers say 200 to everything.
    if !status.is_success() || fields.contains_key("error") {
        return Err(refusal(status, Some(&fields)));
    }
    let mut take = |name: &str| match fields.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    };
    let access_token = take("access_token")
        .ok_or_else(|| OauthError::Refused("its answer has no access_token".to_owned()))?;
    let refresh_token = take("refresh_token");
    let expires_in = fields.remove("expires_in");
    let text = |(name, value)| match value {
        Value::String(text) => Some((name, text)),
        _ => None,
    };
    Ok(TokenAnswer {
        access_token,
        refresh_token,
        expires_in: expires_in.as_ref().and_then(seconds),
        extra: fields.into_iter().filter_map(text).collect(),
    })
}

pub(super) fn refusal(status: StatusCode, fields: Option<&Map<String, Value>>) -> OauthError {
    let text = |name| fields?.get(name)?.as_str();
    let Some(code) = text("error") else {
        let message = format!("it answered {status}");
        return if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            OauthError::Passing(message)
        } else {
            OauthError::Refused(message)
        };
    };
    let message = in_words(code, text("error_description"));
    match code {
        // The second is what GitHub says.
        "invalid_grant" | "bad_refresh_token" => OauthError::InvalidGrant(message),
        "temporarily_unavailable" | "server_error" => OauthError::Passing(message),
        _ => OauthError::Refused(message),
    }
}

/// A provider's error as one short line.
pub fn in_words(code: &str, description: Option<&str>) -> String {
    let whole = match description.filter(|text| !text.is_empty()) {
        Some(description) => format!("{code}: {description}"),
        None => code.to_owned(),
    };
    let printable = |character: &char| !character.is_control();
    whole
        .chars()
        .filter(printable)
        .take(LONGEST_MESSAGE)
        .collect()
}

pub(super) fn json_object(body: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(body).ok()
}

/// Some providers write the number as a string.
pub fn seconds(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok(),
        _ => value.as_i64(),
    }
    .filter(|seconds| *seconds >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Result<TokenAnswer, OauthError> {
        token_answer(StatusCode::from_u16(status).unwrap(), body.as_bytes())
    }

    #[test]
    fn extra_texts_are_kept_and_numbers_may_be_strings() {
        let body =
            r#"{"access_token":"a","expires_in":"60","instance_url":"i","n":1,"token_type":"x"}"#;
        let answer = answer(200, body).ok().unwrap();
        assert_eq!(answer.access_token, "a");
        assert_eq!(answer.refresh_token, None);
        assert_eq!(answer.expires_in, Some(60));
        assert_eq!(answer.extra.len(), 2);
        assert_eq!(answer.extra["instance_url"], "i");
    }

    #[test]
    fn failures_are_told_apart_by_what_can_be_done_about_them() {
        let error = |status, body| answer(status, body).err().unwrap();
        let passing = |text: &str| OauthError::Passing(text.to_owned());
        assert_eq!(
            error(503, "<html>"),
            passing("it answered 503 Service Unavailable")
        );
        assert_eq!(error(429, ""), passing("it answered 429 Too Many Requests"));
        assert_eq!(
            error(400, r#"{"error":"temporarily_unavailable"}"#),
            passing("temporarily_unavailable")
        );
        assert_eq!(
            error(
                400,
                r#"{"error":"invalid_grant","error_description":"gone\u0007"}"#
            ),
            OauthError::InvalidGrant("invalid_grant: gone".to_owned())
        );
        assert!(matches!(
            error(401, r#"{"error":"invalid_client"}"#),
            OauthError::Refused(_)
        ));
        assert!(matches!(
            error(200, r#"{"error":"bad"}"#),
            OauthError::Refused(_)
        ));
        assert!(matches!(error(200, "{}"), OauthError::Refused(_)));
        assert!(matches!(error(302, ""), OauthError::Refused(_)));
    }
}
