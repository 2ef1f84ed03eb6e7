//! Filling in the props of a component: from flags, from what there was, and by asking.

mod account;
mod connect;
mod given;
mod lists;
mod open;
mod options;
mod question;
mod typed;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sluice_api::{App, AskProps, DynamicProps, PropsAnswer};
use sluice_model::{DynamicPropsId, PropDef, PropType, SourceId};

use self::given::Given;
pub(crate) use self::given::{PropFlags, ValueFlags};
use super::{
    ask,
    output::{BAD, complain, harmless, styled},
};
use crate::client::{Client, ClientError};

/// Which component is configured, and for which source.
#[derive(Debug)]
pub(crate) struct Subject {
    /// Id or key of the component.
    pub(crate) component: String,
    pub(crate) props: Vec<PropDef>,
    /// The source that has values already, and those, with secrets masked.
    pub(crate) source: Option<(SourceId, Map<String, Value>)>,
}

/// How values come about that are not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// There is nobody to ask.
    Alone,
    AskForMissing,
    AskForAll,
}

/// Values as far as they are known.
pub(crate) struct Form<'a> {
    client: &'a Client,
    component: String,
    source: Option<SourceId>,
    props: Vec<PropDef>,
    dynamic_props: Option<DynamicPropsId>,
    values: Map<String, Value>,
    given: Given,
    manner: Manner,
    asked: BTreeSet<String>,
    /// By their slugs; none for one that this server does not know.
    apps: BTreeMap<String, Option<App>>,
}

/// What goes to the server.
pub(crate) struct Filled {
    pub(crate) configured_props: Map<String, Value>,
    pub(crate) dynamic_props_id: Option<String>,
}

