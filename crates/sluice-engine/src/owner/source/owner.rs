//! The state of a source's owner.

use std::collections::HashMap;

use sluice_model::{Hook, InvocationId};
use sluice_store::StoreError;
use tokio::{sync::oneshot, time::Instant};

use crate::{
    commit::source::{Extras, Finished},
    owner::{
        actor::Core,
        direct::{DirectPath, LastDispatch},
        lifecycle::{Dispatch, HookError},
    },
    process::uploads::UploadError,
    retention::PruneSchedule,
    state::{Definition, Memory},
    work::Work,
};

pub(super) struct SourceOwner {
    pub(super) core: Core<SourceOwner>,
    pub(super) definition: Definition,
    pub(super) memory: Memory,
    pub(super) running: HashMap<InvocationId, Running>,
    /// Ended invocations that wait for the next commit.
    pub(super) finished: Vec<Finished>,
    pub(super) extras: Extras,
    /// Number of invocations in the running commit.
    pub(super) uncommitted: usize,
    pub(super) operation: Option<Operation>,
    pub(super) prune: PruneSchedule,
    /// Number of processes so far. Uploads for an earlier process are discarded.
    pub(super) generation: u64,
    pub(super) uploading: usize,
    pub(super) direct_path: DirectPath,
    pub(super) last_dispatch: LastDispatch,
    /// Number of running writes to the inbox.
    pub(super) storing: usize,
    /// Outcomes of direct requests were given up, so the source is to be read again. Clients of the running commit wait until
    /// then.
    pub(super) gives_up_until: Option<Instant>,
}

pub(super) type HookReply = oneshot::Sender<Result<(), HookError>>;

pub(super) enum Running {
    Work(Work),
    Hook(Hook, HookReply),
}

impl Running {
    pub(super) fn is_suspect(&self) -> bool {
        matches!(self, Running::Work(work) if work.is_suspect())
    }
}

/// A lifecycle operation in progress.
pub(super) struct Operation {
    pub(super) dispatch: Dispatch,
    /// Answered when the requested dispatch state is reached.
    pub(super) confirm: Option<oneshot::Sender<()>>,
    /// Hooks that wait for the process.
    pub(super) hooks: Vec<(Hook, HookReply)>,
    /// Ended hooks: their effects are committed with the operation.
    pub(super) ended_hooks: Vec<Finished>,
    /// Whether it has run a hook or swapped the code, so that discarding it must reload the source.
    pub(super) is_dirty: bool,
}

/// The result of a background task.
pub(super) enum SourceTask {
    Uploaded(Uploaded),
    /// Direct requests were written to the inbox.
    Stored {
        ids: Vec<InvocationId>,
        result: Result<(), StoreError>,
    },
}

/// Work whose uploads are in the folder of the process, or could not be written to it.
pub(super) struct Uploaded {
    /// The process that they were written for.
    pub(super) generation: u64,
    pub(super) result: Result<Work, (Work, UploadError)>,
}

impl SourceOwner {
    pub(super) fn new(
        core: Core<SourceOwner>,
        definition: Definition,
        memory: Memory,
    ) -> SourceOwner {
        SourceOwner {
            core,
            definition,
            memory,
            running: HashMap::new(),
            finished: Vec::new(),
            extras: Extras::default(),
            uncommitted: 0,
            operation: None,
            prune: PruneSchedule::default(),
            generation: 0,
            uploading: 0,
            direct_path: DirectPath::default(),
            last_dispatch: LastDispatch::default(),
            storing: 0,
            gives_up_until: None,
        }
    }

    /// Whether queued work may be dispatched.
    pub(super) fn is_open(&self) -> bool {
        let dispatch = self
            .operation
            .as_ref()
            .map_or(Dispatch::Running, |operation| operation.dispatch);
        self.definition.source.active
            && dispatch == Dispatch::Running
            && self.core.hold_until.is_none()
            && !self.gives_up()
            && self.core.may_start_work()
    }

    /// Whether nothing runs and everything is committed.
    pub(super) fn is_quiet(&self) -> bool {
        self.running.is_empty()
            && self.uploading == 0
            && self.storing == 0
            && self.finished.is_empty()
            && self.extras.is_empty()
            && !self.core.is_committing()
    }

    /// Whether more outcomes may wait for their commit.
    pub(super) fn has_commit_capacity(&self) -> bool {
        let max = 4 * self.core.infra().settings.source_concurrency;
        self.uncommitted + self.finished.len() < max
    }

    pub(super) fn has_waiting_hooks(&self) -> bool {
        self.operation
            .as_ref()
            .is_some_and(|operation| !operation.hooks.is_empty())
    }

    /// Takes the hooks that wait for the process.
    pub(super) fn take_hooks(&mut self) -> Vec<(Hook, HookReply)> {
        self.operation
            .as_mut()
            .map(|operation| std::mem::take(&mut operation.hooks))
            .unwrap_or_default()
    }
}
