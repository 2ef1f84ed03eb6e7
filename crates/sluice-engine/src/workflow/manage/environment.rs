//! The environment values of a workflow: plain ones stand in its document, secrets are sealed beside it.

use std::collections::BTreeMap;

use sluice_model::workflow::EnvValue;
use sluice_store::Vault;

use super::findings::Findings;
use crate::error::EngineError;

pub(super) fn seal(vault: &Vault, secrets: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    secrets
        .iter()
        .map(|(name, value)| (name.clone(), vault.seal(value.as_bytes())))
        .collect()
}

/// Each secret that a document declares needs a value, and nothing else may be given one.
pub(super) fn check(
    declared: &BTreeMap<String, EnvValue>,
    given: &BTreeMap<String, String>,
    stored: &BTreeMap<String, String>,
    findings: &mut Findings<'_>,
) {
    let secrets = declared
        .iter()
        .filter(|(_, value)| **value == EnvValue::Secret);
    for (name, _) in secrets {
        if !given.contains_key(name) && !stored.contains_key(name) {
            findings.add(
                &["env".into(), name.as_str().into()],
                "is a secret that has no value yet: give it with the document",
            );
        }
    }
    for name in undeclared(declared, given) {
        findings.add(
            &["env".into(), name.into()],
            "was given a secret value, and is not declared with `secret: true`",
        );
    }
}

/// The same for secrets that come without a document.
pub(super) fn must_be_declared(
    declared: &BTreeMap<String, EnvValue>,
    given: &BTreeMap<String, String>,
) -> Result<(), EngineError> {
    let faults: Vec<String> = undeclared(declared, given)
        .map(|name| format!("{name} is not declared as a secret by the version that runs"))
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(EngineError::InvalidRecord {
        field: "secrets",
        faults,
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
    fn only_declared_secrets_are_given_values() {
        let declared = BTreeMap::from([
            ("PLAIN".to_owned(), EnvValue::Value("a".to_owned())),
            ("TOKEN".to_owned(), EnvValue::Secret),
        ]);
        let given = |name: &str| BTreeMap::from([(name.to_owned(), "x".to_owned())]);
        assert!(must_be_declared(&declared, &given("TOKEN")).is_ok());
        for other in ["PLAIN", "OTHER"] {
            let refusal = must_be_declared(&declared, &given(other));
            assert!(matches!(
                refusal,
                Err(EngineError::InvalidRecord {
                    field: "secrets",
                    ..
                })
            ));
        }
    }
}
