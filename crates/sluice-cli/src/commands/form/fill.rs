//! The form: its values, submitting it, and asking again for rejected props.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sluice_api::{App, AskProps, DynamicProps, PropError, PropsAnswer};
use sluice_model::{DynamicPropsId, PropDef, PropType, SourceId};

use super::flags::{AccountArgs, PropFlags};
use crate::{
    client::{Client, ClientError},
    commands::{
        ask,
        output::{BAD, CHANGED, sanitized, show_stderr, styled},
        prop_args::PropInputs,
        prop_text::text_of,
    },
};

/// The component to configure, and the source that already has values.
#[derive(Debug)]
pub(crate) struct Subject {
    /// Id or key of the component.
    pub(crate) component: String,
    pub(crate) props: Vec<PropDef>,
    /// The existing source and its values, with secrets masked.
    pub(crate) source: Option<(SourceId, Map<String, Value>)>,
}

/// Which props the user is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptMode {
    /// None: there is no terminal.
    Never,
    Missing,
    All,
}

/// The values of the props so far.
pub(crate) struct Form<'a> {
    pub(super) client: &'a Client,
    pub(super) component: String,
    pub(super) source: Option<SourceId>,
    pub(super) props: Vec<PropDef>,
    pub(super) dynamic_props: Option<DynamicPropsId>,
    pub(super) values: Map<String, Value>,
    inputs: PropInputs,
    accounts: AccountArgs,
    pub(super) mode: PromptMode,
    pub(super) asked: BTreeSet<String>,
    /// By slug. `None` for an app that the server does not have.
    pub(super) apps: BTreeMap<String, Option<App>>,
}

/// The fields of a request.
pub(crate) struct FormValues {
    pub(crate) configured_props: Map<String, Value>,
    pub(crate) dynamic_props_id: Option<String>,
}

