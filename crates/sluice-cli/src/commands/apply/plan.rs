//! A plan: the steps that make an account match a folder.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use sluice_api::Component;

use crate::commands::code::Code;
use crate::commands::snapshot::{
    account::Account,
    folder::{Folder, Runs, Source, Subscription, Webhook, Workflow},
    references::References,
};

#[derive(Default)]
pub(crate) struct Plan {
    /// In order of execution.
    pub(crate) steps: Vec<Step>,
    pub(crate) unchanged: usize,
    /// Names of items that are on the server and not in the folder.
    pub(crate) left: Vec<String>,
    /// Items that cannot be applied.
    pub(crate) errors: Vec<PlanError>,
}

#[derive(Serialize)]
pub(crate) struct PlanError {
    pub(crate) name: String,
    pub(crate) reason: String,
}

pub(crate) struct Step {
    /// Such as `sources/<slug>`.
    pub(crate) name: String,
    /// One line for each changed field.
    pub(crate) details: Vec<String>,
    pub(crate) action: Action,
}

pub(crate) enum Action {
    SaveComponent {
        code: Code,
        is_new: bool,
    },
    CreateWebhook(Webhook),
    UpdateWebhook {
        id: String,
        change: Map<String, Value>,
    },
    CreateSource {
        source: Source,
        props: Map<String, Value>,
    },
    UpdateSource {
        id: String,
        change: SourceChange,
    },
    CreateWorkflow {
        workflow: Workflow,
        secrets: BTreeMap<String, String>,
    },
    UpdateWorkflow {
        id: String,
        change: Map<String, Value>,
    },
    Subscribe(Subscription),
    Unsubscribe(sluice_api::Subscription),
    DeleteWorkflow(String),
    DeleteSource(String),
    DeleteWebhook(String),
}

/// The changes of a source.
#[derive(Default)]
pub(crate) struct SourceChange {
    pub(crate) runs: Option<Runs>,
    /// All fields but the code. `active` is always set: without it the server would activate the source.
    pub(crate) fields: Map<String, Value>,
}

/// The effect of a step on its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Effect {
    Create,
    Update,
    Delete,
}

impl Action {
    pub(crate) fn effect(&self) -> Effect {
        match self {
            Action::SaveComponent { is_new: true, .. }
            | Action::CreateWebhook(_)
            | Action::CreateSource { .. }
            | Action::CreateWorkflow { .. }
            | Action::Subscribe(_) => Effect::Create,
            Action::SaveComponent { is_new: false, .. }
            | Action::UpdateWebhook { .. }
            | Action::UpdateSource { .. }
            | Action::UpdateWorkflow { .. } => Effect::Update,
            Action::Unsubscribe(_)
            | Action::DeleteWorkflow(_)
            | Action::DeleteSource(_)
            | Action::DeleteWebhook(_) => Effect::Delete,
        }
    }
}

/// The input of the planner.
pub(crate) struct PlanInput<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) account: &'a Account,
    /// The components for the keys in the folder. `None` for a key that does not exist.
    pub(crate) registry: &'a BTreeMap<String, Option<Component>>,
    pub(crate) references: &'a References<'a>,
    pub(crate) prune: bool,
}

impl Plan {
    pub(super) fn add(&mut self, name: String, action: Action) {
        self.change(name, Vec::new(), action);
    }

    pub(super) fn change(&mut self, name: String, details: Vec<String>, action: Action) {
        self.steps.push(Step {
            name,
            details,
            action,
        });
    }

    pub(super) fn error(&mut self, name: &str, reason: impl Into<String>) {
        self.errors.push(PlanError {
            name: name.to_owned(),
            reason: reason.into(),
        });
    }

    pub(crate) fn count(&self, effect: Effect) -> usize {
        let effects = self.steps.iter().map(|step| step.action.effect());
        effects.filter(|other| *other == effect).count()
    }
}
