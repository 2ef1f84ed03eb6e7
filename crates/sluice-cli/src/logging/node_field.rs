//! Log lines with the name of the node, so that the logs of several servers can be read together.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{self, Format, Full, Json, Writer},
    },
    registry::LookupSpan,
};

/// A format that ends each line with a field `node`, if the server has other nodes beside it.
pub(super) struct NodeField<F> {
    format: Format<F>,
    field: Option<Insertion>,
}

struct Insertion {
    text: String,
    /// The end of every line, before which the text belongs.
    before: &'static str,
}

impl NodeField<Full> {
    pub(super) fn text(node: Option<&str>, ansi: bool) -> NodeField<Full> {
        NodeField {
            format: format::format().with_ansi(ansi),
            field: node.map(|node| Insertion {
                text: format!(" node={node:?}"),
                before: "\n",
            }),
        }
    }
}

impl NodeField<Json> {
    pub(super) fn json(node: Option<&str>) -> NodeField<Json> {
        NodeField {
            format: format::format().json(),
            field: node.map(|node| Insertion {
                text: format!(",\"node\":{}", serde_json::Value::from(node)),
                before: "}\n",
            }),
        }
    }
}

impl<F, S, N> FormatEvent<S, N> for NodeField<F>
where
    Format<F>: FormatEvent<S, N>,
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(Insertion { text, before }) = &self.field else {
            return self.format.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.format
            .format_event(context, Writer::new(&mut line), event)?;
        match line.strip_suffix(before) {
            Some(line) => write!(writer, "{line}{text}{before}"),
            None => writer.write_str(&line),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tracing_subscriber::{Layer, Registry, fmt::layer, layer::SubscriberExt};

    use super::*;
    use crate::logging::{captured_lines::CapturedLines, json_fields::JsonFields};

    /// A line that is logged in a span.
    fn logged(layer: impl Layer<Registry> + Send + Sync, lines: &CapturedLines) -> String {
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info_span!("request", id = 7).in_scope(|| tracing::warn!(tries = 2, "slow"));
        });
        lines.text()
    }

    fn text(node: Option<&str>) -> String {
        let lines = CapturedLines::default();
        let layer = layer()
            .event_format(NodeField::text(node, false))
            .with_ansi(false)
            .with_writer(lines.writer());
        logged(layer, &lines)
    }

    fn json(node: Option<&str>) -> Value {
        let lines = CapturedLines::default();
        let layer = layer()
            .event_format(NodeField::json(node))
            .fmt_fields(JsonFields)
            .with_writer(lines.writer());
        serde_json::from_str(&logged(layer, &lines)).unwrap()
    }

    #[test]
    fn a_line_of_text_ends_with_the_node() {
        let line = text(Some("north"));
        assert!(line.ends_with("slow tries=2 node=\"north\"\n"), "{line}");
        assert!(line.contains("request{id=7}"), "{line}");
        assert!(text(None).ends_with("slow tries=2\n"));
    }

    #[test]
    fn a_line_of_json_has_the_node_beside_its_fields() {
        let line = json(Some("no\"rth\n"));
        assert_eq!(line["node"], "no\"rth\n");
        assert_eq!(line["fields"], json!({"message": "slow", "tries": 2}));
        assert_eq!(line["span"], json!({"name": "request", "id": 7}));
        assert_eq!(json(None).get("node"), None);
    }
}
