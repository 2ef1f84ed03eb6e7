//! An account as it stands in a folder: everything by name, nothing by id.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_api::Retention;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Folder {
    /// Code, by the name of its file without `.mjs`.
    pub(crate) components: BTreeMap<String, String>,
    /// By slug, as are workflows.
    pub(crate) sources: BTreeMap<String, Source>,
    pub(crate) workflows: BTreeMap<String, Workflow>,
    /// By the name that subscriptions use for them.
    pub(crate) webhooks: BTreeMap<String, Webhook>,
    pub(crate) subscriptions: BTreeSet<Subscription>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) runs: Runs,
    pub(crate) active: bool,
    /// Secrets and accounts are references: see [`super::props`].
    pub(crate) props: Map<String, Value>,
    pub(crate) retention: Option<Retention>,
}

/// What a source runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Runs {
    /// A file of the folder, by its path in it.
    File { path: String, code: String },
    /// A component of the server's registry.
    Registry(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Workflow {
    pub(crate) document: String,
    /// The files that its steps are made of, by their paths beside the document.
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
    #[serde(default = "yes")]
    pub(crate) active: bool,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(crate) concurrency: u32,
}

/// Who gets whose events.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subscription {
    /// `sources/<slug>`, `workflows/<slug>`, `dc_*`, `p_*`, or `*` for whatever is created later.
    pub(crate) from: String,
    /// Empty for the default channel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) event: String,
    /// `sources/<slug>`, `workflows/<slug>` or `webhooks/<name>`.
    pub(crate) to: String,
}

impl Subscription {
    /// Whether each emitter that is created later gets a subscription of its own.
    pub(crate) fn is_automatic(&self) -> bool {
        self.from == "*"
    }
}

pub(crate) fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_one(number: &u32) -> bool {
    *number == 1
}
