//! One page of the options of a prop, as its method returns them.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use sluice_engine::{EngineError, owner::observations};
use sluice_model::UserId;
use sluice_runtime::{Failure, Question};

use super::{ask::Forms, draft::Draft};

pub struct OptionsQuestion {
    pub prop: String,
    /// From 0.
    pub page: u32,
    /// The context of the previous page.
    pub prev_context: Option<Value>,
    pub query: Option<String>,
}

/// One option, with its label.
#[derive(Debug, PartialEq)]
pub struct Choice {
    pub label: String,
    pub value: Value,
}

/// One page of options, as choices or as plain strings. With errors it has neither.
#[derive(Debug, Default, PartialEq)]
pub struct OptionsAnswer {
    pub options: Option<Vec<Choice>>,
    pub string_options: Option<Vec<String>>,
    /// To be sent back for the next page.
    pub context: Value,
    /// Each is JSON text.
    pub errors: Vec<String>,
    pub observations: Vec<Value>,
}

/// The harness's report: without a value, the prop has no options method.
#[derive(Deserialize)]
struct Report {
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
}

/// A method that returns `null` still counts as a method.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Forms {
    pub async fn options(
        &self,
        user: &UserId,
        draft: Draft,
        question: OptionsQuestion,
    ) -> Result<OptionsAnswer, EngineError> {
        let found = self.load(user, draft).await?;
        let asked = found.asked(user);
        let OptionsQuestion {
            prop,
            page,
            prev_context,
            query,
        } = question;
        let without_options =
            || EngineError::Invalid(format!("{prop} has no options to be asked for"));
        let declared = asked.props().iter().any(|known| known.name == prop);
        if !declared && !found.component.shape.has_additional_props {
            return Err(EngineError::Invalid(format!(
                "{prop} is not a prop of this component"
            )));
        }
        let mut argument = json!({
            "prop": prop,
            "previous": found.dynamic,
            "page": page,
            "prevContext": prev_context.filter(|context| !context.is_null()).unwrap_or(json!({})),
        });
        if let Some(query) = query {
            argument["query"] = Value::from(query);
        }
        let answer = self.ask(&asked, Question::Options, &argument).await?;
        let lines = observations::lines(&answer.logs);
        let read = match answer.result {
            Ok(json) => match serde_json::from_str::<Report>(json.get()) {
                Ok(Report { value: Some(value) }) => read_options(value),
                Ok(Report { value: None }) => return Err(without_options()),
                Err(error) => Err(invalid(format!("the options cannot be read: {error}"))),
            },
            Err(failure) => Err(failure),
        };
        Ok(match read {
            Ok(page) => OptionsAnswer {
                observations: lines.collect(),
                ..page
            },
            Err(failure) => OptionsAnswer {
                observations: lines.chain([observations::error(&failure)]).collect(),
                errors: vec![observations::described(&failure).to_string()],
                ..OptionsAnswer::default()
            },
        })
    }
}

/// Methods return a list, or an object with the list and a context. A list of strings is kept apart from other values.
fn read_options(value: Value) -> Result<OptionsAnswer, Failure> {
    let (list, context) = match value {
        Value::Object(mut fields) => (
            fields.remove("options").unwrap_or_default(),
            fields.remove("context").unwrap_or_default(),
        ),
        other => (other, Value::Null),
    };
    let items = match list {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        _ => {
            return Err(invalid(
                "the options method must give a list, or an object with the list in options"
                    .to_owned(),
            ));
        }
    };
    let all_texts = !items.is_empty() && items.iter().all(Value::is_string);
    Ok(if all_texts {
        let texts = items.iter().filter_map(Value::as_str).map(str::to_owned);
        OptionsAnswer {
            string_options: Some(texts.collect()),
            context,
            ..OptionsAnswer::default()
        }
    } else {
        OptionsAnswer {
            options: Some(items.into_iter().filter_map(choice).collect()),
            context,
            ..OptionsAnswer::default()
        }
    })
}

fn invalid(message: String) -> Failure {
    Failure {
        name: "InvalidOptions".to_owned(),
        message,
        stack: String::new(),
        code: None,
        prop: None,
    }
}

/// An item without a value is skipped.
fn choice(item: Value) -> Option<Choice> {
    let (label, value) = match item {
        Value::Object(mut fields) => (fields.remove("label"), fields.remove("value")?),
        Value::Null => return None,
        other => (None, other),
    };
    let label = label.filter(|label| !label.is_null());
    Some(Choice {
        label: text(label.as_ref().unwrap_or(&value)),
        value,
    })
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(value: Value) -> Vec<(String, Value)> {
        let answer = read_options(value).unwrap();
        assert_eq!(answer.string_options, None);
        let choices = answer.options.unwrap().into_iter();
        choices
            .map(|Choice { label, value }| (label, value))
            .collect()
    }

    #[test]
    fn a_list_of_strings_is_plain_and_everything_else_has_a_label() {
        let texts = read_options(json!({"options": ["a", "b"], "context": {"next": 2}})).unwrap();
        assert_eq!(
            texts.string_options,
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!((texts.options, texts.context), (None, json!({"next": 2})));
        assert_eq!(
            choices(
                json!(["a", 1, {"label": "B", "value": {"id": 2}}, {"value": 3}, {"label": 4, "value": "x"}])
            ),
            [
                ("a".to_owned(), json!("a")),
                ("1".to_owned(), json!(1)),
                ("B".to_owned(), json!({"id": 2})),
                ("3".to_owned(), json!(3)),
                ("4".to_owned(), json!("x")),
            ]
        );
    }

    #[test]
    fn null_is_an_empty_list_and_items_without_a_value_are_skipped() {
        assert_eq!(choices(json!(null)), []);
        assert_eq!(choices(json!({"context": {}})), []);
        assert_eq!(choices(json!([null, {"label": "No value"}])), []);
    }

    #[test]
    fn anything_but_a_list_is_an_error() {
        assert!(read_options(json!("a")).is_err());
        assert!(read_options(json!({"options": {"a": 1}})).is_err());
    }
}
