//! Testing steps of a document before it is deployed: one step, or all steps up to it.

mod recorded;
mod request;
mod selection;
mod sends;
mod subject;

use std::collections::BTreeMap;

use sluice_code::MemoryFiles;
use sluice_engine::{
    EngineError,
    owner::{TestEnd, TestPlan},
};
use sluice_model::{
    InvocationId,
    workflow::{Document, Positions, RunError, WorkflowDefinition, parse},
};
use sluice_runtime::Reply;
use sluice_store::{
    audit::{Action, TargetKind},
    components::Component,
    workflows::Workflow,
};

pub use self::{
    recorded::FromRun,
    request::TestWorkflow,
    sends::{TestedSend, TestedStep},
};
use self::{
    recorded::{RecordedRun, manual},
    request::invalid,
    selection::Selection,
    subject::Subject,
};
use super::{
    document_errors::DocumentErrors,
    environment,
    error_place::{ErrorPlace, Sources},
    service::Workflows,
    step_code::Surroundings,
};
use crate::audit::{Actor, Change, Target};

/// The result of a test.
pub struct TestView {
    pub event: String,
    pub steps: Vec<TestedStep>,
    pub error: Option<RunError>,
    pub error_place: Option<ErrorPlace>,
    pub exit_reason: Option<String>,
    pub reply: Option<Reply>,
    /// The run that gave event or exports.
    pub run: Option<InvocationId>,
    /// Earlier steps that did not run, because their exports were given.
    pub given: Vec<String>,
    /// Earlier steps that did not run and whose exports are unknown.
    pub missing: Vec<String>,
}

impl Workflows {
    /// Runs steps of a document. Nothing is stored, and nothing is sent unless the request says so.
    pub async fn test(
        &self,
        actor: &Actor,
        request: TestWorkflow,
    ) -> Result<TestView, EngineError> {
        let user = &actor.user_id;
        let subject = self.test_subject(user, &request).await?;
        let run = self.run_for_test(&subject, &request).await?;
        let (document, places) = parse(&subject.document).map_err(EngineError::InvalidDocument)?;
        let selection = Selection::of(&document, &request, run.as_ref())?;
        let (definition, components) = self
            .resolve_selected(&subject, &request, (document, &places), &selection)
            .await?;
        let event = test_event(&request, run.as_ref());
        let Selection { given, missing, .. } = selection;
        let plan = TestPlan {
            definition,
            components,
            secrets: self.test_secrets(&subject, &request),
            event: event.clone(),
            origin: run.as_ref().map_or_else(manual, |run| run.origin.clone()),
            uploads_of: run.as_ref().map(|run| run.uploads_of),
            given: given.clone(),
            workflow: subject.workflow.clone(),
        };
        let end = self.tests.run(plan).await?;
        if request.send || actor.credential_id.is_some() {
            self.record_test(actor, &subject.workflow).await?;
        }
        let TestEnd {
            id: _,
            steps,
            exit_reason,
            reply,
        } = end;
        let steps = self.tested_steps(user, steps, request.send).await;
        let error = steps.iter().find_map(|step| step.record.error.clone());
        let sources = Sources::new(&subject.document, &subject.files);
        let place = error.as_ref().zip(sources);
        Ok(TestView {
            event,
            error_place: place.and_then(|(error, sources)| sources.place(error)),
            error,
            steps,
            exit_reason,
            reply,
            run: run.map(|run| run.id),
            given: given.into_iter().map(|(name, _)| name).collect(),
            missing,
        })
    }

    /// The definition with the selected steps only. Errors of others do not matter.
    async fn resolve_selected(
        &self,
        subject: &Subject,
        request: &TestWorkflow,
        (document, places): (Document, &Positions),
        selection: &Selection,
    ) -> Result<(WorkflowDefinition, Vec<Component>), EngineError> {
        let files =
            MemoryFiles::new(&subject.files).map_err(|error| EngineError::InvalidRecord {
                field: "files",
                errors: vec![error.to_string()],
            })?;
        let around = Surroundings {
            user: &subject.workflow.user_id,
            workflow: &subject.workflow.id,
            files: &files,
        };
        let mut errors = DocumentErrors::new(places);
        let (secrets, stored) = (&request.secrets, &subject.stored_secrets);
        environment::check(&document.env, secrets, stored, &mut errors);
        let (mut components, mut steps) = (Vec::new(), Vec::new());
        for index in &selection.run {
            let found = self.resolve_step(&around, &document, *index, &mut errors);
            if let Some((component, step)) = found.await? {
                components.push(component.component().clone());
                steps.push(step);
            }
        }
        let definition = WorkflowDefinition {
            name: document.name,
            description: document.description,
            env: document.env,
            triggers: Vec::new(),
            steps,
            settings: document.settings,
        };
        errors.finish((definition, components))
    }

    /// The stored secrets and those of the request, sealed.
    fn test_secrets(&self, subject: &Subject, request: &TestWorkflow) -> BTreeMap<String, String> {
        let mut secrets = subject.stored_secrets.clone();
        let mut rng = self.infra.ids.rng();
        secrets.extend(environment::seal(
            &self.infra.vault,
            &mut rng,
            &request.secrets,
        ));
        secrets
    }

    /// A test that sends is recorded, because others see its effects. So is one with a named key: it may be the key of an agent,
    /// whose user wants to know what it ran.
    async fn record_test(&self, actor: &Actor, workflow: &Workflow) -> Result<(), EngineError> {
        let Workflow { id, name, .. } = workflow;
        let target = Target::new(TargetKind::Workflow, id, name);
        let change = Change::new(&self.infra, actor, Action::WorkflowTest, target);
        let recorded = self.infra.store.write(move |c| change.record(c));
        Ok(recorded.await?)
    }

    async fn run_for_test(
        &self,
        subject: &Subject,
        request: &TestWorkflow,
    ) -> Result<Option<RecordedRun>, EngineError> {
        match &request.from_run {
            None => Ok(None),
            Some(from) if subject.is_deployed => {
                let run = self.recorded_run(&subject.workflow.id, from).await?;
                Ok(Some(run))
            }
            Some(_) => Err(invalid(
                "from_run",
                "needs workflow: a document that was not deployed has no runs",
            )),
        }
    }
}

fn test_event(request: &TestWorkflow, run: Option<&RecordedRun>) -> String {
    let given = request.event.as_ref().map(|event| event.get().to_owned());
    given
        .or_else(|| run.map(|run| run.event.clone()))
        .unwrap_or_else(|| "{}".to_owned())
}
