//! The call of a step, with its time limit and the key that resumes its run.

use std::{sync::Arc, time::Duration};

use rand::{Rng, RngExt, distr::Alphanumeric};
use sluice_infra::Settings;
use sluice_model::{InvocationId, workflow::WorkflowDefinition};
use sluice_runtime::{Call, Invocation};
use sluice_store::workflows::Workflow;

use super::step_input::{RunUrls, step_input};
use crate::commit::progress::Progress;

/// Length of the random key that resumes a waiting run.
const KEY_LENGTH: usize = 40;

/// The next step of a run.
pub(super) struct StepCall<'a> {
    pub(super) workflow: &'a Workflow,
    pub(super) definition: &'a WorkflowDefinition,
    pub(super) progress: &'a Progress,
    /// The run's event with the paths of its files.
    pub(super) event: &'a str,
    /// Resumes the run if it waits after this step.
    pub(super) key: &'a str,
    /// For a test run, the exports of steps that it does not run.
    pub(super) tested: Option<&'a [(String, String)]>,
}

impl StepCall<'_> {
    pub(super) fn invocation(&self, id: InvocationId, settings: &Settings) -> Invocation {
        let step = &self.definition.steps[self.progress.position()];
        let urls = RunUrls::of(settings, self.key);
        let default = self.definition.settings.timeout_seconds;
        let timeout = step.timeout_seconds.or(default);
        Invocation {
            id,
            call: Call::Step,
            event: Arc::from(step_input(self, step, &urls)),
            timeout: timeout.map_or(settings.invocation_timeout, |seconds| {
                Duration::from_secs(seconds.into())
            }),
        }
    }
}

pub(super) fn pause_key(rng: &mut impl Rng) -> String {
    let characters = rng.sample_iter(Alphanumeric).take(KEY_LENGTH);
    characters.map(char::from).collect()
}
