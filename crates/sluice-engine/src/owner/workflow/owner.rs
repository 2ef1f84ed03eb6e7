//! The state of a workflow's owner.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use serde_json::value::RawValue;
use sluice_model::{EventId, InvocationId, TimerSpec, workflow::WorkflowSettings};
use sluice_store::{inbox::InboxItem, workflows::Workflow};
use tokio::time::Instant;

use super::{
    load::{StoredDefinition, StoredMemory},
    resume::StoredRun,
    throttle::Window,
    version::Version,
};
use crate::{
    commit::{
        builder::RowBuilder,
        progress::Progress,
        streak::Streak,
        workflow::{Pending, RunFate, WorkflowCommit},
    },
    owner::actor::Core,
    process::uploads::UploadError,
    retention::PruneSchedule,
    state::KvState,
    work::Work,
};

pub(super) struct WorkflowOwner {
    pub(super) core: Core<WorkflowOwner>,
    pub(super) workflow: Workflow,
    /// The number of the definition.
    pub(super) definition_no: i64,
    /// The version of new runs.
    pub(super) current: Arc<Version>,
    pub(super) timers: BTreeMap<String, TimerSpec>,
    pub(super) kv: KvState,
    pub(super) last_event: Option<EventId>,
    pub(super) streak: Streak,
    pub(super) runs: HashMap<InvocationId, ActiveRun>,
    /// The run of each running step.
    pub(super) steps: HashMap<InvocationId, InvocationId>,
    /// Runs that a crash interrupted. Their inbox rows are read too, possibly after they have ended.
    pub(super) interrupted: BTreeSet<InvocationId>,
    /// Runs to continue: interrupted ones, and waiting ones that were resumed or are due.
    pub(super) to_continue: VecDeque<InvocationId>,
    /// Runs that are being read from the store.
    pub(super) loading: BTreeSet<InvocationId>,
    pub(super) is_checking_overflow: bool,
    pub(super) window: Window,
    /// Rows that wait for the next commit.
    pub(super) pending: Pending,
    pub(super) attempts: Vec<InvocationId>,
    pub(super) writes: BTreeMap<String, Option<Box<RawValue>>>,
    pub(super) compute_ms: u64,
    pub(super) started_runs: u64,
    /// Starts of runs are not committed before this, unless something else is.
    pub(super) commit_after: Option<Instant>,
    pub(super) prune: PruneSchedule,
    /// Number of processes so far. Uploads for an earlier process are discarded.
    pub(super) generation: u64,
}

/// A run in progress.
pub(super) struct ActiveRun {
    pub(super) work: Work,
    pub(super) progress: Progress,
    pub(super) version: Arc<Version>,
    pub(super) stage: Stage,
    /// Resumes the run if it waits after the running step.
    pub(super) key: String,
}

#[derive(Clone, Copy)]
pub(super) enum Stage {
    /// The next step can start.
    Ready,
    /// The files of its event are written to the process's folder.
    Uploading,
    Running {
        started_at: i64,
    },
    /// The end of a step is being committed.
    Committing(RunFate),
}

/// Background tasks.
pub(super) enum Task {
    /// `None` when the run no longer has an inbox row.
    Loaded(InvocationId, Option<Box<StoredRun>>),
    Uploaded {
        run: InvocationId,
        generation: u64,
        result: Result<Work, UploadError>,
    },
    /// Inbox rows beyond the limit of the queue.
    Overflow(Vec<InboxItem>),
}

impl ActiveRun {
    pub(super) fn new(work: Work, progress: Progress, version: Arc<Version>) -> ActiveRun {
        ActiveRun {
            work,
            progress,
            version,
            stage: Stage::Ready,
            key: String::new(),
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }
}

impl WorkflowOwner {
    pub(super) fn new(
        core: Core<WorkflowOwner>,
        definition: StoredDefinition,
        memory: StoredMemory,
    ) -> WorkflowOwner {
        let StoredDefinition {
            workflow,
            definition_no,
            current,
            timers,
        } = definition;
        let StoredMemory {
            commit_no: _,
            kv,
            last_event,
            streak,
            interrupted,
            window,
        } = memory;
        WorkflowOwner {
            core,
            workflow,
            definition_no,
            current: Arc::new(current),
            timers,
            kv,
            last_event,
            streak,
            runs: HashMap::new(),
            steps: HashMap::new(),
            to_continue: interrupted.iter().copied().collect(),
            interrupted,
            loading: BTreeSet::new(),
            is_checking_overflow: false,
            window,
            pending: Pending::default(),
            attempts: Vec::new(),
            writes: BTreeMap::new(),
            compute_ms: 0,
            started_runs: 0,
            commit_after: None,
            prune: PruneSchedule::default(),
            generation: 0,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.workflow.active && self.core.may_start_work()
    }

    pub(super) fn settings(&self) -> &WorkflowSettings {
        &self.current.definition.settings
    }

    /// Whether the owner is not working on this run.
    pub(super) fn is_unknown(&self, id: &InvocationId) -> bool {
        !self.runs.contains_key(id) && !self.to_continue.contains(id) && !self.loading.contains(id)
    }

    /// The builder of rows, with the parts of the owner that it moves forward.
    pub(super) fn commit_builder(
        &mut self,
    ) -> (WorkflowCommit<'_>, &mut HashMap<InvocationId, ActiveRun>) {
        let infra = &self.core.services.infra;
        let commit = WorkflowCommit {
            workflow: &self.workflow,
            rows: RowBuilder {
                last_event: &mut self.last_event,
                timers: &self.timers,
                now_ms: infra.now_ms(),
                started_at: infra.started_at,
                max_depth: infra.settings.max_event_depth,
                ids: &mut self.core.ids,
            },
            pending: &mut self.pending,
        };
        (commit, &mut self.runs)
    }
}
