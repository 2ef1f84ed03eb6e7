//! The values of secret props: sealed in everything that is stored, opened where code or an update needs them.
//!
//! Which values are sealed is decided by the declarations they were stored under, never by how a value looks: an object of a
//! user's own that looks sealed is a value like any other.

use rand::CryptoRng;
use serde_json::{Map, Value, json};
use sluice_model::{MASK, PropDef, PropError, PropErrorCode};
use sluice_store::{Vault, VaultError};

use crate::error::EngineError;

const SEALED: &str = "$sealed";

/// A stored value that the data key of this database does not open.
#[derive(Debug, thiserror::Error)]
#[error("the secret value of {prop} cannot be read: {error}. Give the value again")]
pub struct UnreadableSecret {
    prop: String,
    error: VaultError,
}

/// The values to store.
pub fn seal(
    vault: &Vault,
    rng: &mut impl CryptoRng,
    props: &[PropDef],
    mut values: Map<String, Value>,
) -> Map<String, Value> {
    for (name, value) in &mut values {
        if is_secret(props, name) {
            *value = json!({ SEALED: vault.seal(value.to_string().as_bytes(), rng) });
        }
    }
    values
}

/// One stored value as the component sees it.
pub fn open(vault: &Vault, prop: &PropDef, stored: &Value) -> Result<Value, UnreadableSecret> {
    let sealed = stored.get(SEALED).and_then(Value::as_str);
    let Some(sealed) = sealed.filter(|_| prop.is_secret()) else {
        return Ok(stored.clone());
    };
    vault
        .open(sealed)
        .and_then(|json| serde_json::from_slice(&json).map_err(|_| VaultError::Damaged))
        .map_err(|error| UnreadableSecret {
            prop: prop.name.clone(),
            error,
        })
}

/// All stored values as the component sees them.
pub fn opened(
    vault: &Vault,
    props: &[PropDef],
    stored: &Map<String, Value>,
) -> Result<Map<String, Value>, UnreadableSecret> {
    let mut values = stored.clone();
    for prop in props {
        if let Some(value) = values.get_mut(&prop.name) {
            *value = open(vault, prop, value)?;
        }
    }
    Ok(values)
}

/// The values of a source that is being updated. One that cannot be read stands as the mask, which keeps it.
pub struct Opened {
    pub values: Map<String, Value>,
    unreadable: Map<String, Value>,
    secret: Vec<String>,
}

impl Opened {
    /// `props` are the declarations under which the values were stored.
    pub fn new(vault: &Vault, props: &[PropDef], stored: &Map<String, Value>) -> Opened {
        let mut opened = Opened {
            values: stored.clone(),
            unreadable: Map::new(),
            secret: Vec::new(),
        };
        for prop in props.iter().filter(|prop| prop.is_secret()) {
            let Some(value) = stored.get(&prop.name) else {
                continue;
            };
            let clear = open(vault, prop, value).unwrap_or_else(|_| {
                opened.unreadable.insert(prop.name.clone(), value.clone());
                Value::from(MASK)
            });
            opened.values.insert(prop.name.clone(), clear);
            opened.secret.push(prop.name.clone());
        }
        opened
    }

    /// Puts what is stored in place of masks, also where the new code no longer has a secret.
    pub fn unmask(&self, mut given: Map<String, Value>) -> Map<String, Value> {
        for name in &self.secret {
            if let (Some(value), Some(stored)) = (given.get_mut(name), self.values.get(name))
                && value == MASK
            {
                *value = stored.clone();
            }
        }
        given
    }

    /// The values to store under the declarations of the new code.
    pub fn seal_again(
        mut self,
        vault: &Vault,
        rng: &mut impl CryptoRng,
        props: &[PropDef],
        values: Map<String, Value>,
    ) -> Result<Map<String, Value>, EngineError> {
        self.unreadable
            .retain(|name, _| values.get(name) == Some(&Value::from(MASK)));
        let lost: Vec<PropError> = self
            .unreadable
            .keys()
            .filter(|name| !is_secret(props, name))
            .map(|name| {
                let reason = "was sealed with another key: give it again";
                PropError::new(name, PropErrorCode::UnreadableSecret, reason)
            })
            .collect();
        if !lost.is_empty() {
            return Err(EngineError::InvalidProps(lost));
        }
        let mut sealed = seal(vault, rng, props, values);
        for (name, kept) in self.unreadable {
            sealed.insert(name, kept);
        }
        Ok(sealed)
    }
}

