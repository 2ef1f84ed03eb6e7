//! The processes of a workflow, one for each version with runs under way: when they start and stop, and what their death
//! means.

use std::{collections::HashSet, sync::Arc, time::Duration};

use sluice_model::{DeploymentId, InvocationId};
use sluice_runtime::{Failure, LoadError, Outcome, Process, ProcessEvent, Unfinished};
use tokio::{sync::mpsc, time::Instant};

use super::{
    Actor,
    stepping::{Active, Stage},
};
use crate::{
    accounts::{Grants, Standing},
    owners::Owner,
    owning::{FIRST_PAUSE, LONGEST_PAUSE},
    source::Asks,
    workflow::version::Version,
};

/// The place of a version's process.
pub(super) struct Host {
    pub(super) version: Arc<Version>,
    pub(super) live: Option<Live>,
    /// Which start this is; reports of earlier ones are old news.
    generation: u64,
    is_starting: bool,
    /// After a failed start, not before this.
    start_after: Option<Instant>,
    start_pause: Duration,
    idle_since: Option<Instant>,
    /// What it was given is not what there is now: it begins no step any more.
    is_outdated: bool,
}

pub(super) struct Live {
    pub(super) process: Process,
    asks: Asks,
    /// Of each step.
    grants: Vec<Grants>,
}

/// What the task that looks after a process tells.
pub(super) struct Report {
    version: DeploymentId,
    generation: u64,
    what: What,
}

enum What {
    Started(Box<Live>),
    NotStarted(LoadError),
    Events(Vec<ProcessEvent>),
    Gone,
}

/// Whether a step may use its accounts.
pub(super) enum Authorization {
    Granted,
    /// Somebody is finding out, or there is no process yet.
    Unknown,
    Refused(Arc<str>),
}

impl Actor {
    pub(super) fn ensure_hosts(&mut self) {
        if self.context.draining.is_cancelled() {
            return;
        }
        let wanted: Vec<Arc<Version>> = self
            .runs
            .values()
            .filter(|active| matches!(active.stage, Stage::Ready))
            .map(|active| Arc::clone(&active.version))
            .collect();
        let mut seen = HashSet::new();
        for version in wanted {
            if seen.insert(version.id.clone()) {
                self.ensure_host(&version);
            }
        }
    }

    fn ensure_host(&mut self, version: &Arc<Version>) {
        let now = Instant::now();
        let host = self
            .hosts
            .entry(version.id.clone())
            .or_insert_with(|| Host {
                version: Arc::clone(version),
                live: None,
                generation: 0,
                is_starting: false,
                start_after: None,
                start_pause: FIRST_PAUSE,
                idle_since: None,
                is_outdated: false,
            });
        if host.live.is_some() || host.is_starting || host.start_after.is_some_and(|at| at > now) {
            return;
        }
        let context = &self.context;
        let spec = version.process_spec(
            &self.workflow.id,
            &context.settings,
            &context.vault,
            &self.stored,
        );
        let spec = match spec {
            Ok(spec) => spec,
            Err(reason) => {
                self.hosts.remove(&version.id);
                return self.refuse_all(&version.id, "SecretUnreadable", &reason);
            }
        };
        self.generation += 1;
        host.generation = self.generation;
        host.is_starting = true;
        host.start_after = None;
        let reach = version.reach(&self.workflow.user_id);
        let grants = version.grants(&context.accounts, &self.workflow.user_id);
        let (context, sender) = (Arc::clone(context), self.reports.0.clone());
        let (id, generation) = (version.id.clone(), self.generation);
        tokio::spawn(async move {
            let report = |what| Report {
                version: id.clone(),
                generation,
                what,
            };
            let slot = context.slots.acquire().await;
            context.metrics.process_starts.inc();
            let (process, mut events) = match context.runtime.start(&spec).await {
                Ok(started) => started,
                Err(error) => {
                    let _ = sender.send(report(What::NotStarted(error))).await;
                    return;
                }
            };
            let asks = Asks::serve(&context, reach, process.answers());
            let live = Live {
                process,
                asks,
                grants,
            };
            tell(&sender, report(What::Started(Box::new(live)))).await;
            context.metrics.processes.inc();
            while let Some(batch) = events.recv().await {
                tell(&sender, report(What::Events(batch))).await;
            }
            context.metrics.processes.dec();
            tell(&sender, report(What::Gone)).await;
            // Its place is free when the process is gone, not when it is told to go.
            drop(slot);
        });
    }

    /// A version may get other secrets while it runs: its steps see them from the next one on.
    pub(super) fn renew_environment(&mut self, before: &Version) {
        let current = &self.current;
        if current.id != before.id || current.has_secrets_of(before) {
            return;
        }
        for active in self.runs.values_mut() {
            if active.version.id == current.id {
                active.version = Arc::clone(current);
            }
        }
        if let Some(host) = self.hosts.get_mut(&current.id) {
            host.is_outdated = true;
        }
    }

    pub(super) fn retire_outdated(&mut self) {
        let outdated = self.hosts.iter().filter(|(_, host)| host.is_outdated);
        let unused: Vec<DeploymentId> = outdated
            .map(|(id, _)| id.clone())
            .filter(|id| self.running_on(id).next().is_none())
            .collect();
        for id in unused {
            self.stop(&id);
        }
    }

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

