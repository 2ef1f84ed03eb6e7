//! Options that the component loads at run time, with paging and search.

use serde_json::{Map, Value};
use sluice_api::{AskOptions, Choice, OptionsPage};
use sluice_model::{PropDef, PropType};

use super::{
    fill::{Form, component_errors},
    question::{has_value, labelled, question},
};
use crate::{
    client::{Client, ClientError},
    commands::{
        output::{BAD, sanitized, show_stderr, styled},
        progress::during,
        prompt::{self, Question, Row},
        prop_text::text_of,
    },
};

/// A row of the options list.
#[derive(Debug, Clone)]
enum Pick {
    Choice(Choice),
    More,
    Search,
    Own,
    /// The current value.
    Keep,
    LeaveOut,
}

/// The options fetched so far.
struct Choices<'a> {
    client: &'a Client,
    request: AskOptions,
    fetched: Vec<Choice>,
    may_have_more: bool,
}

impl Form<'_> {
    pub(super) async fn ask_with_options(
        &mut self,
        prop: &PropDef,
    ) -> anyhow::Result<Option<Value>> {
        let mut choices = Choices {
            client: self.client,
            request: AskOptions {
                id: Some(self.component.clone()),
                prop_name: Some(prop.name.clone()),
                configured_props: Some(without_nulls(&self.values)),
                dynamic_props_id: self.dynamic_props.as_ref().map(ToString::to_string),
                source_id: self.source.as_ref().map(ToString::to_string),
                page: Some(0),
                prev_context: None,
                query: None,
            },
            fetched: Vec::new(),
            may_have_more: true,
        };
        if let Err(reason) = choices.fetch().await? {
            show_stderr(&format!(
                "{} cannot load options: {reason}\n",
                styled(BAD, "!")
            ))?;
            return self.ask_for_value(prop).await;
        }
        if matches!(prop.prop_type, PropType::Array(_)) {
            return self.pick_several(prop, choices).await;
        }
        loop {
            let mut rows = Vec::new();
            let current = self.current(prop).filter(|value| !value.is_null());
            if let Some(current) = current {
                let label = format!("(keep {})", sanitized(&choice_of(current).label));
                rows.push(Row::fixed(label, Pick::Keep));
            }
            rows.extend(choices.rows());
            rows.extend(fixed_rows(prop, choices.may_have_more));
            let at = match current {
                None if prop.is_optional() => rows.len() - 1,
                _ => 0,
            };
            match prompt::pick(question(prop, &[]), rows, at).await? {
                Pick::Choice(choice) => return Ok(Some(stored_value(prop, &choice))),
                Pick::More => choices.show_result(Choices::fetch).await?,
                Pick::Search => choices.search(prop).await?,
                Pick::Own => return self.ask_for_value(prop).await,
                Pick::Keep => return Ok(None),
                Pick::LeaveOut => return Ok(self.left_empty(prop)),
            }
        }
    }

    async fn pick_several(
        &mut self,
        prop: &PropDef,
        mut choices: Choices<'_>,
    ) -> anyhow::Result<Option<Value>> {
        let mut chosen = self.current(prop).map_or_else(Vec::new, choices_of);
        loop {
            // The chosen options stay visible during a search.
            let mut rows: Vec<Row<Pick>> = chosen.iter().map(choice_row).collect();
            let is_new = |choice: &&Choice| {
                let is_same = |known: &Choice| has_value(known, &choice.value);
                !chosen.iter().any(is_same)
            };
            rows.extend(choices.fetched.iter().filter(is_new).map(choice_row));
            let fixed = fixed_rows(prop, choices.may_have_more);
            rows.extend(
                fixed
                    .into_iter()
                    .filter(|row| !matches!(row.value, Pick::LeaveOut)),
            );
            let preselected = (0..chosen.len()).collect();
            let picks = prompt::pick_many(question(prop, &[]), rows, preselected).await?;
            let (mut more, mut search, mut own) = (false, false, false);
            chosen.clear();
            for pick in picks {
                match pick {
                    Pick::Choice(choice) => chosen.push(choice),
                    Pick::More => more = true,
                    Pick::Search => search = true,
                    Pick::Own => own = true,
                    Pick::Keep | Pick::LeaveOut => {}
                }
            }
            if more {
                choices.show_result(Choices::fetch).await?;
            } else if search {
                choices.search(prop).await?;
            } else {
                let mut values: Vec<Value> = chosen
                    .iter()
                    .map(|choice| stored_value(prop, choice))
                    .collect();
                if own && let Some(Value::Array(typed)) = self.ask_for_list(prop).await? {
                    values.extend(typed);
                }
                return Ok(Some(values.into()));
            }
        }
    }
}

