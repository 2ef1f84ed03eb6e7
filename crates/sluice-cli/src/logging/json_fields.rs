//! The fields of spans as JSON. `tracing-subscriber` makes a value of each field, and writes all fields of a span again
//! whenever one is recorded later. Here fields are written as they come, and later ones are appended.

use std::{
    fmt::{self, Write},
    io,
};

use serde::Serialize;
use tracing::{
    field::{Field, Visit},
    span::Record,
};
use tracing_subscriber::{
    field::RecordFields,
    fmt::{FormatFields, FormattedFields, format::Writer},
};

pub(super) struct JsonFields;

impl<'w> FormatFields<'w> for JsonFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        writer.write_char('{')?;
        write_members(&mut writer, fields, "")
    }

    fn add_fields(
        &self,
        current: &'w mut FormattedFields<Self>,
        fields: &Record<'_>,
    ) -> fmt::Result {
        let object = &mut current.fields;
        object.pop();
        let separator = match object.as_str() {
            "" => "{",
            "{" => "",
            _ => ",",
        };
        write_members(object, fields, separator)
    }
}

/// Writes the members of an object and its end. The separator comes before the first member.
fn write_members(
    out: &mut dyn Write,
    fields: impl RecordFields,
    separator: &'static str,
) -> fmt::Result {
    let mut members = Members {
        out,
        separator,
        result: Ok(()),
    };
    fields.record(&mut members);
    members.result?;
    out.write_char('}')
}

struct Members<'a> {
    out: &'a mut dyn Write,
    separator: &'static str,
    result: fmt::Result,
}

impl Members<'_> {
    fn write(&mut self, field: &Field, value: impl Serialize) {
        if self.result.is_ok() {
            self.result = self.try_write(field, value);
        }
    }

    fn try_write(&mut self, field: &Field, value: impl Serialize) -> fmt::Result {
        self.out.write_str(self.separator)?;
        self.separator = ",";
        write_json(self.out, field.name())?;
        self.out.write_char(':')?;
        write_json(self.out, value)
    }
}

impl Visit for Members<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.write(field, format_args!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.write(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write(field, value);
    }
}

fn write_json(out: &mut dyn Write, value: impl Serialize) -> fmt::Result {
    serde_json::to_writer(Utf8(out), &value).map_err(|_| fmt::Error)
}

/// Writes the bytes of whole strings.
struct Utf8<'a>(&'a mut dyn Write);

impl io::Write for Utf8<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tracing::{Span, field};
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;
    use crate::logging::captured_lines::CapturedLines;

    /// The fields of a span as a log line has them, without the name of the span.
    fn logged(span: impl FnOnce() -> Span) -> Value {
        let lines = CapturedLines::default();
        let layer = tracing_subscriber::fmt::layer()
            .json()
            .fmt_fields(JsonFields)
            .with_writer(lines.writer());
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            span().in_scope(|| tracing::info!("line"));
        });
        let mut line: Value = serde_json::from_str(&lines.text()).unwrap();
        let mut fields = line["span"].take();
        fields.as_object_mut().unwrap().remove("name");
        fields
    }

    #[test]
    fn all_kinds_of_fields_are_written() {
        let span = || {
            tracing::info_span!(
                "span",
                text = "a \"b\"\n{",
                shown = %1.5,
                debug = ?Some("ü"),
                signed = -1,
                unsigned = u64::MAX,
                float = 0.5,
                yes = true,
            )
        };
        let expected = json!({
            "text": "a \"b\"\n{", "shown": "1.5", "debug": "Some(\"ü\")", "signed": -1,
            "unsigned": u64::MAX, "float": 0.5, "yes": true,
        });
        assert_eq!(logged(span), expected);
    }

    #[test]
    fn later_fields_are_appended() {
        let later = |span: Span| {
            span.record("a", 1);
            span.record("b", "}");
            span
        };
        let empty = || tracing::info_span!("span", a = field::Empty, b = field::Empty);
        assert_eq!(logged(|| later(empty())), json!({"a": 1, "b": "}"}));
        let filled = || tracing::info_span!("span", c = "{}", a = field::Empty, b = field::Empty);
        assert_eq!(
            logged(|| later(filled())),
            json!({"c": "{}", "a": 1, "b": "}"})
        );
        assert_eq!(logged(|| tracing::info_span!("span")), json!({}));
    }
}
