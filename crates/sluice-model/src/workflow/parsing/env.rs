//! The values that expressions read as `process.env.<name>`.

use std::collections::BTreeMap;

use super::{
    fields::Field,
    node::{Entry, NodeValue},
};
use crate::workflow::{document::EnvValue, fault::Read, names::is_name};

/// Names that begin so are the server's own.
const RESERVED_PREFIX: &str = "PIPEDREAM_";

pub(super) fn read(env: &Field<'_>) -> Read<BTreeMap<String, EnvValue>> {
    let entries: Vec<_> = env.entries()?.collect();
    let read = entries.iter().map(|(entry, field)| {
        let (name, value) = (name(entry, field), value(field));
        Ok((name?.to_owned(), value?))
    });
    // All of them are read before the first that is wrong ends it.
    let read: Vec<_> = read.collect();
    read.into_iter().collect()
}

fn name<'a>(entry: &'a Entry, field: &Field<'_>) -> Read<&'a str> {
    if !is_name(&entry.key) {
        let message =
            "the name of a value must be letters, digits and _, and not begin with a digit";
        return Err(field.fault_at(entry.key_place, message));
    }
    if entry.key.starts_with(RESERVED_PREFIX) {
        let message = format!("names that begin with {RESERVED_PREFIX} are the server's own");
        return Err(field.fault_at(entry.key_place, message));
    }
    Ok(&entry.key)
}

/// Numbers stay as they were written: `1.10` is a version to most people.
fn value(field: &Field<'_>) -> Read<EnvValue> {
    match &field.node.value {
        NodeValue::Text(text) => Ok(EnvValue::Value(text.text.clone())),
        NodeValue::Number(written) => Ok(EnvValue::Value(written.clone())),
        NodeValue::Bool(value) => Ok(EnvValue::Value(value.to_string())),
        NodeValue::Object(_) => {
            let fields = field.fields("a secret value", &["secret"])?;
            let secret = fields.required("secret")?;
            if !secret.boolean()? {
                let message = "must be true; write a value that is no secret without it";
                return Err(secret.fault(message));
            }
            Ok(EnvValue::Secret)
        }
        _ => Err(field.mismatch("a string, a number, a boolean or `{ secret: true }`")),
    }
}
