//! Running steps: the next step of each ready run goes to the process of its version.

use std::sync::Arc;

use sluice_infra::compute_ms;
use sluice_model::{InvocationId, TraceContext};
use sluice_runtime::Outcome;

use super::{
    authorize::Authorization,
    owner::{ActiveRun, Stage, Task, WorkflowOwner},
    step_input::{StepCall, pause_key},
};
use crate::{
    commit::{builder::failure, progress::Progress, workflow::RunFate},
    owner::reply::NoReply,
    process::{
        LiveProcess,
        uploads::{PLACEHOLDER, UploadError, write_uploads},
    },
    spans,
    work::Work,
};

impl WorkflowOwner {
    /// Starts the next step of every ready run. A run whose process died runs alone, so that only the one that kills its
    /// process uses up its attempts.
    pub(super) fn start_steps(&mut self) {
        if !self.core.may_start_work() {
            return;
        }
        let is_suspect = |active: &ActiveRun| active.work.is_suspect();
        let (mut busy, mut alone) = (false, false);
        for active in self.runs.values().filter(|active| !active.is_ready()) {
            busy = true;
            alone |= is_suspect(active);
        }
        let ready = self.runs.iter().filter(|(_, active)| active.is_ready());
        let mut ready: Vec<(InvocationId, bool)> = ready
            .map(|(id, active)| (*id, is_suspect(active)))
            .collect();
        ready.sort_unstable();
        for (id, is_suspect) in ready {
            if alone || (is_suspect && busy) {
                continue;
            }
            self.start_step(id);
            if self.runs.get(&id).is_some_and(|active| !active.is_ready()) {
                busy = true;
                alone = is_suspect;
            }
        }
    }

    fn start_step(&mut self, id: InvocationId) {
        let Some(active) = self.runs.get(&id) else {
            return;
        };
        let position = active.progress.position();
        if position >= active.version.definition.steps.len() {
            // It waited after its last step.
            self.finish_run(id);
            return;
        }
        let version = active.version.id.clone();
        match self.authorize(&version, position) {
            Authorization::Granted => {}
            Authorization::Unknown => return,
            Authorization::Rejected(reason) => {
                self.fail_run(id, "AccountError", &reason);
                return;
            }
        }
        let Some(active) = self.runs.get_mut(&id) else {
            return;
        };
        if active.progress.run.event.contains(PLACEHOLDER) {
            active.stage = Stage::Uploading;
            let mut work = active.work.clone();
            work.event = Arc::from(active.progress.run.event.as_str());
            self.upload(id, work);
            return;
        }
        let event = active.progress.run.event.clone();
        self.invoke(id, &event);
    }

    /// Writes the files of a run's event into the folder of its process.
    fn upload(&mut self, run: InvocationId, work: Work) {
        let live = self
            .runs
            .get(&run)
            .and_then(|active| self.core.live(&active.version.id));
        let Some(folder) = live.map(LiveProcess::tmp_folder) else {
            return;
        };
        let (store, emitter) = (self.core.infra().store.clone(), self.core.id().clone());
        let generation = self.generation;
        self.core.tasks.spawn(async move {
            let result = write_uploads(store, emitter, work, folder).await;
            Task::Uploaded {
                run,
                generation,
                result: result.map_err(|(_, error)| error),
            }
        });
    }

    pub(super) fn uploaded(
        &mut self,
        run: InvocationId,
        generation: u64,
        result: Result<Work, UploadError>,
    ) {
        match result {
            // The folder may belong to a process that is gone: the files are written again.
            _ if generation != self.generation => self.set_ready(run),
            Ok(work) => self.invoke(run, &work.event),
            Err(UploadError::Store(_)) => self.set_ready(run),
            Err(error @ UploadError::Disk(_)) => {
                self.fail_run(run, "UploadFailed", &error.to_string());
            }
        }
    }

    fn set_ready(&mut self, run: InvocationId) {
        if let Some(active) = self.runs.get_mut(&run) {
            active.stage = Stage::Ready;
        }
    }

    fn invoke(&mut self, run: InvocationId, event: &str) {
        let infra = &self.core.services.infra;
        let now_ms = infra.now_ms();
        let Some(active) = self.runs.get_mut(&run) else {
            return;
        };
        let Some(live) = self.core.hosts.live(&active.version.id) else {
            active.stage = Stage::Ready;
            return;
        };
        if active.progress.position() == 0 {
            let tick_health = &self.core.services.tick_health;
            tick_health.dispatched(self.core.owner.id(), &mut active.work);
        }
        active.key = pause_key(&mut infra.ids.rng());
        let call = StepCall {
            workflow: &self.workflow,
            definition: &active.version.definition,
            progress: &active.progress,
            event,
            key: &active.key,
            tested: None,
        };
        let id = InvocationId::generate(&mut self.core.ids, now_ms);
        let invocation = call.invocation(id, &infra.settings);
        active.stage = Stage::Running { started_at: now_ms };
        self.steps.insert(invocation.id, run);
        live.invoke(&[invocation]);
    }

