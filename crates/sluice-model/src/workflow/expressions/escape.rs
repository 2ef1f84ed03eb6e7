//! Values without expressions, in a place where expressions would be evaluated.

use serde_json::Value;

use super::OPENING;

/// The value, with an expression for each text that would be taken for one. Its evaluation is the same value.
pub fn escaped(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains(OPENING) => Value::String(literal(text)),
        Value::Array(items) => items.into_iter().map(escaped).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(fields.map(|(name, value)| (name, escaped(value))).collect())
        }
        other => other,
    }
}

/// JSON is JavaScript. Braces in it are escaped, so that it holds no end of an expression.
fn literal(text: String) -> String {
    let json = Value::String(text).to_string();
    let json = json.replace('{', r"\u007b").replace('}', r"\u007d");
    format!("{{{{ {json} }}}}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::{Template, split},
        *,
    };

    #[test]
    fn only_texts_with_expressions_change() {
        let plain = json!([1, "a } b", { "k{{": null }]);
        assert_eq!(escaped(plain.clone()), plain);
    }

    #[test]
    fn an_escaped_text_is_one_expression_whose_value_is_the_text() {
        for text in ["{{ steps.a }}", "a {{", "}}{{ \"'` \\ \n }} ä"] {
            let Value::String(written) = escaped(Value::from(text)) else {
                panic!("a text became something else");
            };
            let Ok(Template::Whole(expression)) = split(&written) else {
                panic!("{written} is no expression");
            };
            let value: String = serde_json::from_str(expression.source).unwrap();
            assert_eq!(value, text);
        }
    }
}
