//! Sending the next step of each run to the process of its version, and taking in what it did.

use std::{sync::Arc, time::Duration};

use rand::{RngExt, distr::Alphanumeric};
use sluice_model::InvocationId;
use sluice_runtime::{Call, Failure, Invocation, Outcome};

use super::{Actor, authorization::Authorization};
use crate::{
    mailbox::{NoReply, Work},
    source::{PLACEHOLDER, PlaceError, TmpFolder, place},
    workflow::{
        commit::{Builder, Fate},
        progress::Progress,
        step_input::{Addresses, step_input},
        version::Version,
    },
};

/// Long enough that nobody guesses it.
const KEY_LENGTH: usize = 40;

/// A run under way.
pub(super) struct Active {
    pub(super) work: Work,
    pub(super) progress: Progress,
    pub(super) version: Arc<Version>,
    pub(super) stage: Stage,
    /// What it is resumed with if it waits after the step that runs.
    key: String,
}

pub(super) enum Stage {
    /// The next step can begin.
    Ready,
    /// The files of its event are put into the folder of the process.
    Placing,
    /// The step runs since then.
    Running { started_at: i64 },
    /// What the step did is being stored.
    Storing(Fate),
}

/// A run whose files are in place, with the event that names them.
pub(super) struct Placed {
    run: InvocationId,
    result: Result<Work, PlaceError>,
}

impl Active {
    pub(super) fn new(work: Work, progress: Progress, version: Arc<Version>) -> Active {
        Active {
            work,
            progress,
            version,
            stage: Stage::Ready,
            key: String::new(),
        }
    }

    fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }
}

impl Actor {
    /// Sends every run that is ready on to its next step. One whose process died runs alone, so that only the guilty is charged.
    pub(super) fn step(&mut self) {
        if self.context.infra.shutdown.is_draining() {
            return;
        }
        let suspect = |active: &Active| active.work.is_suspect();
        let under_way = self.runs.values().filter(|active| !active.is_ready());
        let (mut busy, mut alone) = (false, false);
        for active in under_way {
            busy = true;
            alone |= suspect(active);
        }
        let ready = self.runs.iter().filter(|(_, active)| active.is_ready());
        let mut ready: Vec<(InvocationId, bool)> =
            ready.map(|(id, active)| (*id, suspect(active))).collect();
        ready.sort_unstable();
        for (id, is_suspect) in ready {
            if alone || (is_suspect && busy) {
                continue;
            }
            self.step_one(id);
            if self.runs.get(&id).is_some_and(|active| !active.is_ready()) {
                busy = true;
                alone = is_suspect;
            }
        }
    }

    fn step_one(&mut self, id: InvocationId) {
        let Some(active) = self.runs.get(&id) else {
            return;
        };
        let position = active.progress.position();
        if position >= active.version.definition.steps.len() {
            // It waited after its last step.
            self.finish_without_step(id);
            return;
        }
        let deployment = active.version.id.clone();
        match self.authorize(&deployment, position) {
            Authorization::Granted => {}
            Authorization::Unknown => return,
            Authorization::Refused(reason) => {
                self.refuse(id, "AccountError", &reason);
                return;
            }
        }
        let Some(active) = self.runs.get_mut(&id) else {
            return;
        };
        let Some(live) = self
            .hosts
            .get(&deployment)
            .and_then(|host| host.live.as_ref())
        else {
            return;
        };
        if active.progress.run.event.contains(PLACEHOLDER) {
            active.stage = Stage::Placing;
            let folder = TmpFolder {
                real: live.process.tmp().to_owned(),
                visible: live.process.visible_tmp().to_owned(),
            };
            let mut work = active.work.clone();
            work.event = Arc::from(active.progress.run.event.as_str());
            let (store, emitter) = (
                self.context.infra.store.clone(),
                self.handle.id.clone().into(),
            );
            self.placing.spawn(async move {
                let result = place(store, emitter, work, folder).await;
                Placed {
                    run: id,
                    result: result.map_err(|(_, error)| error),
                }
            });
            return;
        }
        let event = active.progress.run.event.clone();
        self.invoke(id, &event);
    }

    pub(super) fn placed(&mut self, placed: Option<Placed>) {
        let Some(Placed { run, result }) = placed else {
            return;
        };
        match result {
            Ok(work) => self.invoke(run, &work.event),
            Err(PlaceError::Store(_)) => {
                if let Some(active) = self.runs.get_mut(&run) {
                    active.stage = Stage::Ready;
                }
            }
            Err(error @ PlaceError::Disk(_)) => {
                self.refuse(run, "UploadFailed", &error.to_string());
            }
        }
    }

