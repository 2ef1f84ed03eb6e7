//! The processes of a workflow, one for each version with runs under way: when they start and stop.

use std::{collections::HashSet, sync::Arc, time::Duration};

use sluice_model::DeploymentId;
use sluice_runtime::{LoadError, Process, ProcessEvent};
use tokio::{sync::mpsc, time::Instant};

use super::{Actor, stepping::Stage};
use crate::{
    accounts::Grants,
    owning::{FIRST_PAUSE, LONGEST_PAUSE},
    source::Asks,
    workflow::version::Version,
};

/// The place of a version's process.
pub(super) struct Host {
    pub(super) version: Arc<Version>,
    pub(super) live: Option<Live>,
    /// Which start this is; reports of earlier ones are old news.
    pub(super) generation: u64,
    pub(super) is_starting: bool,
    /// After a failed start, not before this.
    pub(super) start_after: Option<Instant>,
    pub(super) start_pause: Duration,
    pub(super) idle_since: Option<Instant>,
    /// What it was given is not what there is now: it begins no step any more.
    pub(super) is_outdated: bool,
}

pub(super) struct Live {
    pub(super) process: Process,
    pub(super) asks: Asks,
    /// Of each step.
    pub(super) grants: Vec<Grants>,
}

/// What the task that looks after a process tells.
pub(super) struct Report {
    pub(super) version: DeploymentId,
    pub(super) generation: u64,
    pub(super) what: What,
}

pub(super) enum What {
    Started(Box<Live>),
    NotStarted(LoadError),
    Events(Vec<ProcessEvent>),
    Gone,
}

impl Actor {
    pub(super) fn ensure_hosts(&mut self) {
        if self.context.infra.shutdown.is_draining() {
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
            &context.infra.settings,
            &context.infra.vault,
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
            context.infra.metrics.process_starts.inc();
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
            context.infra.metrics.processes.inc();
            while let Some(batch) = events.recv().await {
                tell(&sender, report(What::Events(batch))).await;
            }
            context.infra.metrics.processes.dec();
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

    pub(super) fn stop(&mut self, version: &DeploymentId) {
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
}

impl Host {
    pub(super) fn pause_starts(&mut self) {
        self.is_starting = false;
        self.start_after = Some(Instant::now() + self.start_pause);
        self.start_pause = (self.start_pause * 2).min(LONGEST_PAUSE);
    }
}

/// It fails when the owner is gone, and with it everybody who would want to know.
async fn tell(sender: &mpsc::Sender<Report>, report: Report) {
    let _ = sender.send(report).await;
}
