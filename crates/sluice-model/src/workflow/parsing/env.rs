//! The values that expressions read as `process.env.<name>`.

use std::collections::BTreeMap;

use super::{
    fields::Field,
    node::{Entry, NodeValue},
};
use crate::workflow::{document::EnvValue, error::ParseResult, names::is_name};

/// Names with this prefix are reserved for the server.
const RESERVED_PREFIX: &str = "PIPEDREAM_";

pub(super) fn read(env: &Field<'_>) -> ParseResult<BTreeMap<String, EnvValue>> {
    let entries: Vec<_> = env.entries()?.collect();
    let read = entries.iter().map(|(entry, field)| {
        let (name, value) = (name(entry, field), value(field));
        Ok((name?.to_owned(), value?))
    });
    // All entries are read before the first error is returned, so that all errors are reported.
    let read: Vec<_> = read.collect();
    read.into_iter().collect()
}

fn name<'a>(entry: &'a Entry, field: &Field<'_>) -> ParseResult<&'a str> {
    if !is_name(&entry.key) {
        let message =
            "the name of a value must be letters, digits and _, and not begin with a digit";
        return Err(field.error_at(entry.key_position, message));
    }
    if entry.key.starts_with(RESERVED_PREFIX) {
        let message = format!("names that begin with {RESERVED_PREFIX} are the server's own");
        return Err(field.error_at(entry.key_position, message));
    }
    Ok(&entry.key)
}

/// Numbers stay as they were written, because `1.10` is usually a version.
fn value(field: &Field<'_>) -> ParseResult<EnvValue> {
    match &field.node.value {
        NodeValue::Text(text) => Ok(EnvValue::Value(text.text.clone())),
        NodeValue::Number(written) => Ok(EnvValue::Value(written.clone())),
        NodeValue::Bool(value) => Ok(EnvValue::Value(value.to_string())),
        NodeValue::Object(_) => {
            let fields = field.fields("a secret value", &["secret"])?;
            let secret = fields.required("secret")?;
            if !secret.boolean()? {
                let message = "must be true; write a value that is no secret without it";
                return Err(secret.error(message));
            }
            Ok(EnvValue::Secret)
        }
        _ => Err(field.mismatch("a string, a number, a boolean or `{ secret: true }`")),
    }
}