    fn invoke(&mut self, run: InvocationId, event: &str) {
        let now = self.context.infra.clock.now_ms();
        let Some(active) = self.runs.get_mut(&run) else {
            return;
        };
        let host = self.hosts.get(&active.version.id);
        let Some(live) = host.and_then(|host| host.live.as_ref()) else {
            active.stage = Stage::Ready;
            return;
        };
        let definition = &active.version.definition;
        let step = &definition.steps[active.progress.position()];
        active.key = new_key();
        let addresses = Addresses::of(&self.context.infra.settings, &active.key);
        let input = step_input(&self.workflow, step, &active.progress, event, &addresses);
        let timeout = step.timeout_seconds.or(definition.settings.timeout_seconds);
        let invocation = Invocation {
            id: InvocationId::generate(&mut self.ids, now),
            call: Call::Step,
            event: Arc::from(input),
            timeout: timeout.map_or(self.context.infra.settings.invocation_timeout, |seconds| {
                Duration::from_secs(seconds.into())
            }),
        };
        active.stage = Stage::Running { started_at: now };
        self.steps.insert(invocation.id, run);
        live.process.invoke(&[invocation]);
    }

    /// A step ended, by return or by throw.
    pub(super) fn ended(&mut self, invocation: InvocationId, mut outcome: Outcome) {
        let Some(run) = self.steps.remove(&invocation) else {
            return;
        };
        let max_db = self.context.infra.settings.max_db;
        let writes = std::mem::take(&mut outcome.writes);
        self.writes.extend(self.stored.take(writes, max_db));
        self.context
            .infra
            .metrics
            .invocation_seconds
            .observe(outcome.duration.as_secs_f64());
        self.compute_ms += u64::try_from(outcome.duration.as_millis())
            .unwrap_or(u64::MAX)
            .max(1);
        let Some(active) = self.runs.get_mut(&run) else {
            return;
        };
        let Stage::Running { started_at } = active.stage else {
            return;
        };
        let definition = &active.version.definition;
        let end = active.progress.step_ended(definition, started_at, outcome);
        let mut builder = Builder {
            workflow: &self.workflow,
            timers: &self.timers,
            last_event: &mut self.last_event,
            ids: &mut self.ids,
            now_ms: self.context.infra.clock.now_ms(),
            max_depth: self.context.infra.settings.max_event_depth,
        };
        let (change, fate) = builder.stepped(
            &mut active.progress,
            &active.work,
            definition,
            end,
            &active.key,
        );
        active.stage = Stage::Storing(fate);
        self.changes.push(change);
    }

    /// A run that cannot run its next step fails with that.
    pub(super) fn refuse(&mut self, id: InvocationId, name: &str, reason: &str) {
        let failure = Failure {
            name: name.to_owned(),
            message: reason.to_owned(),
            stack: String::new(),
            code: None,
        };
        let Some(active) = self.runs.get_mut(&id) else {
            return;
        };
        let steps = &active.version.definition.steps;
        let step = steps.get(active.progress.position());
        let held = std::mem::take(&mut active.progress.held);
        let run = active.progress.run.clone();
        let mut builder = Builder {
            workflow: &self.workflow,
            timers: &self.timers,
            last_event: &mut self.last_event,
            ids: &mut self.ids,
            now_ms: self.context.infra.clock.now_ms(),
            max_depth: self.context.infra.settings.max_event_depth,
        };
        let change = builder.refused(run, &active.work, held, step, &failure);
        active.progress.run.error.clone_from(&change.run.error);
        active.stage = Stage::Storing(Fate::Failed);
        self.changes.push(change);
    }

    fn finish_without_step(&mut self, id: InvocationId) {
        let now = self.context.infra.clock.now_ms();
        let Some(active) = self.runs.get_mut(&id) else {
            return;
        };
        let change = Builder::finished(active.progress.run.clone(), now);
        active.stage = Stage::Storing(Fate::Finished);
        self.changes.push(change);
    }

    /// What a step did is stored: the run goes on, or has ended.
    pub(super) fn stored(&mut self, id: &InvocationId) {
        let Some(active) = self.runs.get_mut(id) else {
            return;
        };
        let Stage::Storing(fate) = active.stage else {
            return;
        };
        if fate == Fate::GoesOn {
            active.stage = Stage::Ready;
            return;
        }
        let Some(active) = self.runs.remove(id) else {
            return;
        };
        if let Some(sender) = self.handle.mailbox.take_reply(id) {
            let answer = match active.progress.reply {
                Some(reply) => Ok(reply),
                None => Err(NoReply::EndedWithoutRespond(no_reply(
                    fate,
                    &active.progress,
                ))),
            };
            let _ = sender.send(answer);
        }
        self.handle.mailbox.done(id);
    }
}

fn no_reply(fate: Fate, progress: &Progress) -> String {
    match (fate, &progress.run.error) {
        (Fate::Failed, Some(error)) => {
            format!(
                "the workflow failed before it called $.respond: {}: {}",
                error.code, error.message
            )
        }
        (Fate::Waits, _) => "the workflow waits and has not called $.respond".to_owned(),
        _ => "No $.respond called in workflow".to_owned(),
    }
}

fn new_key() -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(KEY_LENGTH)
        .map(char::from)
        .collect()
}
