//! From a document to what its version runs: everything it refers to is found and checked, or told to its author.

use std::collections::BTreeMap;

use sluice_bundle::GivenFiles;
use sluice_model::{
    UserId, WorkflowId,
    workflow::{DeployedStep, DeployedTrigger, Document, Step, Trigger, WorkflowDefinition, parse},
};
use sluice_store::components::Component;

use super::{
    emitters, environment,
    findings::Findings,
    step_code::{StepComponent, Surroundings, calls_respond},
    step_props::check_syntax,
};
use crate::{Engine, error::EngineError};

/// A document with what came beside it.
pub(super) struct Given<'a> {
    pub(super) user: &'a UserId,
    pub(super) workflow: &'a WorkflowId,
    pub(super) document: &'a str,
    pub(super) files: &'a BTreeMap<String, String>,
    pub(super) secrets: &'a BTreeMap<String, String>,
    /// Secrets of the versions before.
    pub(super) stored_secrets: &'a BTreeMap<String, String>,
}

/// What a version is made of.
pub(super) struct Resolved {
    pub(super) definition: WorkflowDefinition,
    /// The code of its own steps, which is not saved yet.
    pub(super) components: Vec<Component>,
}

impl Engine {
    pub(super) async fn resolve_document(
        &self,
        given: &Given<'_>,
    ) -> Result<Resolved, EngineError> {
        let (document, places) = parse(given.document).map_err(EngineError::InvalidDocument)?;
        let files = GivenFiles::new(given.files).map_err(|error| EngineError::InvalidRecord {
            field: "files",
            faults: vec![error.to_string()],
        })?;
        let around = Surroundings {
            user: given.user,
            workflow: given.workflow,
            files: &files,
        };
        let mut findings = Findings::new(&places);
        let (secrets, stored) = (given.secrets, given.stored_secrets);
        environment::check(&document.env, secrets, stored, &mut findings);
        let triggers = self
            .resolve_triggers(given.user, &document.triggers, &mut findings)
            .await?;
        let mut steps = Vec::new();
        for index in 0..document.steps.len() {
            let found = self
                .resolve_step(&around, &document, index, &mut findings)
                .await?;
            steps.extend(found);
        }
        findings.conclude(resolved(document, triggers, steps))
    }

    async fn resolve_step(
        &self,
        around: &Surroundings<'_>,
        document: &Document,
        index: usize,
        findings: &mut Findings<'_>,
    ) -> Result<Option<(StepComponent, DeployedStep)>, EngineError> {
        let step: &Step = &document.steps[index];
        check_syntax(index, step, findings);
        let component = self.step_component(around, index, step, findings).await?;
        let Some(component) = component else {
            return Ok(None);
        };
        let props = self
            .step_props(around.user, index, &component, step, findings)
            .await?;
        Ok(props.map(|props| {
            let deployed = DeployedStep {
                name: step.name.clone(),
                cell_id: DeployedStep::cell_id(around.workflow, &step.name),
                component_id: component.component().id.clone(),
                props,
                timeout_seconds: step.timeout_seconds,
                retry: step.retry.unwrap_or(document.settings.retry),
            };
            (component, deployed)
        }))
    }

    /// The triggers, with what they listen to found.
    async fn resolve_triggers(
        &self,
        user: &UserId,
        triggers: &[Trigger],
        findings: &mut Findings<'_>,
    ) -> Result<Vec<Trigger>, EngineError> {
        let mut found = Vec::new();
        for (index, trigger) in triggers.iter().enumerate() {
            let Trigger::Events { from, event_name } = trigger else {
                found.push(trigger.clone());
                continue;
            };
            let path = [
                "triggers".into(),
                index.into(),
                "events".into(),
                "from".into(),
            ];
            let (user, wanted) = (user.clone(), from.clone());
            let emitter = self
                .context
                .store
                .read(move |c| emitters::find(c, &user, &wanted));
            match emitter.await? {
                Some(from) => found.push(Trigger::Events {
                    from,
                    event_name: event_name.clone(),
                }),
                None => findings.add(&path, "names no source and no workflow of yours"),
            }
        }
        Ok(found)
    }
}

fn resolved(
    document: Document,
    triggers: Vec<Trigger>,
    steps: Vec<(StepComponent, DeployedStep)>,
) -> Resolved {
    let responds = steps
        .iter()
        .any(|(component, _)| calls_respond(&component.component().code));
    let (components, steps): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
    let own = components
        .into_iter()
        .filter_map(|component| match component {
            StepComponent::Own(component) => Some(component),
            StepComponent::Saved(_) => None,
        });
    Resolved {
        components: own.collect(),
        definition: WorkflowDefinition {
            name: document.name,
            description: document.description,
            env: document.env,
            triggers: triggers
                .into_iter()
                .map(|trigger| deployed(trigger, responds))
                .collect(),
            steps,
            settings: document.settings,
        },
    }
}

fn deployed(trigger: Trigger, responds: bool) -> DeployedTrigger {
    match trigger {
        Trigger::Http { custom_response } => DeployedTrigger::Http {
            custom_response: custom_response.unwrap_or(responds),
        },
        Trigger::Schedule(timer) => DeployedTrigger::Schedule { timer },
        Trigger::Events { from, event_name } => DeployedTrigger::Events {
            emitter_id: from,
            event_name,
        },
    }
}
