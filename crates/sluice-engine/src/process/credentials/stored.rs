//! Credentials as they are sealed, and as components see them.

use std::collections::BTreeMap;

use rand::CryptoRng;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_model::{AppAuth, KeyField};
use sluice_store::{
    Vault,
    accounts::{Account, Renewal},
    apps::App,
};

use super::oauth::{TokenAnswer, seconds};

/// Fields of `$auth` that are made here and cannot come from anywhere else.
const ACCESS_TOKEN: &str = "oauth_access_token";
const REFRESH_TOKEN: &str = "oauth_refresh_token";
const CLIENT_ID: &str = "oauth_client_id";
const UID: &str = "oauth_uid";
const EXPIRES_IN: &str = "expires_in";

/// Tokens are renewed so long before they expire, or a tenth of their life before it if that is less.
const LONGEST_MARGIN_MS: i64 = 60_000;

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum StoredCredentials {
    Keys { fields: BTreeMap<String, String> },
    Oauth(Tokens),
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Tokens {
    pub access_token: String,
    pub refresh_token: Option<String>,
    pub uid: Option<String>,
    pub issued_at: i64,
    pub expires_at: Option<i64>,
    /// Other fields of the provider's answer.
    pub extra: BTreeMap<String, String>,
}

impl StoredCredentials {
    /// Credentials that a user entered by hand, or all errors in them.
    pub fn given(
        auth: &AppAuth,
        given: &Map<String, Value>,
        now: i64,
    ) -> Result<StoredCredentials, Vec<String>> {
        match auth {
            AppAuth::None => Err(vec!["the app needs no account".to_owned()]),
            AppAuth::Keys { fields } => {
                KeyField::check_all(fields, given).map(|fields| StoredCredentials::Keys { fields })
            }
            AppAuth::Oauth(_) => Tokens::given(given, now).map(StoredCredentials::Oauth),
        }
    }

    pub fn open(vault: &Vault, account: &Account) -> Result<StoredCredentials, String> {
        let opened = vault
            .open(&account.credentials_sealed)
            .map_err(|error| error.to_string())?;
        serde_json::from_slice(&opened).map_err(|error| error.to_string())
    }

    /// The sealed form for the store.
    pub fn seal(&self, vault: &Vault, rng: &mut impl CryptoRng, at: i64) -> Renewal {
        let text = serde_json::to_vec(self).expect("credentials have only text for keys");
        Renewal {
            credentials_sealed: vault.seal(&text, rng),
            expires_at: match self {
                StoredCredentials::Keys { .. } => None,
                StoredCredentials::Oauth(tokens) => tokens.expires_at,
            },
            at,
        }
    }

    /// The user's id at the provider, if known.
    pub fn uid(&self) -> Option<String> {
        match self {
            StoredCredentials::Keys { .. } => None,
            StoredCredentials::Oauth(tokens) => tokens.uid.clone(),
        }
    }

    /// `$auth`.
    pub fn auth(&self, app: &App) -> Map<String, Value> {
        match self {
            StoredCredentials::Keys { fields } => as_json(fields),
            StoredCredentials::Oauth(tokens) => tokens.auth(app),
        }
    }
}

impl Tokens {
    /// The tokens of a new authorization.
    pub fn first(answer: TokenAnswer, uid: Option<String>, now: i64) -> Tokens {
        Tokens {
            access_token: answer.access_token,
            refresh_token: answer.refresh_token,
            uid,
            issued_at: now,
            expires_at: expiry(now, answer.expires_in),
            extra: answer.extra,
        }
    }

    /// The tokens after a renewal. A provider may omit what did not change.
    #[must_use]
    pub fn renewed(&self, answer: TokenAnswer, now: i64) -> Tokens {
        let mut extra = self.extra.clone();
        extra.extend(answer.extra);
        Tokens {
            access_token: answer.access_token,
            refresh_token: answer.refresh_token.or_else(|| self.refresh_token.clone()),
            uid: self.uid.clone(),
            issued_at: now,
            expires_at: expiry(now, answer.expires_in),
            extra,
        }
    }

    /// Time of the next renewal; `None` when they do not expire.
    pub fn renew_at(&self) -> Option<i64> {
        let expires_at = self.expires_at?;
        let life = expires_at.saturating_sub(self.issued_at).max(0);
        Some(expires_at - (life / 10).min(LONGEST_MARGIN_MS))
    }

    fn given(given: &Map<String, Value>, now: i64) -> Result<Tokens, Vec<String>> {
        let mut errors = Vec::new();
        let mut texts = BTreeMap::new();
        let mut expires_in = None;
        for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
            match value {
                _ if name == EXPIRES_IN => match seconds(value) {
                    Some(seconds) => expires_in = Some(seconds),
                    None => errors.push(format!("{name} must be a number of seconds")),
                },
                Value::String(text) => {
                    texts.insert(name.clone(), text.clone());
                }
                _ => errors.push(format!("{name} must be a string")),
            }
        }
        let mut take = |name: &str| texts.remove(name).filter(|text| !text.is_empty());
        let (access_token, refresh_token) = (take(ACCESS_TOKEN), take(REFRESH_TOKEN));
        let uid = take(UID);
        // It comes from the app, so that credentials that were read can be written back as they are.
        take(CLIENT_ID);
        match access_token {
            Some(access_token) if errors.is_empty() => Ok(Tokens {
                access_token,
                refresh_token,
                uid,
                issued_at: now,
                expires_at: expiry(now, expires_in),
                extra: texts,
            }),
            Some(_) => Err(errors),
            None => {
                errors.insert(0, format!("{ACCESS_TOKEN} is required"));
                Err(errors)
            }
        }
    }

    fn auth(&self, app: &App) -> Map<String, Value> {
        let mut fields = as_json(&self.extra);
        let mut set = |name: &str, value: Option<&String>| {
            fields.remove(name);
            fields.extend(value.map(|value| (name.to_owned(), Value::from(value.as_str()))));
        };
        set(ACCESS_TOKEN, Some(&self.access_token));
        set(REFRESH_TOKEN, self.refresh_token.as_ref());
        set(UID, self.uid.as_ref());
        if let AppAuth::Oauth(settings) = &app.auth {
            set(CLIENT_ID, settings.client_id.as_ref());
        }
        fields
    }
}

