//! The prompt for one prop.

use std::sync::Arc;

use serde_json::Value;
use sluice_api::{Choice, DataStore};
use sluice_model::{MASK, PropDef, PropType, label_value::plain};

use super::fill::Form;
use crate::commands::{
    output::sanitized,
    prompt::{self, Check, Question, Row},
    prop_text::{text_of, value_error, value_of},
};

const MAX_HELP_CHARS: usize = 300;

/// The meaning of an empty answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum EmptyAnswer {
    /// The value stays as it is, set or not.
    Keep,
    Reject,
}

impl Form<'_> {
    /// Asks for a value. `None` keeps the current one.
    pub(super) async fn ask(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        if prop.prop_type == PropType::App {
            return self.ask_for_account(prop).await.map(Some);
        }
        if prop.is_secret() {
            return self.ask_hidden(prop).await;
        }
        if prop.declared().get("remoteOptions") == Some(&Value::Bool(true)) {
            return self.ask_with_options(prop).await;
        }
        let choices = static_choices(prop);
        if !choices.is_empty() {
            return self.pick(prop, choices).await;
        }
        self.ask_for_value(prop).await
    }

    /// Asks for a typed value, even if the prop has options.
    pub(super) async fn ask_for_value(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        match &prop.prop_type {
            // A yes or no cannot be left empty.
            PropType::Boolean if prop.is_optional() => self.pick(prop, yes_and_no()).await,
            PropType::Boolean => {
                let default = self.current(prop).and_then(Value::as_bool);
                let answer = prompt::yes_or_no(question(prop, &[]), default).await?;
                Ok(Some(answer.into()))
            }
            PropType::Array(_) => self.ask_for_list(prop).await,
            PropType::Object => self.ask_for_object(prop).await,
            PropType::HttpRequest => self.ask_for_request(prop).await,
            PropType::DataStore => self.ask_for_data_store(prop).await,
            PropType::Timer => {
                let hint =
                    "an interval such as 15m or 2h, or a cron expression such as 0 9 * * 1-5";
                let mut question = question(prop, &[hint]);
                let current = self.current(prop).map(text_of);
                question.default = current.or_else(|| Some("1h".to_owned()));
                self.ask_in_text(prop, question).await
            }
            PropType::Any | PropType::Other(_) => {
                let question = question(prop, &["JSON, or text"]);
                self.ask_in_text(prop, question).await
            }
            PropType::Integer => {
                let question = question(prop, &bounds(prop).each_ref().map(String::as_str));
                self.ask_in_text(prop, question).await
            }
            _ => self.ask_in_text(prop, question(prop, &[])).await,
        }
    }

    /// The current value of a prop, or its default.
    pub(super) fn current<'p>(&'p self, prop: &'p PropDef) -> Option<&'p Value> {
        self.values.get(&prop.name).or_else(|| prop.default_value())
    }

    /// The answer that leaves a prop empty. A current value is removed.
    pub(super) fn left_empty(&self, prop: &PropDef) -> Option<Value> {
        self.values.contains_key(&prop.name).then_some(Value::Null)
    }

    pub(super) fn empty(&self, prop: &PropDef) -> EmptyAnswer {
        if prop.is_optional() || self.current(prop).is_some() {
            EmptyAnswer::Keep
        } else {
            EmptyAnswer::Reject
        }
    }

    async fn ask_in_text(
        &mut self,
        prop: &PropDef,
        mut question: Question,
    ) -> anyhow::Result<Option<Value>> {
        let empty = self.empty(prop);
        if question.default.is_none() {
            question.default = self.current(prop).map(|value| text_of(&plain(value)));
        }
        let default = question.default.clone();
        let has_default = default.is_some();
        let text = prompt::text(question, check(prop, empty)).await?;
        if default.is_some_and(|default| default == text) && self.values.contains_key(&prop.name) {
            // The text shows only a part of some values.
            return Ok(None);
        }
        Ok((!text.is_empty() || has_default).then(|| value_of(&prop.prop_type, &text)))
    }

    async fn ask_hidden(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        let is_stored = self.values.get(&prop.name) == Some(&MASK.into());
        let hint: &[&str] = if is_stored {
            &["Enter keeps the current value"]
        } else {
            &[]
        };
        let text = prompt::hidden(question(prop, hint), check(prop, self.empty(prop))).await?;
        Ok((!text.is_empty()).then(|| value_of(&prop.prop_type, &text)))
    }

    async fn pick(
        &mut self,
        prop: &PropDef,
        choices: Vec<Choice>,
    ) -> anyhow::Result<Option<Value>> {
        let current = self.current(prop).map(plain);
        if matches!(prop.prop_type, PropType::Array(_)) {
            let current = current.as_ref().and_then(Value::as_array);
            let chosen = current.map_or_else(Vec::new, |current| {
                let is_chosen =
                    |choice: &Choice| current.iter().any(|value| has_value(choice, value));
                let indices = choices.iter().enumerate();
                indices
                    .filter(|(_, choice)| is_chosen(choice))
                    .map(|(index, _)| index)
                    .collect()
            });
            let rows = choices
                .into_iter()
                .map(|choice| row(prop, choice))
                .collect();
            let picked = prompt::pick_many(question(prop, &[]), rows, chosen).await?;
            return Ok(Some(picked.into_iter().collect()));
        }
        let position = |value: &Value| choices.iter().position(|choice| has_value(choice, value));
        let at = match &current {
            Some(current) => position(current).unwrap_or_default(),
            None if prop.is_optional() => choices.len(),
            None => 0,
        };
        let mut rows: Vec<Row<Option<Value>>> = choices
            .into_iter()
            .map(|choice| {
                let Row { label, value, .. } = row(prop, choice);
                Row::new(label, Some(value))
            })
            .collect();
        if prop.is_optional() {
            rows.push(Row::fixed("(leave empty)", self.left_empty(prop)));
        }
        prompt::pick(question(prop, &[]), rows, at).await
    }

    async fn ask_for_data_store(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        let stores: Vec<DataStore> = self.client.all("/data_stores").await?;
        if !stores.is_empty() {
            let mut rows: Vec<Row<Option<String>>> = stores
                .into_iter()
                .map(|store| Row::new(sanitized(&store.name), Some(store.name)))
                .collect();
            rows.push(Row::fixed("New data store…", None));
            let current = self.current(prop).and_then(Value::as_str);
            let position = |name: &str| {
                rows.iter()
                    .position(|row| row.value.as_deref() == Some(name))
            };
            let at = current.and_then(position).unwrap_or_default();
            if let Some(name) = prompt::pick(question(prop, &[]), rows, at).await? {
                return Ok(Some(name.into()));
            }
        }
        let question = question(prop, &["name of a new data store"]);
        self.ask_in_text(prop, question).await
    }
}

