//! Events of a workflow's processes, and the retry of steps whose process died.

use std::collections::HashSet;

use sluice_infra::compute_ms;
use sluice_model::{DeploymentId, InvocationId};
use sluice_runtime::{LoadError, Outcome, ProcessEvent, Unfinished};

use super::owner::{ActiveRun, Stage, WorkflowOwner};
use crate::{commit::builder::failure, process::HostEvent};

pub(super) const PROCESS_DIED: &str = "ProcessDied";

impl WorkflowOwner {
    pub(super) fn handle_process_event(&mut self, version: &DeploymentId, event: HostEvent) {
        match event {
            HostEvent::Started | HostEvent::BackoffElapsed => {}
            HostEvent::StartFailed(LoadError::Code(errors) | LoadError::Imports(errors)) => {
                let reason = errors
                    .first()
                    .map_or_else(String::new, |error| error.message.clone());
                self.load_failed(version, &format!("it did not load: {reason}"));
            }
            HostEvent::StartFailed(LoadError::Start(reason) | LoadError::Packages(reason)) => {
                tracing::error!(workflow = %self.workflow.id, %version, error = reason, "process start failed; retrying");
            }
            HostEvent::Events(events) => {
                for event in events {
                    self.handle_event(version, event);
                }
            }
            HostEvent::Exited => self.generation += 1,
        }
    }

    fn handle_event(&mut self, version: &DeploymentId, event: ProcessEvent) {
        match event {
            ProcessEvent::Replied(step, reply) => {
                // The reply of an earlier step takes precedence; it is sent at the end of the run.
                if let Some(run) = self.steps.get(&step)
                    && let Some(active) = self.runs.get(run)
                    && active.progress.reply.is_none()
                    && let Some(sender) = self.core.mailbox().take_reply(run)
                {
                    let _ = sender.send(Ok(reply));
                }
            }
            ProcessEvent::Ended(step, outcome) => self.step_ended(step, outcome),
            ProcessEvent::Asked(ask) => {
                if let Some(live) = self.core.live(version) {
                    live.request_data_store(ask);
                }
            }
            // A line of no running step has no step record to go into.
            ProcessEvent::Stray(_, line) => {
                tracing::debug!(workflow = %self.workflow.id, line = line.message, "log line outside of a step");
            }
            ProcessEvent::Computed(time) => self.compute_ms += compute_ms(time),
            ProcessEvent::Exited {
                reason, unfinished, ..
            } => {
                self.exited(version, &reason, unfinished);
            }
        }
    }

    fn exited(&mut self, version: &DeploymentId, reason: &str, unfinished: Vec<Unfinished>) {
        self.stop_process(version);
        // Steps that the process never got are ready again.
        let sent: HashSet<InvocationId> = unfinished.iter().map(|one| one.id).collect();
        let unsent: Vec<InvocationId> = self
            .running_on(version)
            .map(|(step, _)| step)
            .filter(|step| !sent.contains(step))
            .collect();
        for step in unsent {
            if let Some(run) = self.steps.remove(&step)
                && let Some(active) = self.runs.get_mut(&run)
            {
                active.stage = Stage::Ready;
            }
        }
        for Unfinished { id, .. } in unfinished {
            self.process_died(id, reason);
        }
    }

    /// The running steps of a version, with their runs.
    pub(super) fn running_on(
        &self,
        version: &DeploymentId,
    ) -> impl Iterator<Item = (InvocationId, InvocationId)> {
        self.steps.iter().filter_map(|(step, run)| {
            let active = self.runs.get(run)?;
            (active.version.id == *version).then_some((*step, *run))
        })
    }

    /// Retries a step whose process died. After the last attempt it counts as having thrown.
    fn process_died(&mut self, step: InvocationId, reason: &str) {
        let max = self.core.infra().settings.max_attempts;
        let Some(run) = self.steps.get(&step).copied() else {
            return;
        };
        let Some(active) = self.runs.get_mut(&run) else {
            return;
        };
        active.work.attempts += 1;
        let attempts = active.work.attempts;
        if attempts >= max {
            let message =
                format!("the workflow's process died: {reason} (attempt {attempts} of {max})");
            let outcome = Outcome {
                failure: Some(failure(PROCESS_DIED, message)),
                ..Outcome::default()
            };
            self.step_ended(step, outcome);
            return;
        }
        active.stage = Stage::Ready;
        self.core.infra().metrics.invocation_retries.inc();
        tracing::info!(workflow = %self.workflow.id, %run, reason, "process died; retrying step");
        self.steps.remove(&step);
        self.attempts.push(run);
    }

    /// Code that loaded when it was deployed does not load now: the first ready run is charged with the attempt.
    fn load_failed(&mut self, version: &DeploymentId, reason: &str) {
        let first = self.ready_runs(version).into_iter().min();
        let Some(id) = first else { return };
        let Some(active) = self.runs.get_mut(&id) else {
            return;
        };
        active.work.attempts += 1;
        if active.work.attempts >= self.core.infra().settings.max_attempts {
            self.fail_run(id, PROCESS_DIED, reason);
        } else {
            self.attempts.push(id);
        }
    }

    /// Fails all ready runs of a version.
    pub(super) fn fail_ready(&mut self, version: &DeploymentId, name: &str, reason: &str) {
        for id in self.ready_runs(version) {
            self.fail_run(id, name, reason);
        }
    }

    fn ready_runs(&self, version: &DeploymentId) -> Vec<InvocationId> {
        let is_ready = |active: &ActiveRun| active.version.id == *version && active.is_ready();
        self.runs
            .iter()
            .filter(|(_, active)| is_ready(active))
            .map(|(id, _)| *id)
            .collect()
    }
}
