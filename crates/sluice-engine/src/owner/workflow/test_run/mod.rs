//! Test runs: steps of a document that need not be deployed run in a process of their own, for a user who waits for the
//! results. They get the same input as in a run, with the same limits. Nothing of them is stored: sends are returned, and
//! writes to the key-value store end with the process.

mod process;
mod run;

use std::collections::BTreeMap;

use sluice_infra::Infra;
use sluice_model::{
    InvocationId,
    workflow::{RunOrigin, WorkflowDefinition},
};
use sluice_runtime::{Reply, Send};
use sluice_store::{components::Component, run_steps::StepRecord, workflows::Workflow};
use tokio::sync::oneshot;

use self::run::TestRun;
use crate::{
    disk_quota::DiskQuotas,
    error::EngineError,
    owner::services::Services,
    process::{ProcessStarter, credentials::Credentials},
    quotas::Quotas,
};

/// The steps to run, with everything that they need.
pub struct TestPlan {
    /// A row of the store, or one made for a document that was never deployed.
    pub workflow: Workflow,
    /// Its steps are those to run.
    pub definition: WorkflowDefinition,
    /// One for each step.
    pub components: Vec<Component>,
    /// Sealed values of the environment's secrets.
    pub secrets: BTreeMap<String, String>,
    /// JSON on one line.
    pub event: String,
    pub origin: RunOrigin,
    /// The run whose uploaded files the event names.
    pub uploads_of: Option<InvocationId>,
    /// Exports of steps that do not run: name and JSON on one line.
    pub given: Vec<(String, String)>,
}

/// An executed step.
pub struct TestedStep {
    pub record: StepRecord,
    /// Sends that a run would make when it ends.
    pub sends: Vec<Send>,
    /// How long a run would wait after it.
    pub pause_ms: Option<i64>,
}

/// The result of a test run. After a failed step no other runs.
pub struct TestEnd {
    /// The id that the steps saw as that of their run.
    pub id: InvocationId,
    pub steps: Vec<TestedStep>,
    /// Present if a step ended the run early.
    pub exit_reason: Option<String>,
    /// The response to the client of a run.
    pub reply: Option<Reply>,
}

/// Runs tests of workflows. Clones share everything.
#[derive(Clone)]
pub struct WorkflowTests {
    infra: Infra,
    quotas: Quotas,
    disk: DiskQuotas,
    credentials: Credentials,
    starter: ProcessStarter,
}

impl WorkflowTests {
    pub(crate) fn new(services: &Services) -> WorkflowTests {
        WorkflowTests {
            infra: services.infra.clone(),
            quotas: services.quotas.clone(),
            disk: services.disk.clone(),
            credentials: services.credentials.clone(),
            starter: services.starter.clone(),
        }
    }

    /// Runs the steps. The process ends with the future, and its time is charged also then.
    pub async fn run(&self, plan: TestPlan) -> Result<TestEnd, EngineError> {
        self.infra.shutdown.check()?;
        self.quotas.check(&plan.workflow.user_id).await?;
        let (mut sender, receiver) = oneshot::channel();
        let (service, shutdown) = (self.clone(), self.infra.shutdown.clone());
        self.infra.shutdown.spawn(async move {
            let mut run = TestRun::new(service, plan);
            let end = tokio::select! {
                end = run.steps() => end,
                () = shutdown.draining() => Err(sluice_infra::ShuttingDown.into()),
                () = sender.closed() => Err(EngineError::Unavailable("the client is gone".to_owned())),
            };
            run.charge().await;
            let _ = sender.send(end.map(|()| run.into_end()));
        });
        let lost = |_| EngineError::Internal("the test run ended without a result".to_owned());
        receiver.await.map_err(lost)?
    }
}
