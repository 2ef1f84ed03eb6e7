//! What the processes of a workflow tell, and what their death means for the steps that they ran.

use std::collections::HashSet;

use sluice_model::{DeploymentId, InvocationId};
use sluice_runtime::{Failure, LoadError, Outcome, ProcessEvent, Unfinished};

use super::{
    Actor,
    process::{Report, What},
    stepping::{Active, Stage},
};
use crate::owning::FIRST_PAUSE;

impl Actor {
    pub(super) fn heard(&mut self, report: Report) {
        let Report {
            version,
            generation,
            what,
        } = report;
        let Some(host) = self
            .hosts
            .get_mut(&version)
            .filter(|host| host.generation == generation)
        else {
            return;
        };
        match what {
            What::Started(live) => {
                host.is_starting = false;
                host.start_pause = FIRST_PAUSE;
                host.live = Some(*live);
            }
            What::NotStarted(LoadError::Code(faults)) => {
                host.pause_starts();
                let reason = faults
                    .first()
                    .map_or_else(String::new, |fault| fault.message.clone());
                self.could_not_load(&version, &format!("it did not load: {reason}"));
            }
            What::NotStarted(LoadError::Start(reason) | LoadError::Packages(reason)) => {
                host.pause_starts();
                tracing::error!(workflow = %self.handle.id, reason, "the process of a workflow could not be started; trying again");
            }
            What::Events(batch) => {
                for event in batch {
                    self.happened(&version, event);
                }
            }
            What::Gone => self.stop(&version),
        }
    }

    fn happened(&mut self, version: &DeploymentId, event: ProcessEvent) {
        match event {
            ProcessEvent::Replied(invocation, reply) => {
                // That of an earlier step, which goes out at the end, was first.
                if let Some(run) = self.steps.get(&invocation)
                    && let Some(active) = self.runs.get(run)
                    && active.progress.reply.is_none()
                    && let Some(sender) = self.handle.mailbox.take_reply(run)
                {
                    let _ = sender.send(Ok(reply));
                }
            }
            ProcessEvent::Ended(invocation, outcome) => self.ended(invocation, outcome),
            ProcessEvent::Asked(ask) => {
                if let Some(live) = self.hosts.get(version).and_then(|host| host.live.as_ref()) {
                    live.asks.take(ask);
                }
            }
            // A line of no running step has no record that it could be part of.
            ProcessEvent::Stray(_, line) => {
                tracing::debug!(workflow = %self.handle.id, line = line.message, "a step that has ended wrote a line");
            }
            ProcessEvent::Exited { reason, unfinished } => {
                self.exited(version, &reason, unfinished);
            }
        }
    }

    fn exited(&mut self, version: &DeploymentId, reason: &str, unfinished: Vec<Unfinished>) {
        self.stop(version);
        let known: HashSet<InvocationId> = unfinished.iter().map(|one| one.id).collect();
        // What it did not know of was never sent.
        let unsent: Vec<InvocationId> = self
            .running_on(version)
            .filter(|(step, _)| !known.contains(step))
            .map(|(step, _)| step)
            .collect();
        for step in unsent {
            if let Some(run) = self.steps.remove(&step)
                && let Some(active) = self.runs.get_mut(&run)
            {
                active.stage = Stage::Ready;
            }
        }
        for Unfinished { id, .. } in unfinished {
            self.died(id, reason);
        }
    }

    pub(super) fn running_on(
        &self,
        version: &DeploymentId,
    ) -> impl Iterator<Item = (InvocationId, InvocationId)> {
        self.steps.iter().filter_map(|(step, run)| {
            let active = self.runs.get(run)?;
            (active.version.id == *version).then_some((*step, *run))
        })
    }

    /// A step whose process died under it runs again, up to a limit, and then counts as having thrown.
    fn died(&mut self, step: InvocationId, reason: &str) {
        let Some(run) = self.steps.get(&step).copied() else {
            return;
        };
        let Some(active) = self.runs.get_mut(&run) else {
            return;
        };
        active.work.attempts += 1;
        let (attempts, most) = (
            active.work.attempts,
            self.context.infra.settings.max_attempts,
        );
        if attempts >= most {
            let message =
                format!("the workflow's process died: {reason} (attempt {attempts} of {most})");
            self.ended(step, died_outcome(message));
            return;
        }
        self.context.infra.metrics.invocation_retries.inc();
        tracing::info!(workflow = %self.handle.id, %run, reason, "the process of a workflow died; the step runs again");
        self.steps.remove(&step);
        active.stage = Stage::Ready;
        self.attempts.push(run);
    }

    /// Code that loaded when it was deployed and does not now: the first run is charged with it.
    fn could_not_load(&mut self, version: &DeploymentId, reason: &str) {
        let first = self
            .runs
            .iter()
            .filter(|(_, active)| active.version.id == *version)
            .filter(|(_, active)| matches!(active.stage, Stage::Ready))
            .map(|(id, _)| *id)
            .min();
        let Some(id) = first else { return };
        let Some(active) = self.runs.get_mut(&id) else {
            return;
        };
        active.work.attempts += 1;
        if active.work.attempts >= self.context.infra.settings.max_attempts {
            self.refuse(id, "ProcessDied", reason);
        } else {
            self.attempts.push(id);
        }
    }

    pub(super) fn refuse_all(&mut self, version: &DeploymentId, name: &str, reason: &str) {
        let of_version = |active: &Active| active.version.id == *version;
        let ids: Vec<InvocationId> = self
            .runs
            .iter()
            .filter(|(_, active)| of_version(active) && matches!(active.stage, Stage::Ready))
            .map(|(id, _)| *id)
            .collect();
        for id in ids {
            self.refuse(id, name, reason);
        }
    }
}

fn died_outcome(message: String) -> Outcome {
    Outcome {
        failure: Some(Failure {
            name: "ProcessDied".to_owned(),
            message,
            stack: String::new(),
            code: None,
        }),
        ..Outcome::default()
    }
}
