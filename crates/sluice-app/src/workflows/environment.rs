//! The environment of a workflow: plain values are in its document, secrets are stored sealed.

use std::collections::BTreeMap;

use rand::CryptoRng;
use sluice_engine::EngineError;
use sluice_model::workflow::EnvValue;
use sluice_store::Vault;

use super::document_errors::DocumentErrors;

pub(super) fn seal(
    vault: &Vault,
    rng: &mut impl CryptoRng,
    secrets: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    secrets
        .iter()
        .map(|(name, value)| (name.clone(), vault.seal(value.as_bytes(), rng)))
        .collect()
}

/// Each declared secret needs a value, and no other name may have one.
pub(super) fn check(
    declared: &BTreeMap<String, EnvValue>,
    given: &BTreeMap<String, String>,
    stored: &BTreeMap<String, String>,
    errors: &mut DocumentErrors<'_>,
) {
    let secrets = declared
        .iter()
        .filter(|(_, value)| **value == EnvValue::Secret);
    for (name, _) in secrets {
        if !given.contains_key(name) && !stored.contains_key(name) {
            errors.add(
                &["env".into(), name.as_str().into()],
                "is a secret that has no value yet: give it with the document",
            );
        }
    }
    for name in undeclared(declared, given) {
        errors.add(
            &["env".into(), name.into()],
            "was given a secret value, and is not declared with `secret: true`",
        );
    }
}

/// The same for secrets without a document.
pub(super) fn must_be_declared(
    declared: &BTreeMap<String, EnvValue>,
    given: &BTreeMap<String, String>,
) -> Result<(), EngineError> {
    let errors: Vec<String> = undeclared(declared, given)
        .map(|name| format!("{name} is not declared as a secret by the version that runs"))
        .collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(EngineError::InvalidRecord {
        field: "secrets",
        errors,
    })
}

fn undeclared<'a>(
    declared: &BTreeMap<String, EnvValue>,
    given: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = &'a str> {
    given
        .keys()
        .filter(|name| declared.get(*name) != Some(&EnvValue::Secret))
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_secrets_may_have_values() {
        let declared = BTreeMap::from([
            ("PLAIN".to_owned(), EnvValue::Value("a".to_owned())),
            ("TOKEN".to_owned(), EnvValue::Secret),
        ]);
        let given = |name: &str| BTreeMap::from([(name.to_owned(), "x".to_owned())]);
        assert!(must_be_declared(&declared, &given("TOKEN")).is_ok());
        for other in ["PLAIN", "OTHER"] {
            let result = must_be_declared(&declared, &given(other));
            assert!(matches!(
                result,
                Err(EngineError::InvalidRecord {
                    field: "secrets",
                    ..
                })
            ));
        }
    }
}