    /// A step ended, by return or by throw.
    pub(super) fn step_ended(&mut self, step: InvocationId, mut outcome: Outcome) {
        let Some(run) = self.steps.remove(&step) else {
            return;
        };
        let span = tracing::debug_span!("run", workflow = %self.workflow.id, %run);
        let _entered = span.enter();
        let error = outcome.failure.as_ref().map(|failure| &failure.name);
        tracing::debug!(invocation = %step, duration = ?outcome.duration, error, "step ended");
        let infra = self.core.infra();
        let max_db = infra.settings.max_db;
        infra
            .metrics
            .invocation_seconds
            .observe(outcome.duration.as_secs_f64());
        let writes = std::mem::take(&mut outcome.writes);
        self.writes.extend(self.kv.apply(writes, max_db));
        self.compute_ms += compute_ms(outcome.uncharged);
        let trace = self.record_step(&run, &outcome);
        let (mut commit, runs) = self.commit_builder();
        let Some(active) = runs.get_mut(&run) else {
            return;
        };
        let Stage::Running { started_at } = active.stage else {
            return;
        };
        let version = Arc::clone(&active.version);
        commit.pending.hold(std::mem::take(&mut outcome.held));
        let end = active
            .progress
            .step_ended(&version.definition, started_at, outcome);
        let fate = commit.step_ended(
            &mut active.progress,
            &active.work,
            &version.definition,
            end,
            &active.key,
            trace.as_ref(),
        );
        active.stage = Stage::Committing(fate);
        if fate != RunFate::Continues {
            self.record_run(&run);
        }
    }

    /// Records the span of a step that has ended. Returns its context.
    fn record_step(&self, run: &InvocationId, outcome: &Outcome) -> Option<TraceContext> {
        let active = self.runs.get(run)?;
        let Stage::Running { started_at } = active.stage else {
            return None;
        };
        let (infra, progress) = (self.core.infra(), &active.progress);
        let step = &active.version.definition.steps[progress.position()];
        spans::step(infra, &progress.run, &step.name, started_at, outcome)
    }

    /// Records the span of a run that ends or waits.
    fn record_run(&self, run: &InvocationId) {
        if let Some(active) = self.runs.get(run) {
            spans::run_ended(self.core.infra(), &active.progress.run, &active.work);
        }
    }

    /// Fails a run whose next step cannot run.
    pub(super) fn fail_run(&mut self, id: InvocationId, name: &str, reason: &str) {
        let error = failure(name, reason.to_owned());
        let (mut commit, runs) = self.commit_builder();
        let Some(active) = runs.get_mut(&id) else {
            return;
        };
        let version = Arc::clone(&active.version);
        let step = version.definition.steps.get(active.progress.position());
        let held = std::mem::take(&mut active.progress.held);
        let run = active.progress.run.clone();
        active.progress.run.error = commit.failed(run, &active.work, held, step, &error).error;
        active.stage = Stage::Committing(RunFate::Failed);
        self.record_run(&id);
    }

    fn finish_run(&mut self, id: InvocationId) {
        let now_ms = self.core.now_ms();
        if let Some(active) = self.runs.get_mut(&id) {
            self.pending.finished(active.progress.run.clone(), now_ms);
            active.stage = Stage::Committing(RunFate::Finished);
        }
        self.record_run(&id);
    }

    /// The end of a step is committed: the run continues or has ended.
    pub(super) fn step_committed(&mut self, id: &InvocationId) {
        let Some(active) = self.runs.get_mut(id) else {
            return;
        };
        let Stage::Committing(fate) = active.stage else {
            return;
        };
        if fate == RunFate::Continues {
            active.stage = Stage::Ready;
            return;
        }
        let Some(active) = self.runs.remove(id) else {
            return;
        };
        if let Some(sender) = self.core.mailbox().take_reply(id) {
            let answer = match active.progress.reply {
                Some(reply) => Ok(reply),
                None => Err(NoReply::EndedWithoutRespond(no_reply(
                    fate,
                    &active.progress,
                ))),
            };
            let _ = sender.send(answer);
        }
    }
}

fn no_reply(fate: RunFate, progress: &Progress) -> String {
    match (fate, &progress.run.error) {
        (RunFate::Failed, Some(error)) => {
            format!(
                "the workflow failed before it called $.respond: {}: {}",
                error.code, error.message
            )
        }
        (RunFate::Waits, _) => "the workflow waits and has not called $.respond".to_owned(),
        _ => "No $.respond called in workflow".to_owned(),
    }
}