impl<'a> Form<'a> {
    /// With `json` nobody is asked anything, as in a pipe.
    pub(crate) fn new(
        client: &'a Client,
        subject: Subject,
        flags: &PropFlags,
        json: bool,
    ) -> anyhow::Result<Form<'a>> {
        let manner = match (ask::is_possible(json), flags.prompt_all) {
            (false, _) => Manner::Alone,
            (true, false) => Manner::AskForMissing,
            (true, true) => Manner::AskForAll,
        };
        let (source, values) = subject.source.unzip();
        Ok(Form {
            client,
            component: subject.component,
            source,
            props: subject.props,
            dynamic_props: None,
            values: values.unwrap_or_default(),
            given: flags.read()?,
            manner,
            asked: BTreeSet::new(),
            apps: BTreeMap::new(),
        })
    }

    /// Fills the form in and sends it, until the server takes it or nobody is there to correct it.
    pub(crate) async fn submit<T>(
        mut self,
        send: impl AsyncFn(Filled) -> Result<T, ClientError>,
    ) -> anyhow::Result<T> {
        self.fill().await?;
        loop {
            let error = match send(self.filled()).await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            match error.prop_faults() {
                Some(faults) if self.manner != Manner::Alone => {
                    if !self.reconsider(&faults).await? {
                        return Err(error.into());
                    }
                }
                _ => return Err(error.into()),
            }
        }
    }

    fn filled(&self) -> Filled {
        Filled {
            configured_props: self.values.clone(),
            dynamic_props_id: self.dynamic_props.as_ref().map(ToString::to_string),
        }
    }

    async fn fill(&mut self) -> anyhow::Result<()> {
        let reloads = self.take_given().await?;
        let had_values = !self.values.is_empty() && self.props.iter().any(reloads_props);
        if reloads || had_values {
            self.reload().await?;
        }
        if self.manner == Manner::Alone {
            self.complete_or_refuse().await?;
        } else {
            self.ask_for_what_is_open().await?;
        }
        // What is for no prop that is known is the server's to judge.
        let rest = self.given.rest();
        self.values.extend(rest);
        Ok(())
    }

    /// Takes what is given for the props that are known; answers whether that may bring others.
    async fn take_given(&mut self) -> anyhow::Result<bool> {
        let mut reloads = false;
        for prop in self.props.clone() {
            let value = match self.given.take(&prop)? {
                None if prop.prop_type == PropType::App => match self.given.take_account(&prop) {
                    Some(account) => Some(self.named_account(&prop, &account).await?),
                    None => None,
                },
                Some(Value::String(account)) if prop.prop_type == PropType::App => {
                    Some(self.named_account(&prop, &account).await?)
                }
                value => value,
            };
            if let Some(value) = value {
                reloads |= reloads_props(&prop);
                self.asked.insert(prop.name.clone());
                self.values.insert(prop.name, value);
            }
        }
        Ok(reloads)
    }

    /// Asks the component which props it has for the values so far.
    async fn reload(&mut self) -> anyhow::Result<()> {
        let question = AskProps {
            id: Some(self.component.clone()),
            configured_props: Some(self.values.clone()),
            dynamic_props_id: self.dynamic_props.as_ref().map(ToString::to_string),
            source_id: self.source.as_ref().map(ToString::to_string),
        };
        let answer: PropsAnswer = self.client.ask("/components/props", &question).await?;
        let Some(DynamicProps {
            id,
            configurable_props,
        }) = answer.dynamic_props
        else {
            complain(&format!(
                "{} the component cannot say which props these values bring: {}\n",
                styled(BAD, "!"),
                thrown(&answer.errors)
            ))?;
            return Ok(());
        };
        self.dynamic_props = Some(id);
        let is_gone = |name: &String| {
            let is_there = |props: &[PropDef]| props.iter().any(|prop| prop.name == *name);
            is_there(&self.props) && !is_there(&configurable_props)
        };
        let gone: Vec<String> = self
            .values
            .keys()
            .filter(|name| is_gone(name))
            .cloned()
            .collect();
        for name in gone {
            self.values.remove(&name);
        }
        self.props = configurable_props;
        // What was given may be for one of the new ones, and bring others in its turn.
        if Box::pin(self.take_given()).await? {
            Box::pin(self.reload()).await?;
        }
        Ok(())
    }

    async fn ask_for_what_is_open(&mut self) -> anyhow::Result<()> {
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

    /// Asks again for what the server refuses. False when that is nothing that could be asked.
    async fn reconsider(&mut self, faults: &[String]) -> anyhow::Result<bool> {
        let is_known =
            |props: &[PropDef], fault: &str| props.iter().any(|prop| concerns(fault, prop));
        if faults.iter().any(|fault| !is_known(&self.props, fault)) {
            // It may be one that only the component knows of.
            self.reload().await?;
        }
        let mut again = Vec::new();
        for prop in &self.props {
            let mut told = faults
                .iter()
                .filter(|fault| concerns(fault, prop))
                .peekable();
            if told.peek().is_some() && !prop.prop_type.takes_no_value() {
                again.push(prop.name.clone());
            }
            for fault in told {
                complain(&format!("{} {}\n", styled(BAD, "!"), harmless(fault)))?;
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
        self.ask_for_what_is_open().await?;
        Ok(true)
    }
}

fn show_alert(prop: &PropDef) -> anyhow::Result<()> {
    let content = prop.declared().get("content").and_then(Value::as_str);
    if let Some(content) = content {
        complain(&format!("{}\n", harmless(content)))?;
    }
    Ok(())
}

/// Whether a fault begins with the name of the prop.
fn concerns(fault: &str, prop: &PropDef) -> bool {
    fault
        .strip_prefix(&prop.name)
        .is_some_and(|rest| rest.starts_with(' '))
}

fn reloads_props(prop: &PropDef) -> bool {
    prop.declared().get("reloadProps") == Some(&Value::Bool(true))
}

/// What a component threw, in words.
fn thrown(errors: &[String]) -> String {
    let words = errors.iter().map(|error| {
        let error: Value = serde_json::from_str(error).unwrap_or_else(|_| error.as_str().into());
        match (&error["name"], &error["message"]) {
            (Value::String(name), Value::String(message)) => format!("{name}: {message}"),
            _ => typed::text_of(&error),
        }
    });
    harmless(&words.collect::<Vec<_>>().join("; "))
}
