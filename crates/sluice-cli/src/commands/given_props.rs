//! Values of props from the command line.

use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value};
use sluice_model::{PropDef, PropType};

use super::{
    prop_text::{element_of, json_or_text, value_of},
    yaml,
};

#[derive(Debug, Default, Args)]
pub(crate) struct GivenProps {
    /// Value of a prop, in JSON where its type is not text; NAME=@FILE reads it from a file; several for a list
    #[arg(long = "prop", value_name = "NAME=VALUE", help_heading = "Props")]
    given: Vec<String>,
    /// YAML or JSON file with values of props, `name: value`
    #[arg(long = "props", value_name = "FILE", help_heading = "Props")]
    props_file: Option<PathBuf>,
}

/// What is given, before it is known which props there are.
#[derive(Debug, Default)]
pub(crate) struct Given {
    values: BTreeMap<String, GivenValue>,
}

#[derive(Debug)]
enum GivenValue {
    /// What flags say: what it means depends on the type.
    Texts(Vec<String>),
    Json(Value),
}

impl GivenProps {
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty() && self.props_file.is_none()
    }

    /// The values for a component that has these props and no others.
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
    pub(crate) fn read(&self) -> anyhow::Result<Given> {
        let mut given = Given::default();
        if let Some(path) = &self.props_file {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let values: Map<String, Value> = yaml::from_text(path, &text)?;
            let values = values.into_iter();
            given.values = values
                .map(|(name, value)| (name, GivenValue::Json(value)))
                .collect();
        }
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for flag in &self.given {
            let (name, text) = pair(flag, "--prop", "NAME=VALUE")?;
            let text = match text.strip_prefix('@') {
                Some(path) => fs::read_to_string(path).with_context(|| {
                    format!("--prop {name}: cannot read {path} (a value that begins with @ can be given in a --props file)")
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

/// The two sides of a flag such as `name=value`.
pub(crate) fn pair<'a>(
    flag: &'a str,
    name: &str,
    form: &str,
) -> anyhow::Result<(&'a str, &'a str)> {
    match flag.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key, value)),
        _ => bail!("{name} {flag}: it must be {form}"),
    }
}

impl Given {
    /// Takes out what is given for a prop.
    pub(crate) fn take(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        let Some(given) = self.values.remove(&prop.name) else {
            return Ok(None);
        };
        let value = match given {
            // A schedule is awkward to write in any other way.
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

    /// What is given for no prop that is known. The server says what it makes of it.
    pub(crate) fn rest(&mut self) -> Map<String, Value> {
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

    fn given(flags: &[&str]) -> GivenProps {
        GivenProps {
            given: flags.iter().map(|&flag| flag.to_owned()).collect(),
            props_file: None,
        }
    }

    fn values(flags: &[&str], props: &[(&str, &str)]) -> anyhow::Result<Value> {
        let prop = |&(name, prop_type): &(&str, &str)| {
            PropDef::from_declaration(name, json!(prop_type)).unwrap()
        };
        let props: Vec<PropDef> = props.iter().map(prop).collect();
        given(flags).values(&props).map(Value::from)
    }

    #[test]
    fn a_flag_means_what_the_type_of_its_prop_says() {
        let props = [
            ("a", "string"),
            ("b", "integer"),
            ("c", "string"),
            ("d", "string[]"),
        ];
        assert_eq!(
            values(&["a=1", "b=1", "c=x=y", "d=1", "d=2"], &props).unwrap(),
            json!({ "a": "1", "b": 1, "c": "x=y", "d": ["1", "2"] })
        );
    }

    #[test]
    fn a_flag_given_twice_is_a_list_and_nothing_else() {
        let told = values(&["a=1", "a=2"], &[("a", "string")]).unwrap_err();
        assert_eq!(
            told.to_string(),
            "--prop a is given 2 times, but takes one value"
        );
    }

    #[test]
    fn what_is_for_no_known_prop_is_sent_as_it_looks() {
        assert_eq!(
            values(&["a=1", "b=x", "c=1", "c=y"], &[]).unwrap(),
            json!({ "a": 1, "b": "x", "c": [1, "y"] })
        );
    }

    #[test]
    fn a_flag_without_a_name_or_a_value_is_told() {
        for flag in ["a", "=1", ""] {
            let told = values(&[flag], &[]).unwrap_err().to_string();
            assert_eq!(told, format!("--prop {flag}: it must be NAME=VALUE"));
        }
    }
}
