//! From a document to a version: everything that the document refers to is found and checked, or reported as an error.

use std::collections::BTreeMap;

use sluice_code::MemoryFiles;
use sluice_engine::EngineError;
use sluice_model::{
    UserId, WorkflowId,
    workflow::{DeployedStep, DeployedTrigger, Document, Step, Trigger, WorkflowDefinition, parse},
};
use sluice_store::components::Component;

use super::{
    document_errors::DocumentErrors,
    emitters, environment,
    service::Workflows,
    step_code::{StepComponent, Surroundings, calls_respond},
    step_props::check_syntax,
};
/// A document with its files and secrets.
pub(super) struct DeployInput<'a> {
    pub(super) user: &'a UserId,
    pub(super) workflow: &'a WorkflowId,
    pub(super) document: &'a str,
    pub(super) files: &'a BTreeMap<String, String>,
    pub(super) secrets: &'a BTreeMap<String, String>,
    /// Secrets of earlier versions.
    pub(super) stored_secrets: &'a BTreeMap<String, String>,
}

/// The parts of a version.
pub(super) struct Resolved {
    pub(super) definition: WorkflowDefinition,
    /// The code of its own steps, not saved yet.
    pub(super) components: Vec<Component>,
}

impl Workflows {
    pub(super) async fn resolve_document(
        &self,
        input: &DeployInput<'_>,
    ) -> Result<Resolved, EngineError> {
        let (document, places) = parse(input.document).map_err(EngineError::InvalidDocument)?;
        let files = MemoryFiles::new(input.files).map_err(|error| EngineError::InvalidRecord {
            field: "files",
            errors: vec![error.to_string()],
        })?;
        let around = Surroundings {
            user: input.user,
            workflow: input.workflow,
            files: &files,
        };
        let mut errors = DocumentErrors::new(&places);
        let (secrets, stored) = (input.secrets, input.stored_secrets);
        environment::check(&document.env, secrets, stored, &mut errors);
        let triggers = self
            .resolve_triggers(input.user, &document.triggers, &mut errors)
            .await?;
        let mut steps = Vec::new();
        for index in 0..document.steps.len() {
            let found = self
                .resolve_step(&around, &document, index, &mut errors)
                .await?;
            steps.extend(found);
        }
        errors.finish(resolved(document, triggers, steps))
    }

    /// None when the step has an error, which is added to `errors`.
    pub(super) async fn resolve_step(
        &self,
        around: &Surroundings<'_>,
        document: &Document,
        index: usize,
        errors: &mut DocumentErrors<'_>,
    ) -> Result<Option<(StepComponent, DeployedStep)>, EngineError> {
        let step: &Step = &document.steps[index];
        check_syntax(index, step, errors);
        let component = self.step_component(around, index, step, errors).await?;
        let Some(component) = component else {
            return Ok(None);
        };
        let props = self
            .step_props(around.user, index, &component, step, errors)
            .await?;
        Ok(props.map(|props| {
            let deployed = DeployedStep {
                name: step.name.clone(),
                cell_id: DeployedStep::cell_id(around.workflow, &step.name),
                component_id: component.component().id.clone(),
                props,
                declared: None,
                timeout_seconds: step.timeout_seconds,
                retry: step.retry.unwrap_or(document.settings.retry),
            };
            (component, deployed)
        }))
    }

    /// The triggers, with the ids of their emitters.
    async fn resolve_triggers(
        &self,
        user: &UserId,
        triggers: &[Trigger],
        errors: &mut DocumentErrors<'_>,
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
                .infra
                .store
                .read(move |c| emitters::find(c, &user, &wanted));
            match emitter.await? {
                Some(from) => found.push(Trigger::Events {
                    from,
                    event_name: event_name.clone(),
                }),
                None => errors.add(&path, "names no source and no workflow of yours"),
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
        .any(|(component, _)| calls_respond(&component.component().code.entry.text));
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
