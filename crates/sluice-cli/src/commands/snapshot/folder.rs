//! The content of a folder: everything by name, nothing by id.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_api::Retention;

use crate::commands::code::Code;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Folder {
    /// By file name without `.mjs`, or by the name of the folder of several files.
    pub(crate) components: BTreeMap<String, Code>,
    /// By slug.
    pub(crate) sources: BTreeMap<String, Source>,
    pub(crate) workflows: BTreeMap<String, Workflow>,
    /// By the name that subscriptions use.
    pub(crate) webhooks: BTreeMap<String, Webhook>,
    pub(crate) subscriptions: BTreeSet<Subscription>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) runs: Runs,
    pub(crate) active: bool,
    /// Secrets and accounts are references: see [`super::references`].
    pub(crate) props: Map<String, Value>,
    pub(crate) retention: Option<Retention>,
}

/// The code of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Runs {
    /// A file of the folder, by its path in the folder.
    File { path: String, code: Code },
    /// A component of the server's registry.
    Registry(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Workflow {
    pub(crate) document: String,
    /// The files of its steps, by path relative to the document.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) active: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Webhook {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) url: String,
    #[serde(default = "default_true")]
    pub(crate) active: bool,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(crate) concurrency: u32,
}

/// A subscription of a listener to an emitter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subscription {
    /// `sources/<slug>`, `workflows/<slug>`, `dc_*`, `p_*`, or `*` for emitters that are created later.
    pub(crate) from: String,
    /// Empty for the default channel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) event: String,
    /// `sources/<slug>`, `workflows/<slug>` or `webhooks/<name>`.
    pub(crate) to: String,
}

impl Subscription {
    /// Whether the server adds a subscription for each emitter that is created later.
    pub(crate) fn is_automatic(&self) -> bool {
        self.from == "*"
    }
}

pub(crate) fn default_true() -> bool {
    true
}

fn one() -> u32 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde requires a reference"
)]
fn is_one(number: &u32) -> bool {
    *number == 1
}
