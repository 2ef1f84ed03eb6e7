//! Responses of a token endpoint: tokens, or an error by what the caller can do about it.

use std::collections::BTreeMap;

use reqwest::StatusCode;
use serde_json::{Map, Value};
use sluice_model::{ConnectionError, ConnectionErrorCode};

const LONGEST_MESSAGE: usize = 300;

/// The tokens of a provider.
pub struct TokenAnswer {
    pub access_token: String,
    pub refresh_token: Option<String>,
    /// In seconds.
    pub expires_in: Option<i64>,
    pub extra: BTreeMap<String, String>,
}

/// The error of an answer that has no error code.
pub(super) fn unusable(message: impl Into<String>) -> ConnectionError {
    ConnectionError::new(ConnectionErrorCode::ProviderError, message)
}

pub(super) fn token_answer(
    status: StatusCode,
    body: &[u8],
) -> Result<TokenAnswer, ConnectionError> {
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
    let access_token =
        take("access_token").ok_or_else(|| unusable("its answer has no access_token"))?;
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

pub(super) fn refusal(status: StatusCode, fields: Option<&Map<String, Value>>) -> ConnectionError {
    let text = |name| fields?.get(name)?.as_str();
    let Some(code) = text("error") else {
        let message = format!("it answered {status}");
        return if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            ConnectionError::new(ConnectionErrorCode::TemporarilyUnavailable, message)
        } else {
            unusable(message)
        };
    };
    provider_error(code, text("error_description"))
}

/// The error that a provider reports with its own code.
pub fn provider_error(code: &str, description: Option<&str>) -> ConnectionError {
    let message = in_words(code, description);
    ConnectionError::new(ConnectionErrorCode::of_provider(code), message)
}

/// A provider's error as one short line.
fn in_words(code: &str, description: Option<&str>) -> String {
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

    fn answer(status: u16, body: &str) -> Result<TokenAnswer, ConnectionError> {
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
        use ConnectionErrorCode::{
            InvalidClient, InvalidGrant, ProviderError, TemporarilyUnavailable,
        };
        let error = |status, body| answer(status, body).err().unwrap();
        assert_eq!(
            error(503, "<html>"),
            ConnectionError::new(
                TemporarilyUnavailable,
                "it answered 503 Service Unavailable"
            )
        );
        assert_eq!(
            error(
                400,
                r#"{"error":"invalid_grant","error_description":"gone\u0007"}"#
            ),
            ConnectionError::new(InvalidGrant, "invalid_grant: gone")
        );
        for (status, body, code) in [
            (429, "", TemporarilyUnavailable),
            (
                400,
                r#"{"error":"temporarily_unavailable"}"#,
                TemporarilyUnavailable,
            ),
            (401, r#"{"error":"invalid_client"}"#, InvalidClient),
            (200, r#"{"error":"bad"}"#, ProviderError),
            (200, "{}", ProviderError),
            (302, "", ProviderError),
        ] {
            assert_eq!(error(status, body).code, code, "{status} {body}");
        }
    }
}
