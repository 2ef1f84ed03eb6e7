//! Starting runs: from the mailbox, as many as the workflow's concurrency, throttle and quota allow.

use std::{sync::Arc, time::Duration};

use sluice_model::{
    InvocationId,
    workflow::{PauseKind, RunOrigin},
};
use sluice_store::{
    inbox::InboxKind,
    runs::{Run, RunState},
};

use super::{
    load::reload,
    owner::{ActiveRun, Task, WorkflowOwner},
    resume::StoredRun,
    version::Version,
};
use crate::{
    commit::progress::{Continuation, Progress},
    owner::handle::WorkflowControl,
    quotas::QuotaExceeded,
    spans,
    work::Work,
};

impl WorkflowOwner {
    pub(super) async fn handle_control(&mut self, control: WorkflowControl) {
        match control {
            WorkflowControl::Changed => self.reload().await,
            WorkflowControl::Continue(run) => {
                if self.is_unknown(&run) {
                    self.to_continue.push_back(run);
                }
            }
            WorkflowControl::Evict => self.evict(),
            WorkflowControl::HandOver => self.core.leaving = true,
        }
    }

    /// Reads the definition again. New runs use it; running ones keep their version.
    async fn reload(&mut self) {
        let id = self.workflow.id.clone();
        let Some(definition) = reload(self.core.infra(), &id).await else {
            self.core.abandon();
            return;
        };
        self.workflow = definition.workflow;
        self.definition_no = definition.definition_no;
        let before = std::mem::replace(&mut self.current, Arc::new(definition.current));
        self.renew_environment(&before);
        self.timers = definition.timers;
        self.core.relist();
        self.core.hold_until = None;
    }

    pub(super) fn start_runs(&mut self) {
        // A run that starts after a change of the workflow must use it.
        if !self.is_open() || self.core.has_controls() {
            return;
        }
        while self.has_capacity()
            && let Some(id) = self.to_continue.pop_front()
        {
            self.load_run(id);
        }
        while self.has_capacity() && self.may_start() {
            let Some(work) = self.core.mailbox().pop_if(|_| true) else {
                break;
            };
            if work.kind == InboxKind::Continued || self.interrupted.contains(&work.id) {
                if self.is_unknown(&work.id) {
                    self.load_run(work.id);
                }
            } else {
                self.start_run(work);
            }
        }
    }

    fn has_capacity(&self) -> bool {
        let active = self.runs.len() + self.loading.len();
        active < self.settings().concurrency as usize
    }

    /// Whether throttle and quota allow another run.
    fn may_start(&mut self) -> bool {
        if self.core.hold_until.is_some() || !self.core.mailbox().has_queued() {
            return false;
        }
        let now_ms = self.core.now_ms();
        if let Some(throttle) = self.settings().throttle
            && let Some(until) = self.window.full_until(throttle, now_ms)
        {
            let wait = u64::try_from(until - now_ms).unwrap_or(0);
            self.core.hold(Duration::from_millis(wait));
            return false;
        }
        let user = self.workflow.user_id.clone();
        if let Some(QuotaExceeded { quota, .. }) = self.core.check_quota(&user) {
            tracing::warn!(workflow = %self.workflow.id, %user, quota, "quota exceeded; runs wait for the next day");
        }
        self.core.hold_until.is_none()
    }

    fn start_run(&mut self, work: Work) {
        let run = self.new_run(&work);
        self.window.count();
        self.started_runs += 1;
        self.pending.started(run.clone(), None);
        let active = ActiveRun::new(work, Progress::new(run), Arc::clone(&self.current));
        self.runs.insert(active.progress.run.id, active);
    }

    pub(super) fn new_run(&self, work: &Work) -> Run {
        let cause = work.cause();
        Run {
            id: work.id,
            workflow_id: self.workflow.id.clone(),
            deployment_id: self.current.id.clone(),
            state: RunState::Running,
            origin: RunOrigin {
                source_type: work.kind.as_str().to_owned(),
                emitter_id: cause.as_ref().map(|cause| cause.emitter.to_string()),
                event_id: cause.map(|cause| cause.id),
                replay_of: None,
                key_id: None,
            },
            depth: work.depth,
            accepted_at: work.accepted_at,
            started_at: self.core.now_ms(),
            finished_at: None,
            due_at: None,
            pause: None,
            pause_key: None,
            error: None,
            exit_reason: None,
            trace: spans::run_context(self.core.infra(), work),
            event: work.event.to_string(),
        }
    }

    /// Reads a run that continues.
    fn load_run(&mut self, id: InvocationId) {
        let hosts = self.core.hosts.iter().map(|(id, _)| id.clone());
        let known = hosts.chain([self.current.id.clone()]).collect();
        let (infra, workflow) = (self.core.infra().clone(), self.workflow.id.clone());
        self.loading.insert(id);
        self.core.tasks.spawn(async move {
            let stored = StoredRun::load(infra, workflow, id, known).await;
            Task::Loaded(id, stored.map(Box::new))
        });
    }

    pub(super) fn loaded(&mut self, id: InvocationId, stored: Option<StoredRun>) {
        self.loading.remove(&id);
        match stored {
            // It was cancelled or removed meanwhile.
            None => self.core.mailbox().done(&id),
            // It is running already.
            Some(_) if self.runs.contains_key(&id) => {}
            Some(stored) => self.continue_run(stored),
        }
    }

    fn continue_run(&mut self, stored: StoredRun) {
        let StoredRun {
            mut work,
            run,
            records,
            held,
            version,
        } = stored;
        let is_continued = work.kind == InboxKind::Continued;
        let Some(mut run) = run else {
            if is_continued {
                self.pending.forgotten(self.new_run(&work));
            } else {
                self.start_run(work);
            }
            return;
        };
        if run.state == RunState::Queued {
            run.started_at = self.core.now_ms();
            if !self.workflow.internal {
                run.deployment_id = self.current.id.clone();
            }
            self.window.count();
            self.started_runs += 1;
        }
        if is_continued {
            // The part of the run before its wait is the cause of this one.
            work.trace = run.trace.take();
        }
        if run.trace.is_none() {
            run.trace = spans::run_context(self.core.infra(), &work);
        }
        let version = version
            .map(Arc::new)
            .or_else(|| self.version_of(&run))
            .unwrap_or_else(|| Arc::clone(&self.current));
        let continuation = is_continued
            .then(|| serde_json::from_str::<Continuation>(&work.event).ok())
            .flatten();
        run.state = RunState::Running;
        run.due_at = None;
        run.pause_key = None;
        // A step that asked for a rerun gets the same context again when a crash interrupts it.
        let rerun = run
            .pause
            .clone()
            .filter(|pause| pause.kind == PauseKind::Rerun);
        let (progress, resumed) = Progress::restored(run, records, held, continuation);
        let mut row = progress.run.clone();
        row.pause = rerun;
        self.pending.started(row, resumed);
        let id = progress.run.id;
        self.runs
            .insert(id, ActiveRun::new(work, progress, version));
    }

    fn version_of(&self, run: &Run) -> Option<Arc<Version>> {
        if run.deployment_id == self.current.id {
            return Some(Arc::clone(&self.current));
        }
        let host = self.core.hosts.get(&run.deployment_id)?;
        Some(Arc::clone(&host.program))
    }
}