    fn running_on(
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
        let (attempts, most) = (active.work.attempts, self.context.settings.max_attempts);
        if attempts >= most {
            let message =
                format!("the workflow's process died: {reason} (attempt {attempts} of {most})");
            self.ended(step, died_outcome(message));
            return;
        }
        self.context.metrics.invocation_retries.inc();
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
        if active.work.attempts >= self.context.settings.max_attempts {
            self.refuse(id, "ProcessDied", reason);
        } else {
            self.attempts.push(id);
        }
    }

    fn refuse_all(&mut self, version: &DeploymentId, name: &str, reason: &str) {
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

    /// Brings the process up to date with the accounts of a step.
    pub(super) fn authorize(&mut self, version: &DeploymentId, position: usize) -> Authorization {
        let Some(host) = self.hosts.get_mut(version) else {
            return Authorization::Unknown;
        };
        let Some(live) = host.live.as_mut().filter(|_| !host.is_outdated) else {
            return Authorization::Unknown;
        };
        let Some(grants) = live.grants.get_mut(position) else {
            return Authorization::Granted;
        };
        if grants.is_empty() {
            return Authorization::Granted;
        }
        match grants.check(self.context.clock.now_ms()) {
            Standing::Current => Authorization::Granted,
            Standing::Changed(auths) => {
                let step = &host.version.definition.steps[position].name;
                live.process.authorize(step, &auths);
                Authorization::Granted
            }
            Standing::Refused(reason) => Authorization::Refused(reason),
            Standing::Unknown => {
                if self.authorizing.is_empty() {
                    let slots = grants.slots();
                    let context = Arc::clone(&self.context);
                    let finding_out = async move {
                        if let Err(error) = context.accounts.find_out_all(&slots).await {
                            tracing::warn!(%error, "an account could not be read; trying again");
                            tokio::time::sleep(FIRST_PAUSE).await;
                        }
                    };
                    // On its own, because renewed tokens must reach the store also when the server stops or the workflow goes.
                    let on_its_own = self.context.tasks.spawn(finding_out);
                    self.authorizing.spawn(async move {
                        let _ = on_its_own.await;
                    });
                }
                Authorization::Unknown
            }
        }
    }

    fn stop(&mut self, version: &DeploymentId) {
        self.hosts.remove(version);
        self.context.slots.not_idle(&self.handle.id);
    }

    pub(super) fn stop_all(&mut self) {
        self.hosts.clear();
    }

    /// When the next process may be started that could not be.
    pub(super) fn next_start(&self) -> Option<Instant> {
        self.hosts
            .values()
            .filter_map(|host| host.start_after)
            .min()
    }

    pub(super) fn idle_at(&self) -> Option<Instant> {
        let since = self.hosts.values().filter_map(|host| host.idle_since).min();
        since.map(|since| since + self.context.settings.idle_timeout)
    }

    pub(super) fn note_idleness(&mut self) {
        let busy: HashSet<DeploymentId> = self
            .runs
            .values()
            .map(|active| active.version.id.clone())
            .collect();
        let now = Instant::now();
        let current = self.current.id.clone();
        // The process of an old version has no use when its last run is over.
        self.hosts
            .retain(|id, host| *id == current || host.is_starting || busy.contains(id));
        for (id, host) in &mut self.hosts {
            host.start_after = host.start_after.filter(|at| *at > now);
            let is_idle = host.live.is_some() && !busy.contains(id);
            host.idle_since = is_idle.then(|| host.idle_since.unwrap_or(now));
        }
        self.hosts.retain(|id, host| {
            host.live.is_some()
                || host.is_starting
                || host.start_after.is_some()
                || busy.contains(id)
        });
        let owner = Owner::Workflow(Arc::clone(&self.handle));
        let all_idle =
            !self.hosts.is_empty() && self.hosts.values().all(|host| host.idle_since.is_some());
        match (all_idle, self.is_listed_idle) {
            (true, false) => self.context.slots.idle(&owner),
            (false, true) => self.context.slots.not_idle(&self.handle.id),
            _ => {}
        }
        self.is_listed_idle = all_idle;
    }

    pub(super) fn stop_idle_hosts(&mut self) {
        let timeout = self.context.settings.idle_timeout;
        self.hosts.retain(|_, host| {
            host.idle_since
                .is_none_or(|since| since.elapsed() < timeout)
        });
    }

    pub(super) fn stop_idle_hosts_now(&mut self) {
        self.is_listed_idle = false;
        self.hosts.retain(|_, host| host.idle_since.is_none());
    }
}

impl Host {
    fn pause_starts(&mut self) {
        self.is_starting = false;
        self.start_after = Some(Instant::now() + self.start_pause);
        self.start_pause = (self.start_pause * 2).min(LONGEST_PAUSE);
    }
}

/// It fails when the owner is gone, and with it everybody who would want to know.
async fn tell(sender: &mpsc::Sender<Report>, report: Report) {
    let _ = sender.send(report).await;
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
