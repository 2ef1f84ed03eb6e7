//! Prop values with expressions, split for the harness, so that only one parser of `{{ … }}` exists.

use serde_json::{Value, json};
use sluice_model::workflow::expressions::{Part, Template, split};

/// A tree from which the harness makes the value; `None` if the value has no expression.
///
/// `{"v": …}` is a plain value, `{"x": "…"}` the value of an expression, `{"p": […]}` a text of texts and expressions,
/// `{"a": […]}` an array, and `{"o": [[key, …], …]}` an object.
pub(crate) fn template(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => of_text(text),
        Value::Array(items) => {
            let made: Vec<Option<Value>> = items.iter().map(template).collect();
            made.iter().any(Option::is_some).then(|| {
                let items = items.iter().zip(made);
                json!({ "a": items.map(|(item, made)| or_plain(item, made)).collect::<Vec<_>>() })
            })
        }
        Value::Object(fields) => {
            let made: Vec<Option<Value>> = fields.values().map(template).collect();
            made.iter().any(Option::is_some).then(|| {
                let fields = fields.iter().zip(made);
                let rows = fields.map(|((key, value), made)| json!([key, or_plain(value, made)]));
                json!({ "o": rows.collect::<Vec<_>>() })
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Invalid expressions are text here. They were reported when the value was saved.
fn of_text(text: &str) -> Option<Value> {
    match split(text) {
        Ok(Template::Text(_)) | Err(_) => None,
        Ok(Template::Whole(whole)) => Some(json!({ "x": whole.source })),
        Ok(Template::Mixed(parts)) => {
            let parts = parts.iter().map(|part| match part {
                Part::Text(text) => json!(text),
                Part::Expression(expression) => json!({ "x": expression.source }),
            });
            Some(json!({ "p": parts.collect::<Vec<_>>() }))
        }
    }
}

fn or_plain(value: &Value, made: Option<Value>) -> Value {
    made.unwrap_or_else(|| json!({ "v": value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_expressions_has_no_template() {
        for value in [
            json!("x"),
            json!(1),
            json!([{ "a": "{ {b} }" }]),
            json!(null),
        ] {
            assert_eq!(template(&value), None);
        }
    }

    #[test]
    fn nested_expressions_are_found() {
        assert_eq!(
            template(&json!({ "a": ["{{ 1 }}", 2], "b": "x{{ y }}" })),
            Some(json!({ "o": [
                ["a", { "a": [{ "x": "1" }, { "v": 2 }] }],
                ["b", { "p": ["x", { "x": "y" }] }],
            ] }))
        );
    }
}
