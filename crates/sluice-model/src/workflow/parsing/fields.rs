//! Reads the parts of a tree with their expected types, and reports errors.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::node::{Entry, Node, NodeValue};
use crate::{
    json_value::whole_number,
    workflow::{
        error::{ErrorCollector, ErrorReported, ParseResult},
        path::{PathPart, joined, shown},
        position::Position,
    },
};

/// A value and its path.
#[derive(Clone)]
pub(super) struct Field<'a> {
    pub(super) node: &'a Node,
    pub(super) path: String,
    errors: &'a ErrorCollector,
}

/// An object with a fixed set of fields.
pub(super) struct Fields<'a> {
    object: Field<'a>,
    entries: &'a [Entry],
}

impl<'a> Field<'a> {
    pub(super) fn root(node: &'a Node, errors: &'a ErrorCollector) -> Self {
        Field {
            node,
            path: String::new(),
            errors,
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ErrorReported {
        self.error_at(self.node.position, message)
    }

    pub(super) fn error_at(&self, position: Position, message: impl Into<String>) -> ErrorReported {
        self.errors.add(position, &self.path, message)
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.node.value, NodeValue::Null)
    }

    pub(super) fn child(&self, node: &'a Node, part: PathPart<'_>) -> Field<'a> {
        Field {
            node,
            path: joined(&self.path, part),
            errors: self.errors,
        }
    }

    pub(super) fn string(&self) -> ParseResult<&'a str> {
        match &self.node.value {
            NodeValue::Text(text) => Ok(&text.text),
            NodeValue::Bool(_) | NodeValue::Number(_) => {
                let kind = self.node.value.kind();
                Err(self.error(format!("must be a string, not {kind}; put it in quotes")))
            }
            _ => Err(self.mismatch("a string")),
        }
    }

    /// A string that is not blank.
    pub(super) fn words(&self) -> ParseResult<&'a str> {
        let text = self.string()?;
        // The byte order mark is whitespace in JavaScript, and so in the schema.
        let is_blank = |char: char| char.is_whitespace() || char == '\u{feff}';
        if text.chars().all(is_blank) {
            return Err(self.error("must not be empty"));
        }
        Ok(text)
    }

    pub(super) fn boolean(&self) -> ParseResult<bool> {
        match &self.node.value {
            NodeValue::Bool(value) => Ok(*value),
            _ => Err(self.mismatch("true or false")),
        }
    }

    pub(super) fn whole(&self, range: &RangeInclusive<u32>) -> ParseResult<u32> {
        let NodeValue::Number(_) = &self.node.value else {
            return Err(self.mismatch("a whole number"));
        };
        let number = self.node.value.number().map(Value::Number);
        let fits = number
            .and_then(|number| u32::try_from(whole_number(&number)?).ok())
            .filter(|number| range.contains(number));
        let (least, most) = (range.start(), range.end());
        fits.ok_or_else(|| self.error(format!("must be a whole number from {least} to {most}")))
    }

    pub(super) fn list(&self) -> ParseResult<Vec<Field<'a>>> {
        let NodeValue::List(items) = &self.node.value else {
            return Err(self.mismatch("a list"));
        };
        let items = items.iter().enumerate();
        let fields = items.map(|(index, item)| self.child(item, index.into()));
        Ok(fields.collect())
    }

    /// The entries of an object with any keys.
    pub(super) fn entries(&self) -> ParseResult<impl Iterator<Item = (&'a Entry, Field<'a>)>> {
        let NodeValue::Object(entries) = &self.node.value else {
            return Err(self.mismatch("an object"));
        };
        let this = self.clone();
        Ok(entries.iter().map(move |entry| {
            let key = PathPart::Key(&entry.key);
            (entry, this.child(&entry.value, key))
        }))
    }

    /// An object with no fields but the `known` ones. The errors of other fields call it `what`.
    pub(super) fn fields(&self, what: &str, known: &[&str]) -> ParseResult<Fields<'a>> {
        let NodeValue::Object(entries) = &self.node.value else {
            return Err(self.mismatch("an object"));
        };
        for (entry, field) in self.entries()? {
            if !known.contains(&entry.key.as_str()) && !self.errors.is_full() {
                let message = format!("is not a field of {what}; {}", hint(&entry.key, known));
                field.error_at(entry.key_position, message);
            }
        }
        Ok(Fields {
            object: self.clone(),
            entries,
        })
    }

    pub(super) fn mismatch(&self, expected: &str) -> ErrorReported {
        match &self.node.value {
            NodeValue::Invalid(reported) => *reported,
            value => self.error(format!("must be {expected}, not {}", value.kind())),
        }
    }
}

impl<'a> Fields<'a> {
    pub(super) fn get(&self, key: &str) -> Option<Field<'a>> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(self.object.child(&entry.value, key.into()))
    }

    /// The same, but a null value counts as absent, for lists and objects that may be empty.
    pub(super) fn get_filled(&self, key: &str) -> Option<Field<'a>> {
        self.get(key).filter(|field| !field.is_null())
    }

    pub(super) fn required(&self, key: &str) -> ParseResult<Field<'a>> {
        self.get(key).ok_or_else(|| {
            let path = joined(&self.object.path, key.into());
            let position = self.object.node.position;
            self.object.errors.add(position, &path, "is required")
        })
    }
}

/// Reads an optional field.
pub(super) fn optional<'a, T>(
    field: Option<Field<'a>>,
    read: impl FnOnce(&Field<'a>) -> ParseResult<T>,
) -> ParseResult<Option<T>> {
    field.map(|field| read(&field)).transpose()
}

/// Suggests the known name that is most similar.
pub(super) fn hint(name: &str, known: &[&str]) -> String {
    let name = shown(name);
    let distance = |known: &&&str| strsim::osa_distance(&name, known);
    let nearest = known.iter().min_by_key(distance);
    let likely = nearest.filter(|known| distance(known) <= 1.max(known.len() / 3));
    match likely {
        Some(known) => format!("did you mean `{known}`?"),
        None => listed(known),
    }
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => format!("there is only {last}"),
        Some((last, others)) => format!("there are {} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_proposed_when_it_is_near() {
        let known = ["name", "steps", "timeout_seconds"];
        assert_eq!(hint("step", &known), "did you mean `steps`?");
        assert_eq!(hint("nmae", &known), "did you mean `name`?");
        assert_eq!(
            hint("timeoutSeconds", &known),
            "did you mean `timeout_seconds`?"
        );
        assert_eq!(
            hint("colour", &known),
            "there are `name`, `steps` and `timeout_seconds`"
        );
        assert_eq!(hint("colour", &["secret"]), "there is only `secret`");
    }
}
