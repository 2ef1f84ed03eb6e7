//! Values of props from the command line.

use std::{fs, path::PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value};
use sluice_model::{PropDef, PropType};

use super::yaml;

#[derive(Debug, Args)]
pub(crate) struct GivenProps {
    /// Value of a prop, in JSON where its type is not text; NAME=@FILE reads it from a file
    #[arg(long = "prop", value_name = "NAME=VALUE")]
    given: Vec<String>,
    /// YAML or JSON file with values of props, `name: value`
    #[arg(long = "props", value_name = "FILE")]
    props_file: Option<PathBuf>,
}

impl GivenProps {
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty() && self.props_file.is_none()
    }

    /// The values; flags go before the file.
    pub(crate) fn values(&self, props: &[PropDef]) -> anyhow::Result<Map<String, Value>> {
        let mut values = match &self.props_file {
            Some(path) => {
                let text = fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                yaml::from_text(path, &text)?
            }
            None => Map::new(),
        };
        for flag in &self.given {
            let Some((name, text)) = flag.split_once('=').filter(|(name, _)| !name.is_empty())
            else {
                bail!("--prop {flag}: it must be NAME=VALUE");
            };
            let text = match text.strip_prefix('@') {
                Some(path) => fs::read_to_string(path)
                    .with_context(|| format!("--prop {name}: cannot read {path}"))?,
                None => text.to_owned(),
            };
            let prop = props.iter().find(|prop| prop.name == name);
            values.insert(name.to_owned(), meant(prop, text));
        }
        Ok(values)
    }
}

/// What a text stands for: itself where text is wanted, else JSON if it is any.
fn meant(prop: Option<&PropDef>, text: String) -> Value {
    let wants_text =
        prop.is_some_and(|prop| matches!(prop.prop_type, PropType::String | PropType::DataStore));
    if wants_text {
        return text.into();
    }
    serde_json::from_str(&text).unwrap_or_else(|_| text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_means_what_the_type_of_its_prop_says() {
        let prop = |name: &str, def| PropDef::from_declaration(name, def).unwrap();
        let props = [prop("a", json!("string")), prop("b", json!("integer"))];
        let given = GivenProps {
            given: ["a=1", "b=2", "c={\"d\": 3}", "e=x=y"]
                .map(str::to_owned)
                .into(),
            props_file: None,
        };
        assert_eq!(
            Value::Object(given.values(&props).unwrap()),
            json!({ "a": "1", "b": 2, "c": { "d": 3 }, "e": "x=y" })
        );
        let bad = GivenProps {
            given: vec!["=1".to_owned()],
            props_file: None,
        };
        assert!(bad.values(&props).is_err());
    }
}