impl<'a> Form<'a> {
    /// With `json` there are no prompts, as without a terminal.
    pub(crate) fn new(
        client: &'a Client,
        subject: Subject,
        flags: &PropFlags,
        json: bool,
    ) -> anyhow::Result<Form<'a>> {
        let mode = match (ask::is_interactive(json), flags.prompt_all) {
            (false, _) => PromptMode::Never,
            (true, false) => PromptMode::Missing,
            (true, true) => PromptMode::All,
        };
        let (source, values) = subject.source.unzip();
        let (inputs, accounts) = flags.read()?;
        Ok(Form {
            client,
            component: subject.component,
            source,
            props: subject.props,
            dynamic_props: None,
            values: values.unwrap_or_default(),
            inputs,
            accounts,
            mode,
            asked: BTreeSet::new(),
            apps: BTreeMap::new(),
        })
    }

    /// Fills the form and sends it. While the server rejects props, the user is asked for them again.
    pub(crate) async fn submit<T>(
        mut self,
        send: impl AsyncFn(FormValues) -> Result<T, ClientError>,
    ) -> anyhow::Result<T> {
        self.fill().await?;
        loop {
            let error = match send(self.to_values()).await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            match error.prop_errors() {
                Some(errors) if self.mode != PromptMode::Never => {
                    if !self.ask_again(&errors).await? {
                        return Err(error.into());
                    }
                }
                _ => return Err(error.into()),
            }
        }
    }

    fn to_values(&self) -> FormValues {
        FormValues {
            configured_props: self.values.clone(),
            dynamic_props_id: self.dynamic_props.as_ref().map(ToString::to_string),
        }
    }

    async fn fill(&mut self) -> anyhow::Result<()> {
        let reloads = self.take_inputs().await?;
        let had_values = !self.values.is_empty() && self.props.iter().any(reloads_props);
        if reloads || had_values {
            self.reload().await?;
        }
        if self.mode == PromptMode::Never {
            self.require_complete().await?;
        } else {
            self.ask_for_open_props().await?;
        }
        // Values of unknown props are left to the server.
        let rest = self.inputs.take_rest();
        self.values.extend(rest);
        Ok(())
    }

    /// Takes the given values of known props. Returns whether they may change the set of props.
    async fn take_inputs(&mut self) -> anyhow::Result<bool> {
        let mut reloads = false;
        for prop in self.props.clone() {
            let is_app = prop.prop_type == PropType::App;
            let account = self.accounts.get(&prop).map(str::to_owned);
            let value = match (self.inputs.take(&prop)?, account) {
                (Some(Value::String(account)), _) if is_app => {
                    Some(self.named_account(&prop, &account).await?)
                }
                (None, Some(account)) if is_app && !self.asked.contains(&prop.name) => {
                    Some(self.named_account(&prop, &account).await?)
                }
                (value, _) => value,
            };
            if let Some(value) = value {
                reloads |= reloads_props(&prop);
                self.asked.insert(prop.name.clone());
                self.values.insert(prop.name, value);
            }
        }
        Ok(reloads)
    }

    /// Asks the component for its props, given the values so far.
    async fn reload(&mut self) -> anyhow::Result<()> {
        let request = AskProps {
            id: Some(self.component.clone()),
            configured_props: Some(self.values.clone()),
            dynamic_props_id: self.dynamic_props.as_ref().map(ToString::to_string),
            source_id: self.source.as_ref().map(ToString::to_string),
        };
        let answer: PropsAnswer = self
            .client
            .post_plain("/components/props", &request)
            .await?;
        let Some(DynamicProps {
            id,
            configurable_props,
        }) = answer.dynamic_props
        else {
            show_stderr(&format!(
                "{} cannot reload the props of the component: {}\n",
                styled(BAD, "!"),
                component_errors(&answer.errors)
            ))?;
            return Ok(());
        };
        self.dynamic_props = Some(id);
        let is_removed = |name: &String| {
            let has = |props: &[PropDef]| props.iter().any(|prop| prop.name == *name);
            has(&self.props) && !has(&configurable_props)
        };
        let removed: Vec<String> = self
            .values
            .keys()
            .filter(|name| is_removed(name))
            .cloned()
            .collect();
        for name in removed {
            self.values.remove(&name);
        }
        self.props = configurable_props;
        // The flags may have values for the new props, which may change the props again.
        if Box::pin(self.take_inputs()).await? {
            Box::pin(self.reload()).await?;
        }
        Ok(())
    }

    async fn ask_for_open_props(&mut self) -> anyhow::Result<()> {
        while let Some(prop) = self.next_question().await? {
            self.asked.insert(prop.name.clone());
            if prop.prop_type == PropType::Alert {
                show_alert(&prop)?;
                continue;
            }
            let Some(value) = self.ask(&prop).await? else {
                continue;
            };
            self.values.insert(prop.name.clone(), value);
            if reloads_props(&prop) {
                self.reload().await?;
            }
        }
        Ok(())
    }

    /// Asks again for the props that the server rejected. Returns false when none of them can be asked for.
    async fn ask_again(&mut self, errors: &[PropError]) -> anyhow::Result<bool> {
        let has_prop = |error: &PropError| self.props.iter().any(|prop| prop.name == error.prop);
        if !errors.iter().all(has_prop) {
            // It may be a dynamic prop.
            self.reload().await?;
        }
        let mut again = Vec::new();
        for prop in &self.props {
            let mut errors = errors
                .iter()
                .filter(|error| error.prop == prop.name)
                .peekable();
            if errors.peek().is_some() && !prop.prop_type.takes_no_value() {
                again.push(prop.name.clone());
            }
            for error in errors {
                let message = sanitized(&error.message);
                show_stderr(&format!("{} {message}\n", styled(BAD, "!")))?;
            }
        }
        for name in &again {
            self.values.remove(name);
            self.asked.remove(name);
        }
        if again.is_empty() {
            return Ok(false);
        }
        for name in again {
            let prop = self.props.iter().find(|prop| prop.name == name).cloned();
            if let Some(prop) = prop {
                self.asked.insert(name);
                if let Some(value) = self.ask(&prop).await? {
                    self.values.insert(prop.name, value);
                }
            }
        }
        self.ask_for_open_props().await?;
        Ok(true)
    }
}

fn show_alert(prop: &PropDef) -> anyhow::Result<()> {
    let declared = |key: &str| prop.declared().get(key).and_then(Value::as_str);
    let content = ["content", "description", "label"]
        .into_iter()
        .find_map(declared);
    let mark = match declared("alertType") {
        Some("error") => format!("{} ", styled(BAD, "!")),
        Some("warning") => format!("{} ", styled(CHANGED, "!")),
        _ => String::new(),
    };
    if let Some(content) = content {
        show_stderr(&format!("{mark}{}\n", sanitized(content)))?;
    }
    Ok(())
}

fn reloads_props(prop: &PropDef) -> bool {
    prop.declared().get("reloadProps") == Some(&Value::Bool(true))
}

/// The errors that a component threw, as text.
pub(super) fn component_errors(errors: &[String]) -> String {
    let texts = errors.iter().map(|error| {
        let error: Value = serde_json::from_str(error).unwrap_or_else(|_| error.as_str().into());
        match (&error["name"], &error["message"]) {
            (Value::String(name), Value::String(message)) => format!("{name}: {message}"),
            _ => text_of(&error),
        }
    });
    sanitized(&texts.collect::<Vec<_>>().join("; "))
}
