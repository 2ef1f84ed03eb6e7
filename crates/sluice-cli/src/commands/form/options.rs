//! Choices that only the component knows: page by page, and by search.

use serde_json::{Map, Value};
use sluice_api::{AskOptions, Choice, OptionsPage};
use sluice_model::{PropDef, PropType};

use super::{
    Form,
    question::{picked, question},
    thrown,
    typed::text_of,
};
use crate::{
    client::{Client, ClientError},
    commands::{
        output::{BAD, complain, harmless, styled},
        progress::during,
        prompt::{self, Question, Row},
    },
};

/// A row of the list.
#[derive(Debug, Clone)]
enum Pick {
    Choice(Choice),
    More,
    Search,
    Own,
    LeaveOut,
}

/// The choices as far as they are fetched.
struct Choices<'a> {
    client: &'a Client,
    asked: AskOptions,
    found: Vec<Choice>,
    may_have_more: bool,
}

impl Form<'_> {
    pub(super) async fn ask_with_options(
        &mut self,
        prop: &PropDef,
    ) -> anyhow::Result<Option<Value>> {
        let mut choices = Choices {
            client: self.client,
            asked: AskOptions {
                id: Some(self.component.clone()),
                prop_name: Some(prop.name.clone()),
                configured_props: Some(without_nulls(&self.values)),
                dynamic_props_id: self.dynamic_props.as_ref().map(ToString::to_string),
                source_id: self.source.as_ref().map(ToString::to_string),
                page: Some(0),
                prev_context: None,
                query: None,
            },
            found: Vec::new(),
            may_have_more: true,
        };
        if let Err(reason) = choices.fetch().await? {
            complain(&format!(
                "{} there are no choices to show: {reason}\n",
                styled(BAD, "!")
            ))?;
            return self.ask_for_value(prop).await;
        }
        if matches!(prop.prop_type, PropType::Array(_)) {
            return self.pick_several(prop, choices).await;
        }
        loop {
            let mut rows = choices.rows();
            rows.extend(fixed_rows(prop, choices.may_have_more));
            match prompt::pick(question(prop, &[]), rows, 0).await? {
                Pick::Choice(choice) => return Ok(Some(stored(prop, &choice))),
                Pick::More => choices.tell_of(Choices::fetch).await?,
                Pick::Search => choices.search(prop).await?,
                Pick::Own => return self.ask_for_value(prop).await,
                Pick::LeaveOut => return Ok(None),
            }
        }
    }

    async fn pick_several(
        &mut self,
        prop: &PropDef,
        mut choices: Choices<'_>,
    ) -> anyhow::Result<Option<Value>> {
        let mut chosen: Vec<Choice> = Vec::new();
        loop {
            // What is chosen stays in sight, whatever is searched for.
            let mut rows: Vec<Row<Pick>> = chosen.iter().map(choice_row).collect();
            let is_new = |choice: &&Choice| !chosen.contains(choice);
            rows.extend(choices.found.iter().filter(is_new).map(choice_row));
            let fixed = fixed_rows(prop, choices.may_have_more);
            rows.extend(
                fixed
                    .into_iter()
                    .filter(|row| !matches!(row.value, Pick::LeaveOut)),
            );
            let at_first = (0..chosen.len()).collect();
            let picks = prompt::pick_many(question(prop, &[]), rows, at_first).await?;
            let (mut more, mut search, mut own) = (false, false, false);
            chosen.clear();
            for pick in picks {
                match pick {
                    Pick::Choice(choice) => chosen.push(choice),
                    Pick::More => more = true,
                    Pick::Search => search = true,
                    Pick::Own => own = true,
                    Pick::LeaveOut => {}
                }
            }
            if more {
                choices.tell_of(Choices::fetch).await?;
            } else if search {
                choices.search(prop).await?;
            } else {
                let mut values: Vec<Value> =
                    chosen.iter().map(|choice| stored(prop, choice)).collect();
                if own && let Some(Value::Array(typed)) = self.ask_for_list(prop).await? {
                    values.extend(typed);
                }
                return Ok(Some(values.into()));
            }
        }
    }
}

impl Choices<'_> {
    /// Fetches the next page. The error is what the component threw.
    async fn fetch(&mut self) -> Result<Result<(), String>, ClientError> {
        let path = "/components/configure";
        let answer = during(
            "Asking the component for choices",
            self.client.ask(path, &self.asked),
        );
        let page: OptionsPage = match answer.await {
            Ok(page) => page,
            Err(error @ ClientError::Refused { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error),
        };
        let texts = page.string_options.map(|texts| {
            let choice = |text: String| Choice {
                label: text.clone(),
                value: text.into(),
            };
            texts.into_iter().map(choice).collect::<Vec<_>>()
        });
        let Some(found) = page.options.or(texts) else {
            return Ok(Err(thrown(&page.errors)));
        };
        // Methods that know no pages answer the same again and again.
        let before = self.found.len();
        for choice in found {
            if !self.found.contains(&choice) {
                self.found.push(choice);
            }
        }
        self.may_have_more = self.found.len() > before;
        self.asked.page = self.asked.page.map(|page| page + 1);
        self.asked.prev_context = (!page.context.is_null()).then_some(page.context);
        Ok(Ok(()))
    }

    async fn search(&mut self, prop: &PropDef) -> anyhow::Result<()> {
        let looked_for = Question {
            message: format!("Search {}", question(prop, &[]).message),
            ..Question::default()
        };
        let text = prompt::text(looked_for, std::sync::Arc::new(|_| None)).await?;
        self.found.clear();
        self.asked.page = Some(0);
        self.asked.prev_context = None;
        self.asked.query = (!text.is_empty()).then_some(text);
        self.tell_of(Choices::fetch).await
    }

    /// Fetches, and tells when nothing came of it.
    async fn tell_of(
        &mut self,
        fetch: impl AsyncFnOnce(&mut Self) -> Result<Result<(), String>, ClientError>,
    ) -> anyhow::Result<()> {
        let before = self.found.len();
        match fetch(self).await? {
            Err(reason) => {
                self.may_have_more = false;
                complain(&format!("{} {reason}\n", styled(BAD, "!")))?;
            }
            Ok(()) if self.found.len() == before => complain("Nothing more was found\n")?,
            Ok(()) => {}
        }
        Ok(())
    }

    fn rows(&self) -> Vec<Row<Pick>> {
        self.found.iter().map(choice_row).collect()
    }
}

fn choice_row(choice: &Choice) -> Row<Pick> {
    Row::new(harmless(&choice.label), Pick::Choice(choice.clone()))
}

/// What can be done besides picking a choice.
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
        rows.push(Row::fixed("(leave it out)", Pick::LeaveOut));
    }
    rows
}

/// The label goes along where it says more than the value: nobody else knows it later.
fn stored(prop: &PropDef, choice: &Choice) -> Value {
    if prop.with_label() || choice.label != text_of(&choice.value) {
        picked(choice)
    } else {
        choice.value.clone()
    }
}

fn without_nulls(values: &Map<String, Value>) -> Map<String, Value> {
    let values = values.iter().filter(|(_, value)| !value.is_null());
    values
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