fn as_json(texts: &BTreeMap<String, String>) -> Map<String, Value> {
    texts
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect()
}

fn expiry(now: i64, expires_in: Option<i64>) -> Option<i64> {
    expires_in.map(|seconds| now.saturating_add(seconds.saturating_mul(1000)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(access: &str, refresh: Option<&str>, extra: &[(&str, &str)]) -> TokenAnswer {
        TokenAnswer {
            access_token: access.to_owned(),
            refresh_token: refresh.map(str::to_owned),
            expires_in: Some(100),
            extra: extra
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    #[test]
    fn tokens_are_renewed_a_tenth_of_their_life_but_at_most_a_minute_before_they_expire() {
        let tokens = |seconds| {
            let mut answer = answer("a", None, &[]);
            answer.expires_in = seconds;
            Tokens::first(answer, None, 1_000)
        };
        assert_eq!(tokens(Some(100)).renew_at(), Some(91_000));
        assert_eq!(tokens(Some(3_600)).renew_at(), Some(3_541_000));
        assert_eq!(tokens(Some(0)).renew_at(), Some(1_000));
        assert_eq!(tokens(None).renew_at(), None);
    }

    #[test]
    fn a_renewal_keeps_what_the_provider_leaves_out() {
        let first = answer("a", Some("r"), &[("instance_url", "i"), ("scope", "s")]);
        let first = Tokens::first(first, Some("me".to_owned()), 0);
        let kept = first.renewed(answer("b", None, &[("scope", "t")]), 5);
        assert_eq!(kept.refresh_token.as_deref(), Some("r"));
        assert_eq!(kept.uid.as_deref(), Some("me"));
        assert_eq!(kept.extra["instance_url"], "i");
        assert_eq!(kept.extra["scope"], "t");
        let rotated = first.renewed(answer("b", Some("r2"), &[]), 5);
        assert_eq!(rotated.refresh_token.as_deref(), Some("r2"));
        assert_eq!(rotated.expires_at, Some(100_005));
    }

    #[test]
    fn imported_tokens_are_checked_all_at_once() {
        let given = |value: Value| {
            let tokens = Tokens::given(value.as_object().unwrap(), 0);
            tokens.map(|tokens| (tokens.access_token, tokens.expires_at))
        };
        assert_eq!(
            given(json!({"oauth_access_token": "a", "expires_in": "60", "instance_url": "i"})),
            Ok(("a".to_owned(), Some(60_000)))
        );
        assert_eq!(
            given(json!({"expires_in": "soon", "oauth_uid": 5})),
            Err(vec![
                "oauth_access_token is required".to_owned(),
                "expires_in must be a number of seconds".to_owned(),
                "oauth_uid must be a string".to_owned(),
            ])
        );
    }
}