fn is_secret(props: &[PropDef], name: &str) -> bool {
    props
        .iter()
        .any(|prop| prop.name == name && prop.is_secret())
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn rng() -> StdRng {
        StdRng::seed_from_u64(1)
    }

    fn vault(byte: u8) -> Vault {
        Vault::new([byte; 32])
    }

    fn prop(def: Value) -> Vec<PropDef> {
        vec![PropDef::from_declaration("p", def).unwrap()]
    }

    fn secret() -> Vec<PropDef> {
        prop(json!({"type": "string", "secret": true}))
    }

    fn values(value: Value) -> Map<String, Value> {
        Map::from_iter([("p".to_owned(), value)])
    }

    #[test]
    fn a_secret_is_sealed_and_opens_again() {
        let stored = seal(&vault(1), &mut rng(), &secret(), values(json!("hush")));
        assert!(!Value::from(stored.clone()).to_string().contains("hush"));
        let opened = open(&vault(1), &secret()[0], &stored["p"]).unwrap();
        assert_eq!(opened, "hush");
    }

    #[test]
    fn an_object_that_looks_sealed_is_opened_only_when_it_was_sealed_here() {
        let forged = json!({ SEALED: vault(1).seal(b"\"of somebody else\"", &mut rng()) });
        let plain = prop(json!("any"));
        let stored = seal(&vault(1), &mut rng(), &plain, values(forged.clone()));
        assert_eq!(open(&vault(1), &plain[0], &stored["p"]).unwrap(), forged);
        let secret = prop(json!({"type": "any", "secret": true}));
        let stored = seal(&vault(1), &mut rng(), &secret, values(forged.clone()));
        assert_eq!(open(&vault(1), &secret[0], &stored["p"]).unwrap(), forged);
    }

    #[test]
    fn what_was_secret_and_what_becomes_secret_is_carried_over() {
        let plain = prop(json!("string"));
        let stored = seal(&vault(1), &mut rng(), &secret(), values(json!("hush")));
        let opened = Opened::new(&vault(1), &secret(), &stored);
        let given = opened.unmask(values(json!(MASK)));
        assert_eq!(given["p"], "hush");
        let clear = opened
            .seal_again(&vault(1), &mut rng(), &plain, given)
            .unwrap();
        assert_eq!(clear["p"], "hush");
        let opened = Opened::new(&vault(1), &plain, &clear);
        let sealed = opened
            .seal_again(&vault(1), &mut rng(), &secret(), clear)
            .unwrap();
        assert_eq!(open(&vault(1), &secret()[0], &sealed["p"]).unwrap(), "hush");
    }

    #[test]
    fn what_another_key_sealed_is_kept_until_it_is_given_again() {
        let stored = seal(&vault(1), &mut rng(), &secret(), values(json!("hush")));
        let error = open(&vault(2), &secret()[0], &stored["p"]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("of p cannot be read: sealed with another key")
        );

        let opened = || Opened::new(&vault(2), &secret(), &stored);
        let carried = opened().values;
        assert_eq!(carried["p"], MASK);
        let kept = opened().seal_again(&vault(2), &mut rng(), &secret(), carried.clone());
        assert_eq!(kept.unwrap(), stored);
        let plain = prop(json!("string"));
        let refused = opened().seal_again(&vault(2), &mut rng(), &plain, carried);
        assert!(matches!(refused, Err(EngineError::InvalidProps(_))));
        let renewed = opened().seal_again(&vault(2), &mut rng(), &secret(), values(json!("new")));
        assert_eq!(
            open(&vault(2), &secret()[0], &renewed.unwrap()["p"]).unwrap(),
            "new"
        );
    }
}
