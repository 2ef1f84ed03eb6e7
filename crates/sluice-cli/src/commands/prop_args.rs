//! The `--prop` and `--props` options.

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
pub(crate) struct PropArgs {
    /// Value of a prop, as JSON unless the prop is a string. NAME=@FILE reads the value from a file. Repeat it for a list
    #[arg(long = "prop", value_name = "NAME=VALUE", help_heading = "Props")]
    flags: Vec<String>,
    /// YAML or JSON file with the values of props, `name: value`
    #[arg(long = "props", value_name = "FILE", help_heading = "Props")]
    props_file: Option<PathBuf>,
}

/// The given values, before their props are known.
#[derive(Debug, Default)]
pub(crate) struct PropInputs {
    values: BTreeMap<String, PropInput>,
}

#[derive(Debug)]
enum PropInput {
    /// From flags. The type of the prop decides how they are parsed.
    Texts(Vec<String>),
    Json(Value),
}

impl PropArgs {
    pub(crate) fn is_empty(&self) -> bool {
        self.flags.is_empty() && self.props_file.is_none()
    }

    /// The values for a component with exactly these props.
    pub(crate) fn values(&self, props: &[PropDef]) -> anyhow::Result<Map<String, Value>> {
        let mut inputs = self.read()?;
        let mut values = Map::new();
        for prop in props {
            let value = inputs.take(prop)?;
            values.extend(value.map(|value| (prop.name.clone(), value)));
        }
        values.extend(inputs.take_rest());
        Ok(values)
    }

    /// Flags override the file.
    pub(crate) fn read(&self) -> anyhow::Result<PropInputs> {
        let mut inputs = PropInputs::default();
        if let Some(path) = &self.props_file {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let values: Map<String, Value> = yaml::from_text(path, &text)?;
            let values = values.into_iter();
            inputs.values = values
                .map(|(name, value)| (name, PropInput::Json(value)))
                .collect();
        }
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for flag in &self.flags {
            let (name, text) = pair(flag, "--prop", "NAME=VALUE")?;
            let text = match text.strip_prefix('@') {
                Some(path) => fs::read_to_string(path).with_context(|| {
                    format!("--prop {name}: cannot read {path} (for a value that begins with @ use a --props file)")
                })?,
                None => text.to_owned(),
            };
            texts.entry(name.to_owned()).or_default().push(text);
        }
        for (name, texts) in texts {
            inputs.values.insert(name, PropInput::Texts(texts));
        }
        Ok(inputs)
    }
}

/// Splits a flag such as `name=value`.
pub(crate) fn pair<'a>(
    flag: &'a str,
    name: &str,
    form: &str,
) -> anyhow::Result<(&'a str, &'a str)> {
    match flag.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key, value)),
        _ => bail!("{name} {flag}: must be {form}"),
    }
}

impl PropInputs {
    /// Removes and returns the value of a prop.
    pub(crate) fn take(&mut self, prop: &PropDef) -> anyhow::Result<Option<Value>> {
        let Some(input) = self.values.remove(&prop.name) else {
            return Ok(None);
        };
        let value = match input {
            // A schedule in a file may be text too.
            PropInput::Json(Value::String(text)) if prop.prop_type == PropType::Timer => {
                value_of(&prop.prop_type, &text)
            }
            PropInput::Json(value) => value,
            PropInput::Texts(texts) => match (&texts[..], &prop.prop_type) {
                ([text], _) => value_of(&prop.prop_type, text),
                (_, PropType::Array(_)) => texts
                    .iter()
                    .map(|text| element_of(&prop.prop_type, text))
                    .collect(),
                _ => bail!(
                    "--prop {} is given {} times, but the prop takes one value",
                    prop.name,
                    texts.len()
                ),
            },
        };
        Ok(Some(value))
    }

    /// Removes and returns the values of unknown props. The server decides about them.
    pub(crate) fn take_rest(&mut self) -> Map<String, Value> {
        let rest = std::mem::take(&mut self.values).into_iter();
        rest.map(|(name, input)| {
            let value = match input {
                PropInput::Json(value) => value,
                PropInput::Texts(texts) => {
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

    fn args(flags: &[&str]) -> PropArgs {
        PropArgs {
            flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
            props_file: None,
        }
    }

    fn values(flags: &[&str], props: &[(&str, &str)]) -> anyhow::Result<Value> {
        let prop = |&(name, prop_type): &(&str, &str)| {
            PropDef::from_declaration(name, json!(prop_type)).unwrap()
        };
        let props: Vec<PropDef> = props.iter().map(prop).collect();
        args(flags).values(&props).map(Value::from)
    }

    #[test]
    fn a_flag_is_parsed_by_the_type_of_its_prop() {
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
    fn only_a_list_takes_a_repeated_flag() {
        let error = values(&["a=1", "a=2"], &[("a", "string")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--prop a is given 2 times, but the prop takes one value"
        );
    }

    #[test]
    fn values_of_unknown_props_are_json_or_text() {
        assert_eq!(
            values(&["a=1", "b=x", "c=1", "c=y"], &[]).unwrap(),
            json!({ "a": 1, "b": "x", "c": [1, "y"] })
        );
    }

    #[test]
    fn a_flag_without_a_name_or_a_value_is_an_error() {
        for flag in ["a", "=1", ""] {
            let error = values(&[flag], &[]).unwrap_err().to_string();
            assert_eq!(error, format!("--prop {flag}: must be NAME=VALUE"));
        }
    }
}
