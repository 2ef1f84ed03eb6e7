//! What has to be done so that the server has what a folder says.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use sluice_api::Component;

use super::{
    differences,
    folder::{Folder, Runs, Source, Subscription, Webhook, Workflow},
    ids::Ids,
    names::in_order_of_creation,
    props::References,
    server::Account,
};

#[derive(Default)]
pub(crate) struct Plan {
    /// In the order in which they are done.
    pub(crate) steps: Vec<Step>,
    pub(crate) unchanged: usize,
    /// What is on the server and not in the folder.
    pub(crate) left: Vec<String>,
    /// What cannot be done, and why.
    pub(crate) problems: Vec<Problem>,
}

#[derive(Serialize)]
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) reason: String,
}

pub(crate) struct Step {
    /// Such as `sources/<slug>`.
    pub(crate) name: String,
    /// Each changed field, for people.
    pub(crate) details: Vec<String>,
    pub(crate) action: Action,
}

pub(crate) enum Action {
    SaveComponent {
        code: String,
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

/// What of a source changes.
#[derive(Default)]
pub(crate) struct SourceChange {
    pub(crate) runs: Option<Runs>,
    /// All but the code. `active` is always there, since leaving it out would switch the source on.
    pub(crate) fields: Map<String, Value>,
}

/// What happens to a thing.
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

/// All that the difference is made from.
pub(crate) struct Planning<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) account: &'a Account,
    /// Components of the registry that the folder names; none when the registry lacks one.
    pub(crate) registry: &'a BTreeMap<String, Option<Component>>,
    pub(crate) references: &'a References<'a>,
    pub(crate) prune: bool,
}

impl Planning<'_> {
    /// What has to be done, and the ids of what is there already.
    pub(crate) fn plan(&self) -> (Plan, Ids) {
        let mut plan = Plan::default();
        let mut ids = Ids::of(self.account);
        let mut deletions = Vec::new();
        differences::components(self, &mut plan);
        differences::webhooks(self, &mut plan, &mut ids, &mut deletions);
        differences::sources(self, &mut plan, &mut ids, &mut deletions);
        differences::workflows(self, &mut plan, &mut ids, &mut deletions);
        differences::subscriptions(self, &mut plan, &ids, &mut deletions);
        deletions.reverse();
        if self.prune {
            plan.steps.extend(deletions);
        } else {
            plan.left
                .extend(deletions.into_iter().map(|step| step.name));
        }
        (plan, ids)
    }
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

    pub(super) fn problem(&mut self, name: &str, reason: impl Into<String>) {
        self.problems.push(Problem {
            name: name.to_owned(),
            reason: reason.into(),
        });
    }

    pub(crate) fn count(&self, effect: Effect) -> usize {
        let effects = self.steps.iter().map(|step| step.action.effect());
        effects.filter(|found| *found == effect).count()
    }
}

/// The things of a folder in the order in which slugs are given out.
pub(super) fn in_order<T>(things: &BTreeMap<String, T>) -> Vec<(&String, &T)> {
    let mut things: Vec<_> = things.iter().collect();
    things.sort_by_key(|(slug, _)| in_order_of_creation(slug));
    things
}
