//! The props that a component's code declares, and the check that turns them into rows.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    prop_def::PropDef,
    prop_error::{PropError, PropErrorCode},
};

/// Bounds the work of code that compares every prop with every other.
const MAX_PROPS: usize = 1_000;
/// Bytes of a key or of a prop's name. Both databases can index text of this length.
pub(crate) const MAX_NAME: usize = 500;

/// One declared prop: `def` is its type (the shorthand) or an object; a method in it is `{"$function": true}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawProp {
    pub name: String,
    pub def: Value,
}

/// The props that a component's `additionalProps` declares, or all errors in them.
pub fn check_dynamic_props(raw: Vec<RawProp>) -> Result<Vec<PropDef>, Vec<PropError>> {
    let mut errors = Vec::new();
    let props = check_props(&mut errors, raw);
    if errors.is_empty() {
        Ok(props)
    } else {
        Err(errors)
    }
}

pub(crate) fn check_props(errors: &mut Vec<PropError>, raw: Vec<RawProp>) -> Vec<PropDef> {
    let mut reject = |prop: &str, reason: String| {
        errors.push(PropError::new(
            prop,
            PropErrorCode::InvalidDeclaration,
            reason,
        ));
    };
    if raw.len() > MAX_PROPS {
        reject("", format!("there are more than {MAX_PROPS} props"));
        return Vec::new();
    }
    let mut props: Vec<PropDef> = Vec::with_capacity(raw.len());
    for RawProp { name, def } in raw {
        let name = without_nul(name);
        if name.len() > MAX_NAME {
            reject("", too_long("the name of a prop"));
            continue;
        }
        match PropDef::from_declaration(&name, strip_nul(def)) {
            Ok(_) if props.iter().any(|prop| prop.name == name) => {
                reject(&name, "declared twice".to_owned());
            }
            Ok(prop) => props.push(prop),
            Err(reasons) => {
                for reason in reasons {
                    reject(&name, reason);
                }
            }
        }
    }
    props
}

pub(crate) fn too_long(field: &str) -> String {
    format!("{field} must be at most {MAX_NAME} bytes long")
}

/// PostgreSQL cannot store NUL in text.
pub(crate) fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "")
    } else {
        text
    }
}

fn strip_nul(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_nul(text)),
        Value::Array(items) => items.into_iter().map(strip_nul).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (without_nul(key), strip_nul(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}
