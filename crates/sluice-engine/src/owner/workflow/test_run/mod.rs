//! Test runs: steps of a document that need not be deployed run in a process of their own, for a user who waits for the
//! results. They get the same input as in a run, with the same limits. Nothing of them is stored: sends are returned, and
//! writes to the key-value store end with the process.

mod plan;
mod process;
mod run;
mod services;

use sluice_infra::ShuttingDown;
use tokio::sync::oneshot;

pub use self::plan::{TestEnd, TestPlan, TestedStep};
use self::{run::TestRun, services::TestServices};
use crate::{error::EngineError, owner::services::Services};

/// Runs tests of workflows. Clones share everything.
#[derive(Clone)]
pub struct WorkflowTests(TestServices);

impl WorkflowTests {
    pub(crate) fn new(services: &Services) -> WorkflowTests {
        WorkflowTests(TestServices::of(services))
    }

    /// Runs the steps. The process ends with the future, and its time is charged also then.
    pub async fn run(&self, plan: TestPlan) -> Result<TestEnd, EngineError> {
        let TestServices { infra, quotas, .. } = &self.0;
        infra.shutdown.check()?;
        quotas.check(&plan.workflow.user_id).await?;
        let (mut sender, receiver) = oneshot::channel();
        let (services, shutdown) = (self.0.clone(), infra.shutdown.clone());
        infra.shutdown.spawn(async move {
            let mut run = TestRun::new(services, plan);
            let end = tokio::select! {
                end = run.steps() => end,
                () = shutdown.draining() => Err(ShuttingDown.into()),
                () = sender.closed() => Err(EngineError::Unavailable("the client is gone".to_owned())),
            };
            run.charge().await;
            let _ = sender.send(end.map(|()| run.into_end()));
        });
        let lost = |_| EngineError::Internal("the test run ended without a result".to_owned());
        receiver.await.map_err(lost)?
    }
}
