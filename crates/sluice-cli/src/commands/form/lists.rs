//! Prompts for lists, objects and HTTP requests.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use sluice_model::PropDef;

use super::{
    fill::Form,
    question::{EmptyAnswer, question},
};
use crate::commands::{
    prompt::{self, Check, Question, Row},
    prop_text::{element_of, json_or_text, value_error},
};

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

impl Form<'_> {
    pub(super) async fn ask_for_list(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        let (checked, prop_type) = (prop.clone(), prop.prop_type.clone());
        let check: Check = Arc::new(move |line| {
            let element = element_of(&checked.prop_type, line);
            let is_end = line.is_empty();
            (!is_end)
                .then(|| value_error(&checked, &json!([element])))
                .flatten()
        });
        let question = question(prop, &["one value per line, an empty line ends the list"]);
        let lines = lines(&question, &check).await?;
        let values: Vec<Value> = lines
            .iter()
            .map(|line| element_of(&prop_type, line))
            .collect();
        let is_kept = values.is_empty() && self.empty(prop) == EmptyAnswer::Keep;
        Ok((!is_kept).then_some(Value::Array(values)))
    }

    pub(super) async fn ask_for_object(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        let check: Check = Arc::new(|line| match line {
            "" => None,
            line if line.starts_with('{') => match serde_json::from_str::<Map<String, Value>>(line)
            {
                Ok(_) => None,
                Err(error) => Some(format!("is not a JSON object: {error}")),
            },
            line if line.split_once('=').is_some_and(|(key, _)| !key.is_empty()) => None,
            _ => Some("must be key=value, or a JSON object".to_owned()),
        });
        let hint = "one key=value per line, or a JSON object; an empty line ends the input";
        let lines = lines(&question(prop, &[hint]), &check).await?;
        if lines.is_empty() && self.empty(prop) == EmptyAnswer::Keep {
            return Ok(None);
        }
        let mut fields = Map::new();
        for line in lines {
            if let Ok(whole) = serde_json::from_str::<Map<String, Value>>(&line) {
                fields.extend(whole);
            } else if let Some((key, value)) = line.split_once('=') {
                fields.insert(key.to_owned(), json_or_text(value));
            }
        }
        Ok(Some(fields.into()))
    }

    pub(super) async fn ask_for_request(
        &mut self,
        prop: &PropDef,
    ) -> anyhow::Result<Option<Value>> {
        let base = question(prop, &["an HTTP request"]);
        let part = |name: &str, help: Option<&str>| Question {
            message: format!("{}: {name}", base.message),
            help: help.map(str::to_owned),
            default: None,
        };
        let (checked, empty) = (prop.clone(), self.empty(prop));
        let check: Check = Arc::new(move |url| match (url, &empty) {
            ("", EmptyAnswer::Keep) => None,
            (url, _) => value_error(&checked, &json!({ "url": url })),
        });
        let mut request = self
            .current(prop)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let current = |name: &str| request.get(name).and_then(Value::as_str);
        let mut url_question = part("URL", base.help.as_deref());
        url_question.default = current("url").map(str::to_owned);
        let url = prompt::text(url_question, check).await?;
        if url.is_empty() {
            return Ok(None);
        }
        let methods = METHODS.map(|method| Row::new(method, method)).into();
        let at = METHODS
            .iter()
            .position(|method| current("method") == Some(*method));
        let method = prompt::pick(part("method", None), methods, at.unwrap_or_default()).await?;
        let header: Check = Arc::new(|line| {
            let is_valid = line.is_empty()
                || line
                    .split_once(':')
                    .is_some_and(|(name, _)| !name.is_empty());
            (!is_valid).then(|| "must be Name: value".to_owned())
        });
        let hint = match request.get("headers") {
            Some(Value::Array(current)) if !current.is_empty() => {
                "one Name: value per line, an empty line ends the headers or keeps the current ones"
            }
            _ => "one Name: value per line, an empty line ends the headers",
        };
        let headers: Vec<Value> = lines(&part("headers", Some(hint)), &header)
            .await?
            .iter()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| json!({ "name": name.trim(), "value": value.trim() }))
            .collect();
        let default = current("body").map(str::to_owned);
        request.remove("body");
        if !["GET", "HEAD"].contains(&method) {
            let hint = default.is_none().then_some("Enter for none");
            let question = Question {
                default,
                ..part("body", hint)
            };
            let body = prompt::text(question, Arc::new(|_| None)).await?;
            if !body.is_empty() {
                request.insert("body".to_owned(), body.into());
            }
        }
        if !headers.is_empty() {
            request.insert("headers".to_owned(), headers.into());
        }
        request.insert("url".to_owned(), url.into());
        request.insert("method".to_owned(), method.into());
        Ok(Some(request.into()))
    }
}

/// Asks for lines until an empty one.
async fn lines(question: &Question, check: &Check) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let line_question = Question {
            message: format!("{} [{}]", question.message, lines.len() + 1),
            help: question.help.clone(),
            default: None,
        };
        let line = prompt::text(line_question, check.clone()).await?;
        if line.is_empty() {
            return Ok(lines);
        }
        lines.push(line);
    }
}
