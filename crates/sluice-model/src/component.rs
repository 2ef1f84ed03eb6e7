//! The description of a component whose code is valid, as it is stored and shown.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{prop_def::PropDef, prop_type::PropType, props::merged};

/// How the code is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ModuleFormat {
    #[serde(rename = "cjs")]
    CommonJs,
    #[serde(rename = "esm")]
    EsModule,
}

/// A source emits events; an action is a step of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentKind {
    Source,
    Action,
}

impl ComponentKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Action => "action",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "source" => Some(Self::Source),
            "action" => Some(Self::Action),
            _ => None,
        }
    }
}

/// Decides which emits of a source become events; see [`crate::dedupe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DedupeStrategy {
    Unique,
    Greatest,
    Last,
}

impl DedupeStrategy {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "unique" => Some(Self::Unique),
            "greatest" => Some(Self::Greatest),
            "last" => Some(Self::Last),
            _ => None,
        }
    }
}

/// A method of a source that runs when the source itself changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hook {
    Deploy,
    Activate,
    Deactivate,
}

impl Hook {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deploy => "deploy",
            Self::Activate => "activate",
            Self::Deactivate => "deactivate",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "deploy" => Some(Self::Deploy),
            "activate" => Some(Self::Activate),
            "deactivate" => Some(Self::Deactivate),
            _ => None,
        }
    }
}

/// The valid description of a component, from [`crate::RawShape::check`]. Its texts have no NUL character.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentShape {
    pub name: String,
    pub key: Option<String>,
    pub version: String,
    pub description: Option<String>,
    pub kind: ComponentKind,
    pub dedupe: Option<DedupeStrategy>,
    pub props: Vec<PropDef>,
    pub hooks: Vec<Hook>,
    /// False only for a source with a timer, which then emits the timer's event itself.
    pub has_run: bool,
    pub format: ModuleFormat,
    /// Whether its `additionalProps` declares further props, given values for these.
    #[serde(default)]
    pub has_additional_props: bool,
    /// Problems that do not prevent a deploy.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl ComponentShape {
    pub fn has_hook(&self, hook: Hook) -> bool {
        self.hooks.contains(&hook)
    }

    /// The shape with the props that `additionalProps` declared.
    #[must_use]
    pub fn with_dynamic_props(mut self, dynamic: &[PropDef]) -> ComponentShape {
        if !dynamic.is_empty() {
            self.props = merged(&self.props, dynamic);
        }
        self
    }

    /// The props of one type, such as every timer.
    pub fn props_of<'a>(&'a self, prop_type: &'a PropType) -> impl Iterator<Item = &'a PropDef> {
        self.props
            .iter()
            .filter(move |prop| prop.prop_type == *prop_type)
    }
}

/// SHA-256 of a component's code, in lower-case hexadecimal.
pub fn code_hash(code: &str) -> String {
    Sha256::digest(code)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
            hex
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_hash_is_sha_256() {
        assert_eq!(
            code_hash("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn names_on_the_wire() {
        assert_eq!(
            serde_json::to_string(&ModuleFormat::EsModule).unwrap(),
            "\"esm\""
        );
        assert_eq!(
            serde_json::to_string(&ComponentKind::Action).unwrap(),
            "\"action\""
        );
        for hook in [Hook::Deploy, Hook::Activate, Hook::Deactivate] {
            assert_eq!(Hook::parse(hook.as_str()), Some(hook));
            assert_eq!(serde_json::to_value(hook).unwrap(), hook.as_str());
        }
    }
}
