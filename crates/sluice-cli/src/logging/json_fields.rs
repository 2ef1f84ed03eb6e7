//! The fields of spans as JSON. `tracing-subscriber` parses and writes all fields of a span again whenever one is recorded
//! later. Here later fields are appended.

use std::fmt;

use tracing::span::Record;
use tracing_subscriber::{
    field::RecordFields,
    fmt::{
        FormatFields, FormattedFields,
        format::{self, Writer},
    },
};

#[derive(Default)]
pub(super) struct JsonFields(format::JsonFields);

impl<'w> FormatFields<'w> for JsonFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        self.0.format_fields(writer, fields)
    }

    fn add_fields(
        &self,
        current: &'w mut FormattedFields<Self>,
        fields: &Record<'_>,
    ) -> fmt::Result {
        let mut added = String::new();
        self.0.format_fields(Writer::new(&mut added), fields)?;
        join(&mut current.fields, &added);
        Ok(())
    }
}

/// Appends the members of a JSON object to another object.
fn join(object: &mut String, added: &str) {
    let members = added.trim_start_matches('{');
    match object.as_str() {
        "" | "{}" => added.clone_into(object),
        _ if members == "}" => {}
        _ => {
            object.pop();
            object.push(',');
            object.push_str(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_appended_to_objects() {
        let joined = |object: &str, added: &str| {
            let mut object = object.to_owned();
            join(&mut object, added);
            object
        };
        assert_eq!(joined("", r#"{"a":1}"#), r#"{"a":1}"#);
        assert_eq!(joined("{}", r#"{"a":1}"#), r#"{"a":1}"#);
        assert_eq!(joined(r#"{"a":1}"#, "{}"), r#"{"a":1}"#);
        assert_eq!(joined(r#"{"a":{}}"#, r#"{"b":"{"}"#), r#"{"a":{},"b":"{"}"#);
    }
}
