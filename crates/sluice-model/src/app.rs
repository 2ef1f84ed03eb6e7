//! Apps: services that components authenticate to, and how they do it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::AccountId;

/// The field of an app prop's value that names its account.
pub const ACCOUNT_FIELD: &str = "authProvisionId";

/// Fields of `$auth` that an OAuth account has because of its tokens.
const OAUTH_FIELDS: [&str; 4] = [
    "oauth_access_token",
    "oauth_refresh_token",
    "oauth_client_id",
    "oauth_uid",
];

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

/// How to use an OAuth 2 provider, and the client that the operator registered with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthSettings {
    pub authorization_url: String,
    pub token_url: String,
    pub revocation_url: Option<String>,
    /// Returns the user that has authorized.
    pub userinfo_url: Option<String>,
    /// The field of that response with the id of the user.
    #[serde(default = "default_uid_field")]
    pub uid_field: String,
    /// None until the operator has registered a client. Tokens can be entered by hand before that.
    pub client_id: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    #[serde(default = "default_scope_separator")]
    pub scope_separator: String,
    #[serde(default)]
    pub authorize_params: BTreeMap<String, String>,
    #[serde(default)]
    pub token_params: BTreeMap<String, String>,
    #[serde(default)]
    pub client_authentication: ClientAuthentication,
    #[serde(default)]
    pub pkce: bool,
    /// Fields that an account has beside its tokens. The addresses may contain them: `https://{subdomain}.example.com`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<KeyField>,
    /// The page of the provider where a developer registers a client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub developer_url: Option<String>,
}

fn default_uid_field() -> String {
    "sub".to_owned()
}

fn default_scope_separator() -> String {
    " ".to_owned()
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
            Self::Oauth(settings) => &settings.fields,
            Self::None => &[],
        }
    }

    /// Whether `$auth` of an account can have the field.
    pub fn has_field(&self, name: &str) -> bool {
        let is_of_oauth = matches!(self, Self::Oauth(_)) && OAUTH_FIELDS.contains(&name);
        is_of_oauth || self.key_fields().iter().any(|field| field.name == name)
    }

    /// Adds fields that accounts do not have yet. Returns whether any were added. A provider may give them with the tokens, so
    /// users need not enter them for an OAuth app.
    pub fn add_fields(&mut self, fields: impl IntoIterator<Item = KeyField>) -> bool {
        let new: Vec<KeyField> = fields
            .into_iter()
            .filter(|field| !self.has_field(&field.name))
            .collect();
        if new.is_empty() {
            return false;
        }
        match self {
            Self::None => *self = Self::Keys { fields: new },
            Self::Keys { fields } => fields.extend(new),
            Self::Oauth(settings) => {
                let optional = new.into_iter().map(|field| KeyField {
                    optional: true,
                    ..field
                });
                settings.fields.extend(optional);
            }
        }
        true
    }
}

impl OauthSettings {
    /// The settings with the values of fields in the addresses. The client's secret is sent there, so a user cannot choose the
    /// host: a value is one label before a fixed domain, or the default.
    pub fn with_fields(&self, fields: &BTreeMap<String, String>) -> Result<OauthSettings, String> {
        let mut filled = self.clone();
        // A domain that is set goes first, so that a label before it is known to be one.
        let with_default = self.fields.iter().filter(|field| field.default.is_some());
        let others = self.fields.iter().filter(|field| field.default.is_none());
        let in_order: Vec<&KeyField> = with_default.chain(others).collect();
        let addresses = [
            Some(&mut filled.authorization_url),
            Some(&mut filled.token_url),
            filled.revocation_url.as_mut(),
            filled.userinfo_url.as_mut(),
        ];
        for address in addresses.into_iter().flatten() {
            for field in &in_order {
                field.fill(address, fields.get(&field.name))?;
            }
        }
        Ok(filled)
    }
}

fn is_label(text: &str) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=63).contains(&text.len()) && !text.starts_with('-') && text.bytes().all(is_inside)
}

/// Whether a host that ends so has a domain of its own: `.example.com`.
fn is_fixed_domain(end: &str) -> bool {
    end.starts_with('.') && end.matches('.').count() > 1 && !end.contains('{')
}