impl Choices<'_> {
    /// Fetches the next page. The inner error is the one that the component threw.
    async fn fetch(&mut self) -> Result<Result<(), String>, ClientError> {
        let path = "/components/configure";
        let answer = during(
            "Loading options",
            self.client.post_plain(path, &self.request),
        );
        let page: OptionsPage = match answer.await {
            Ok(page) => page,
            Err(error @ ClientError::Api { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error),
        };
        let texts = page.string_options.map(|texts| {
            let choice = |text: String| Choice {
                label: text.clone(),
                value: text.into(),
            };
            texts.into_iter().map(choice).collect::<Vec<_>>()
        });
        let Some(options) = page.options.or(texts) else {
            return Ok(Err(component_errors(&page.errors)));
        };
        // Components without paging return the same options again.
        let before = self.fetched.len();
        for choice in options {
            if !self.fetched.contains(&choice) {
                self.fetched.push(choice);
            }
        }
        self.may_have_more = self.fetched.len() > before;
        self.request.page = self.request.page.map(|page| page + 1);
        self.request.prev_context = (!page.context.is_null()).then_some(page.context);
        Ok(Ok(()))
    }

    async fn search(&mut self, prop: &PropDef) -> anyhow::Result<()> {
        let search = Question {
            message: format!("Search {}", question(prop, &[]).message),
            ..Question::default()
        };
        let text = prompt::text(search, std::sync::Arc::new(|_| None)).await?;
        self.fetched.clear();
        self.request.page = Some(0);
        self.request.prev_context = None;
        self.request.query = (!text.is_empty()).then_some(text);
        self.show_result(Choices::fetch).await
    }

    /// Fetches, and shows an error or an empty result.
    async fn show_result(
        &mut self,
        fetch: impl AsyncFnOnce(&mut Self) -> Result<Result<(), String>, ClientError>,
    ) -> anyhow::Result<()> {
        let before = self.fetched.len();
        match fetch(self).await? {
            Err(reason) => {
                self.may_have_more = false;
                show_stderr(&format!("{} {reason}\n", styled(BAD, "!")))?;
            }
            Ok(()) if self.fetched.len() == before => show_stderr("No more options\n")?,
            Ok(()) => {}
        }
        Ok(())
    }

    fn rows(&self) -> Vec<Row<Pick>> {
        self.fetched.iter().map(choice_row).collect()
    }
}

fn choice_row(choice: &Choice) -> Row<Pick> {
    Row::new(sanitized(&choice.label), Pick::Choice(choice.clone()))
}

/// The rows besides the options.
fn fixed_rows(prop: &PropDef, may_have_more: bool) -> Vec<Row<Pick>> {
    let mut rows = Vec::new();
    if may_have_more {
        rows.push(Row::fixed("More…", Pick::More));
    }
    if prop.declared().get("useQuery") == Some(&Value::Bool(true)) {
        rows.push(Row::fixed("Search…", Pick::Search));
    }
    rows.push(Row::fixed("Type a value…", Pick::Own));
    if prop.is_optional() {
        rows.push(Row::fixed("(leave empty)", Pick::LeaveOut));
    }
    rows
}

/// The value to store. The label is stored too if it differs from the value, because it cannot be looked up later.
fn stored_value(prop: &PropDef, choice: &Choice) -> Value {
    if prop.with_label() || choice.label != text_of(&choice.value) {
        labelled(choice)
    } else {
        choice.value.clone()
    }
}

/// The choices in a list of values.
fn choices_of(value: &Value) -> Vec<Choice> {
    let items = value.get("__lv").unwrap_or(value).as_array();
    items.into_iter().flatten().map(choice_of).collect()
}

/// A value as the choice that it came from.
fn choice_of(value: &Value) -> Choice {
    let picked = value.get("__lv").unwrap_or(value);
    match (
        picked.get("label").and_then(Value::as_str),
        picked.get("value"),
    ) {
        (Some(label), Some(value)) => Choice {
            label: label.to_owned(),
            value: value.clone(),
        },
        _ => Choice {
            label: text_of(picked),
            value: picked.clone(),
        },
    }
}

fn without_nulls(values: &Map<String, Value>) -> Map<String, Value> {
    let values = values.iter().filter(|(_, value)| !value.is_null());
    values
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