/// A row with the value to store, including the label if the prop asks for it.
fn row(prop: &PropDef, choice: Choice) -> Row<Value> {
    let label = sanitized(&choice.label);
    let value = if prop.with_label() {
        labelled(&choice)
    } else {
        choice.value
    };
    Row::new(label, value)
}

/// Whether a choice has this value. The server stores the numbers of text props as text.
pub(super) fn has_value(choice: &Choice, value: &Value) -> bool {
    text_of(&choice.value) == text_of(value)
}

fn yes_and_no() -> Vec<Choice> {
    let choices = [("Yes", true), ("No", false)];
    let choices = choices.map(|(label, value)| Choice {
        label: label.to_owned(),
        value: value.into(),
    });
    choices.into()
}

/// A value with its label, as it is stored.
pub(super) fn labelled(choice: &Choice) -> Value {
    serde_json::json!({ "__lv": { "label": choice.label, "value": choice.value } })
}

/// The options declared in the code.
fn static_choices(prop: &PropDef) -> Vec<Choice> {
    let options = prop.declared().get("options").and_then(Value::as_array);
    let options = options.map(Vec::as_slice).unwrap_or_default();
    options
        .iter()
        .map(|option| {
            let value = option.get("value").unwrap_or(option).clone();
            let label = option.get("label").and_then(Value::as_str);
            Choice {
                label: label.map_or_else(|| text_of(&value), str::to_owned),
                value,
            }
        })
        .collect()
}

/// The question for a prop: its label, its description and hints.
pub(super) fn question(prop: &PropDef, hints: &[&str]) -> Question {
    let declared = |key: &str| {
        let text = prop.declared().get(key).and_then(Value::as_str);
        text.map(|text| sanitized(text).replace('\n', " "))
    };
    let mut help: Vec<String> = declared("description").into_iter().map(shortened).collect();
    help.extend(
        hints
            .iter()
            .filter(|hint| !hint.is_empty())
            .map(|&hint| hint.to_owned()),
    );
    if prop.is_optional() {
        help.push("optional".to_owned());
    }
    Question {
        message: declared("label").unwrap_or_else(|| prop.name.clone()),
        help: (!help.is_empty()).then(|| help.join("; ")),
        default: None,
    }
}

fn shortened(text: String) -> String {
    if text.chars().count() <= MAX_HELP_CHARS {
        return text;
    }
    let cut: String = text.chars().take(MAX_HELP_CHARS).collect();
    format!("{cut}…")
}

fn bounds(prop: &PropDef) -> [String; 1] {
    [match (prop.min(), prop.max()) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => String::new(),
    }]
}

/// Validates an answer as the server would.
pub(super) fn check(prop: &PropDef, empty: EmptyAnswer) -> Check {
    let prop = prop.clone();
    Arc::new(move |text| match (text, &empty) {
        ("", EmptyAnswer::Keep) => None,
        ("", EmptyAnswer::Reject) => Some("is required".to_owned()),
        (text, _) => value_error(&prop, &value_of(&prop.prop_type, text)),
    })
}
