//! Values of props in a folder, where secrets and accounts are references.
//!
//! `{ secret: NAME }` is a secret, `{ account: <name>, app: <slug> }` an account, and `{ value: … }` escapes a value that
//! looks like one of these.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sluice_api::Account;
use sluice_model::{AccountId, MASK, PropDef, PropType};

use super::names::source_secret;
use crate::commands::{secrets::SecretValues, yaml::normalized};

const ACCOUNT_ID: &str = "authProvisionId";

/// Converts the props of the source `slug` into their form in a folder.
pub(crate) fn to_references(
    shown: &Map<String, Value>,
    declared: &[PropDef],
    slug: &str,
    accounts: &[Account],
) -> Map<String, Value> {
    let own = shown
        .iter()
        .filter(|(name, value)| is_user_value(declared, name, value));
    own.map(|(name, value)| {
        let value = if is_masked(declared, name, value) {
            json!({ "secret": source_secret(slug, name) })
        } else {
            escaped_value(value, accounts)
        };
        (name.clone(), value)
    })
    .collect()
}

/// Whether the user set the value. The server sets those of endpoints and databases.
pub(crate) fn is_user_value(declared: &[PropDef], name: &str, value: &Value) -> bool {
    match declaration(declared, name) {
        Some(prop) => !prop.prop_type.takes_no_value(),
        // Dynamic props have no declaration here. The values that the server sets have these forms.
        None => {
            *value != json!({ "type": "$.service.db" })
                && !only_key(value, "endpoint_url").is_some_and(Value::is_string)
        }
    }
}

/// Whether the value is a masked secret.
pub(crate) fn is_masked(declared: &[PropDef], name: &str, value: &Value) -> bool {
    value == MASK && declaration(declared, name).is_none_or(PropDef::is_secret)
}

pub(crate) fn declaration<'a>(declared: &'a [PropDef], name: &str) -> Option<&'a PropDef> {
    declared.iter().find(|prop| prop.name == name)
}

fn escaped_value(value: &Value, accounts: &[Account]) -> Value {
    if let Some(Value::String(id)) = only_key(value, ACCOUNT_ID)
        && let Some(account) = accounts.iter().find(|account| account.id.as_str() == id)
        && named(accounts, &account.name, &account.app.name_slug).len() == 1
    {
        return json!({ "account": account.name, "app": account.app.name_slug });
    }
    literal(value)
}

/// A value that is no reference, escaped if it looks like one.
pub(crate) fn literal(value: &Value) -> Value {
    let value = normalized(without_nulls_of_timer(value));
    let looks_like_reference = only_key(&value, "secret").is_some()
        || only_key(&value, "value").is_some()
        || account_reference(&value).is_some();
    if looks_like_reference {
        json!({ "value": value })
    } else {
        value
    }
}

