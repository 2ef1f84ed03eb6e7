//! Apps: services that components authenticate to, and how they do it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::AccountId;

/// The field of an app prop's value that names its account.
pub const ACCOUNT_FIELD: &str = "authProvisionId";

const LONGEST_SLUG: usize = 100;

/// How an app authenticates its users. Its secret, if any, is stored elsewhere, encrypted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum AppAuth {
    None,
    Keys { fields: Vec<KeyField> },
    Oauth(Box<OauthSettings>),
}

/// One of the values that an account of a key app has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyField {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    #[serde(default)]
    pub optional: bool,
    /// How a form should ask for it, such as `password`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// A client that the operator registered with an OAuth 2 provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthSettings {
    pub authorization_url: String,
    pub token_url: String,
    pub revocation_url: Option<String>,
    /// Returns the user that has authorized.
    pub userinfo_url: Option<String>,
    /// The field of that response with the id of the user.
    pub uid_field: String,
    pub client_id: String,
    pub scopes: Vec<String>,
    pub scope_separator: String,
    pub authorize_params: BTreeMap<String, String>,
    pub token_params: BTreeMap<String, String>,
    pub client_authentication: ClientAuthentication,
    pub pkce: bool,
}

/// How the client sends its secret to the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ClientAuthentication {
    #[default]
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}

impl AppAuth {
    /// Its name in `auth_type`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Keys { .. } => "keys",
            Self::Oauth(_) => "oauth",
        }
    }

    /// Whether a component can only use the app with an account.
    pub fn needs_account(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// The fields that a form for a new account asks for.
    pub fn key_fields(&self) -> &[KeyField] {
        match self {
            Self::Keys { fields } => fields,
            Self::None | Self::Oauth(_) => &[],
        }
    }
}

impl KeyField {
    /// Completes the credentials with defaults, in the order of the fields. Returns all errors if there are any.
    pub fn check_all(
        fields: &[KeyField],
        given: &Map<String, Value>,
    ) -> Result<BTreeMap<String, String>, Vec<String>> {
        let mut values = BTreeMap::new();
        let mut errors = Vec::new();
        for field in fields {
            match field.check(given.get(&field.name)) {
                Ok(value) => values.extend(value.map(|value| (field.name.clone(), value))),
                Err(error) => errors.push(format!("{} {error}", field.name)),
            }
        }
        let known = |name: &str| fields.iter().any(|field| field.name == name);
        errors.extend(
            given
                .keys()
                .filter(|name| !known(name))
                .map(|name| format!("{name} is not a field of this app")),
        );
        if errors.is_empty() {
            Ok(values)
        } else {
            Err(errors)
        }
    }

    fn check(&self, given: Option<&Value>) -> Result<Option<String>, &'static str> {
        match given.filter(|value| !value.is_null()) {
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
            None | Some(Value::String(_)) => match &self.default {
                Some(default) => Ok(Some(default.clone())),
                None if self.optional => Ok(None),
                None => Err("is required"),
            },
            Some(_) => Err("must be a string"),
        }
    }
}

/// Slugs of apps are lower-case letters, digits, `_` and `-`, and begin with a letter or a digit.
pub fn is_app_slug(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=LONGEST_SLUG).contains(&text.len())
        && text.bytes().next().is_some_and(is_plain)
        && text
            .bytes()
            .all(|byte| is_plain(byte) || matches!(byte, b'_' | b'-'))
}

/// Whether the value of any of these props names the account.
pub fn names_account(props: &Map<String, Value>, account: &AccountId) -> bool {
    let mut named = props.values().filter_map(|value| value.get(ACCOUNT_FIELD));
    named.any(|id| id.as_str() == Some(account.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str) -> KeyField {
        KeyField {
            name: name.to_owned(),
            label: None,
            description: None,
            default: None,
            optional: false,
            kind: None,
        }
    }

    fn check(given: &Value) -> Result<Vec<(String, String)>, Vec<String>> {
        let fields = [
            field("key"),
            KeyField {
                optional: true,
                ..field("region")
            },
            KeyField {
                default: Some("x.example".to_owned()),
                ..field("host")
            },
        ];
        let given = given.as_object().expect("an object");
        KeyField::check_all(&fields, given).map(|values| values.into_iter().collect())
    }

    #[test]
    fn given_fields_are_kept_and_defaults_fill_in() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            check(&json!({"key": "k"})),
            Ok(vec![pair("host", "x.example"), pair("key", "k")])
        );
        assert_eq!(
            check(&json!({"key": "k", "region": "eu", "host": "h"})),
            Ok(vec![
                pair("host", "h"),
                pair("key", "k"),
                pair("region", "eu")
            ])
        );
    }

    #[test]
    fn all_errors_come_at_once() {
        assert_eq!(
            check(&json!({"key": "", "region": 5, "other": "x"})),
            Err(vec![
                "key is required".to_owned(),
                "region must be a string".to_owned(),
                "other is not a field of this app".to_owned(),
            ])
        );
    }

    #[test]
    fn slugs_are_plain() {
        for good in ["github", "google_sheets", "7todos", "a-b"] {
            assert!(is_app_slug(good), "{good}");
        }
        let long = "x".repeat(101);
        for bad in ["", "GitHub", "_a", "-a", "a b", "a/b", "ä", long.as_str()] {
            assert!(!is_app_slug(bad), "{bad}");
        }
    }

    #[test]
    fn the_stored_form_names_its_kind() {
        let keys = AppAuth::Keys {
            fields: vec![field("key")],
        };
        let json = serde_json::to_value(&keys).unwrap();
        assert_eq!(
            json,
            json!({"type": "keys", "fields": [{"name": "key", "optional": false}]})
        );
        assert_eq!(serde_json::from_value::<AppAuth>(json).unwrap(), keys);
        assert_eq!(
            serde_json::to_value(AppAuth::None).unwrap(),
            json!({"type": "none"})
        );
    }

    #[test]
    fn an_account_is_named_by_the_field_of_an_app_prop_alone() {
        let account = AccountId::parse("apn_a").unwrap();
        let named = |props: Value| names_account(props.as_object().unwrap(), &account);
        assert!(named(
            json!({ "n": 1, "app": { "authProvisionId": "apn_a" } })
        ));
        for other in [
            json!({}),
            json!({ "app": { "authProvisionId": "apn_ab" } }),
            json!({ "app": { "authProvisionId": null } }),
            json!({ "text": "apn_a", "app": { "name": "apn_a" } }),
        ] {
            assert!(!named(other));
        }
    }
}
