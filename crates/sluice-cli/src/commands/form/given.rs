//! Values of props that are given with the command.

use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value};
use sluice_model::{PropDef, PropType};

use super::typed::{element_of, json_or_text, value_of};
use crate::commands::yaml;

/// The flags of all commands that set props.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Props")]
pub(crate) struct PropFlags {
    #[command(flatten)]
    values: ValueFlags,
    /// Account to use for an app, by id or name
    #[arg(long = "account", value_name = "APP=ACCOUNT")]
    accounts: Vec<String>,
    /// Ask for optional props and for those that have a value too
    #[arg(long)]
    pub(crate) prompt_all: bool,
}

/// Values alone, for what knows no accounts.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Props")]
pub(crate) struct ValueFlags {
    /// Value of a prop, in JSON where its type is not text; NAME=@FILE reads it from a file; several for a list
    #[arg(long = "prop", value_name = "NAME=VALUE")]
    props: Vec<String>,
    /// YAML or JSON file with values of props, `name: value`
    #[arg(long = "props", value_name = "FILE")]
    file: Option<PathBuf>,
}

/// What the flags say, before it is known which props there are.
#[derive(Debug, Default)]
pub(super) struct Given {
    values: BTreeMap<String, GivenValue>,
    /// By app or by prop.
    accounts: BTreeMap<String, String>,
}

#[derive(Debug)]
enum GivenValue {
    /// What flags say: what it means depends on the type.
    Texts(Vec<String>),
    Json(Value),
}

impl PropFlags {
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.accounts.is_empty()
    }

    pub(super) fn read(&self) -> anyhow::Result<Given> {
        let mut given = self.values.read()?;
        for flag in &self.accounts {
            let (app, account) = pair(flag, "--account", "APP=ACCOUNT")?;
            given.accounts.insert(app.to_owned(), account.to_owned());
        }
        Ok(given)
    }
}

impl ValueFlags {
    pub(crate) fn is_empty(&self) -> bool {
        self.props.is_empty() && self.file.is_none()
    }

    /// All that is given, for these props and for others.
    pub(crate) fn values(&self, props: &[PropDef]) -> anyhow::Result<Map<String, Value>> {
        let mut given = self.read()?;
        let mut values = Map::new();
        for prop in props {
            let value = given.take(prop)?;
            values.extend(value.map(|value| (prop.name.clone(), value)));
        }
        values.extend(given.rest());
        Ok(values)
    }

    /// Flags go before the file.
    fn read(&self) -> anyhow::Result<Given> {
        let mut given = Given::default();
        if let Some(path) = &self.file {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let values: Map<String, Value> = yaml::from_text(path, &text)?;
            let values = values.into_iter();
            given.values = values
                .map(|(name, value)| (name, GivenValue::Json(value)))
                .collect();
        }
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for flag in &self.props {
            let (name, text) = pair(flag, "--prop", "NAME=VALUE")?;
            let text = match text.strip_prefix('@') {
                Some(path) => fs::read_to_string(path).with_context(|| {
                    format!("--prop {name}=@…: cannot read {path} (a value that begins with @ can be given in a --props file)")
                })?,
                None => text.to_owned(),
            };
            texts.entry(name.to_owned()).or_default().push(text);
        }
        for (name, texts) in texts {
            given.values.insert(name, GivenValue::Texts(texts));
        }
        Ok(given)
    }
}

fn pair<'a>(flag: &'a str, name: &str, form: &str) -> anyhow::Result<(&'a str, &'a str)> {
    match flag.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key, value)),
        _ => bail!("{name} {flag}: it must be {form}"),
    }
}

impl Given {
    /// Takes out what is given for a prop.
    pub(super) fn take(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        let Some(given) = self.values.remove(&prop.name) else {
            return Ok(None);
        };
        let value = match given {
            // These are awkward to write in any other way.
            GivenValue::Json(Value::String(text)) if prop.prop_type == PropType::Timer => {
                value_of(&prop.prop_type, &text)
            }
            GivenValue::Json(value) => value,
            GivenValue::Texts(texts) => match (&texts[..], &prop.prop_type) {
                ([text], _) => value_of(&prop.prop_type, text),
                (_, PropType::Array(_)) => texts
                    .iter()
                    .map(|text| element_of(&prop.prop_type, text))
                    .collect(),
                _ => bail!(
                    "--prop {} is given {} times, but takes one value",
                    prop.name,
                    texts.len()
                ),
            },
        };
        Ok(Some(value))
    }

    /// Takes out the account that is given for an app prop.
    pub(super) fn take_account(&mut self, prop: &PropDef) -> Option<String> {
        let by_prop = self.accounts.remove(&prop.name);
        by_prop.or_else(|| self.accounts.get(prop.app()?).cloned())
    }

    /// What is given for no prop that is known. The server says what it makes of it.
    pub(super) fn rest(&mut self) -> Map<String, Value> {
        let rest = std::mem::take(&mut self.values).into_iter();
        rest.map(|(name, given)| {
            let value = match given {
                GivenValue::Json(value) => value,
                GivenValue::Texts(texts) => {
                    let mut values: Vec<Value> =
                        texts.iter().map(|text| json_or_text(text)).collect();
                    match values.len() {
                        1 => values.remove(0),
                        _ => Value::Array(values),
                    }
                }
            };
            (name, value)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(props: &[&str]) -> Given {
        let flags = ValueFlags {
            props: props.iter().map(|&flag| flag.to_owned()).collect(),
            ..ValueFlags::default()
        };
        flags.read().unwrap()
    }

    fn taken(given: &mut Given, name: &str, prop_type: &str) -> anyhow::Result<Option<Value>> {
        given.take(&PropDef::from_declaration(name, json!(prop_type)).unwrap())
    }

    #[test]
    fn a_flag_means_what_the_type_of_its_prop_says() {
        let mut flags = given(&["a=1", "b=1", "c=x=y", "d=1", "d=2"]);
        let mut take = |name, prop_type| taken(&mut flags, name, prop_type).unwrap();
        assert_eq!(take("a", "string"), Some(json!("1")));
        assert_eq!(take("b", "integer"), Some(json!(1)));
        assert_eq!(take("c", "string"), Some(json!("x=y")));
        assert_eq!(take("d", "string[]"), Some(json!(["1", "2"])));
        assert_eq!(take("e", "string"), None);
        assert_eq!(take("a", "string"), None, "it is taken");
    }

    #[test]
    fn a_flag_given_twice_is_a_list_and_nothing_else() {
        let mut flags = given(&["a=1", "a=2"]);
        let told = taken(&mut flags, "a", "string").unwrap_err().to_string();
        assert_eq!(told, "--prop a is given 2 times, but takes one value");
    }

    #[test]
    fn what_is_for_no_known_prop_is_sent_as_it_looks() {
        let mut flags = given(&["a=1", "b=x", "c=1", "c=y"]);
        assert_eq!(
            Value::from(flags.rest()),
            json!({"a": 1, "b": "x", "c": [1, "y"]})
        );
    }

    #[test]
    fn a_flag_without_a_name_or_a_value_is_told() {
        for flag in ["a", "=1", ""] {
            let flags = ValueFlags {
                props: vec![flag.to_owned()],
                ..ValueFlags::default()
            };
            let told = flags.read().unwrap_err().to_string();
            assert_eq!(told, format!("--prop {flag}: it must be NAME=VALUE"));
        }
    }
}