/// The server shows schedules with their unused field.
fn without_nulls_of_timer(value: &Value) -> Value {
    match value {
        Value::Object(fields)
            if fields.contains_key("cron") && fields.contains_key("interval_seconds") =>
        {
            let set = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(
                set.map(|(key, value)| (key.clone(), value.clone()))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Resolves the references of a folder.
pub(crate) struct References<'a> {
    pub(crate) secrets: &'a SecretValues,
    pub(crate) accounts: &'a [Account],
    /// Whether to send secrets that the server already has.
    pub(crate) update_secrets: bool,
}

impl References<'_> {
    /// The values to send, or an error for each unresolved reference. `current` are the values on the server.
    pub(crate) fn resolve(
        &self,
        props: &Map<String, Value>,
        current: &Map<String, Value>,
    ) -> Result<Map<String, Value>, Vec<String>> {
        let mut values = Map::new();
        let mut errors = Vec::new();
        for (name, value) in props {
            match self.value(value, current.get(name)) {
                Ok(value) => {
                    values.insert(name.clone(), value);
                }
                Err(error) => errors.push(format!("props.{name}: {error}")),
            }
        }
        if errors.is_empty() {
            Ok(values)
        } else {
            Err(errors)
        }
    }

    fn value(&self, value: &Value, current: Option<&Value>) -> Result<Value, String> {
        if let Some(Value::String(name)) = only_key(value, "secret") {
            return self.secret(name, current == Some(&MASK.into()));
        }
        if let Some((name, app)) = account_reference(value) {
            let id = self.account(name, app)?;
            return Ok(json!({ ACCOUNT_ID: id }));
        }
        Ok(only_key(value, "value").unwrap_or(value).clone())
    }

    fn secret(&self, name: &str, is_stored: bool) -> Result<Value, String> {
        if is_stored && !self.update_secrets {
            return Ok(MASK.into());
        }
        match self.secrets.get(name) {
            Some(value) => Ok(value.into()),
            None if is_stored => Ok(MASK.into()),
            None => Err(format!(
                "the secret {name} has no value: set the environment variable {name}, or use --secrets-file"
            )),
        }
    }

    fn account(&self, name: &str, app: &str) -> Result<&AccountId, String> {
        match named(self.accounts, name, app).as_slice() {
            [account] => Ok(&account.id),
            [] => Err(format!(
                "no account {name:?} of the app {app}: connect it first"
            )),
            _ => Err(format!(
                "several accounts {name:?} of the app {app}: rename one of them"
            )),
        }
    }
}

/// The props whose values are references to secrets.
pub(crate) fn secret_references(props: &Map<String, Value>) -> BTreeSet<&String> {
    let secrets = props
        .iter()
        .filter(|(_, value)| only_key(value, "secret").is_some());
    secrets.map(|(name, _)| name).collect()
}

fn named<'a>(accounts: &'a [Account], name: &str, app: &str) -> Vec<&'a Account> {
    let fits = |account: &&Account| account.name == name && account.app.name_slug == app;
    accounts.iter().filter(fits).collect()
}

fn account_reference(value: &Value) -> Option<(&str, &str)> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    fields
        .get("account")?
        .as_str()
        .zip(fields.get("app")?.as_str())
}

fn only_key<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    fields.get(key)
}

/// Whether the server keeps the value of a prop that a request omits.
pub(crate) fn is_kept_when_omitted(prop: &PropDef) -> bool {
    prop.prop_type == PropType::Timer || (prop.is_secret() && prop.default_value().is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn props(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(props) => props,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_value_that_looks_like_a_reference_round_trips() {
        let shown = props(json!({
            "a": { "secret": "x" }, "b": { "value": 1 }, "c": { "account": "x", "app": "y" }, "d": { "value": 1, "more": 2 },
            "e": "********", "f": { "endpoint_url": "http://x" }, "g": { "type": "$.service.db" },
        }));
        let plain = PropDef::from_declaration("e", json!("string")).unwrap();
        let written = to_references(&shown, &[plain], "s", &[]);
        assert_eq!(written["a"], json!({ "value": { "secret": "x" } }));
        assert_eq!(written["d"], shown["d"]);
        assert_eq!(written["e"], "********");
        let references = References {
            secrets: &SecretValues::default(),
            accounts: &[],
            update_secrets: false,
        };
        let mut expected = shown;
        expected.remove("f");
        expected.remove("g");
        assert_eq!(references.resolve(&written, &Map::new()), Ok(expected));
    }

    #[test]
    fn a_stored_secret_is_sent_only_with_update_secrets() {
        let given = [("NAME".to_owned(), "new".to_owned())];
        let secrets = SecretValues::new(BTreeMap::from(given));
        let sent = |update_secrets, stored: Value| {
            let references = References {
                secrets: &secrets,
                accounts: &[],
                update_secrets,
            };
            let wanted = props(json!({ "p": { "secret": "NAME" } }));
            references.resolve(&wanted, &props(stored)).unwrap()["p"].clone()
        };
        assert_eq!(sent(false, json!({})), "new");
        assert_eq!(sent(false, json!({ "p": MASK })), MASK);
        assert_eq!(sent(true, json!({ "p": MASK })), "new");
    }
}