impl KeyField {
    /// Puts the value into an address that contains `{name}`.
    fn fill(&self, address: &mut String, value: Option<&String>) -> Result<(), String> {
        let placeholder = format!("{{{}}}", self.name);
        let Some(start) = address.find(&placeholder) else {
            return Ok(());
        };
        let value = value.or(self.default.as_ref());
        let value = value.map(String::as_str).unwrap_or_default();
        let host_end = address
            .match_indices('/')
            .nth(2)
            .map_or(address.len(), |(at, _)| at);
        let after = start + placeholder.len();
        let is_safe = after > host_end || is_fixed_domain(&address[after..host_end]);
        if self.default.as_deref() == Some(value) || (is_safe && is_label(value)) {
            *address = address.replace(&placeholder, value);
            return Ok(());
        }
        Err(if is_safe {
            format!(
                "{} must be letters, digits and dashes, without the rest of the address",
                self.name
            )
        } else {
            format!("{} can only be set by the operator", self.name)
        })
    }

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

/// Slugs of apps are lower-case letters, digits, `_` and `-`. They do not begin with `-` and have a letter or a digit.
pub fn is_app_slug(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=LONGEST_SLUG).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().any(is_plain)
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
        for good in [
            "github",
            "google_sheets",
            "7todos",
            "a-b",
            "_10000ft",
            "__1msg",
        ] {
            assert!(is_app_slug(good), "{good}");
        }
        let long = "x".repeat(101);
        for bad in ["", "GitHub", "_", "-a", "a b", "a/b", "ä", long.as_str()] {
            assert!(!is_app_slug(bad), "{bad}");
        }
    }

    #[test]
    fn a_field_in_an_address_is_one_label() {
        let settings = OauthSettings {
            authorization_url: "https://{shop}.example.com/authorize".to_owned(),
            token_url: "https://{shop}.example.com/token".to_owned(),
            revocation_url: None,
            userinfo_url: None,
            uid_field: "sub".to_owned(),
            client_id: None,
            scopes: Vec::new(),
            scope_separator: " ".to_owned(),
            authorize_params: BTreeMap::new(),
            token_params: BTreeMap::new(),
            client_authentication: ClientAuthentication::Post,
            pkce: false,
            fields: vec![field("shop")],
            developer_url: None,
        };
        let token_url = |shop: &str| {
            let fields = BTreeMap::from([("shop".to_owned(), shop.to_owned())]);
            settings.with_fields(&fields).map(|filled| filled.token_url)
        };
        assert_eq!(
            token_url("my-shop"),
            Ok("https://my-shop.example.com/token".to_owned())
        );
        for bad in [
            "",
            "evil.test/",
            "evil.test#",
            "a.b",
            "user@evil",
            "-a",
            "a b",
        ] {
            assert!(token_url(bad).is_err(), "{bad}");
        }
        assert!(settings.with_fields(&BTreeMap::new()).is_err());
    }

    #[test]
    fn only_the_default_is_a_whole_host() {
        let domain = KeyField {
            default: Some("example.com".to_owned()),
            ..field("domain")
        };
        let filled = |address: &str, value: &str| {
            let mut address = address.to_owned();
            let filled = domain.fill(&mut address, Some(&value.to_owned()));
            filled.map(|()| address)
        };
        for address in ["https://{domain}/token", "https://accounts.{domain}/token"] {
            assert!(filled(address, "example.com").is_ok(), "{address}");
            for bad in ["evil.test", "localhost", ""] {
                assert!(filled(address, bad).is_err(), "{address}: {bad}");
            }
        }
        assert!(filled("https://{domain}.{zone}.com/", "a").is_err());
        assert!(filled("https://a.test/{domain}/token", "b").is_ok());
    }

    #[test]
    fn only_new_fields_are_added() {
        let mut auth = AppAuth::None;
        assert!(!auth.add_fields([]));
        assert_eq!(auth, AppAuth::None);
        assert!(auth.add_fields([field("key")]));
        let optional = KeyField {
            optional: true,
            ..field("key")
        };
        assert!(!auth.add_fields([optional]));
        assert!(auth.add_fields([field("region")]));
        let names: Vec<_> = auth.key_fields().iter().map(|field| &field.name).collect();
        assert_eq!(names, ["key", "region"]);
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
