//! Installs packages ahead of need, so that this node can take over any source or workflow at once, and stores them for nodes
//! that cannot reach the registry.
//!
//! A node that saves a lock hints the others. Beneath the hints each node polls for locks in use that it does not have. Tasks run
//! one at a time.

use std::{
    collections::{HashSet, VecDeque},
    io,
    sync::Arc,
    time::Duration,
};

use sluice_engine::{NewLock, NewLocks};
use sluice_infra::Infra;
use sluice_runtime::{PackageError, PackageLock, Processes};
use sluice_store::{StoreError, lock_uses, package_archives};
use tokio::time::Instant;

use super::{archives::MAX_ARCHIVE, failures::Failures, in_use::LocksInUse};

const POLL: Duration = Duration::from_secs(30);
/// One node stores the packages that the node on which they were saved did not store.
const ARCHIVE_JOB: &str = "package archives";

#[derive(Debug, thiserror::Error)]
enum TaskError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a stored lock cannot be read: {0}")]
    Lock(#[from] serde_json::Error),
    #[error(transparent)]
    Packages(#[from] PackageError),
    #[error(transparent)]
    Folder(#[from] io::Error),
}

/// Something to do for a lock, by its hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Task {
    Install(String),
    Store(String),
}

impl Task {
    fn hash(&self) -> &str {
        match self {
            Task::Install(hash) | Task::Store(hash) => hash,
        }
    }
}

impl From<NewLock> for Task {
    fn from(lock: NewLock) -> Task {
        match lock {
            NewLock::Elsewhere(hash) => Task::Install(hash),
            NewLock::Here(hash) => Task::Store(hash),
        }
    }
}

pub(crate) struct PackageSync {
    infra: Infra,
    processes: Arc<dyn Processes>,
    new_locks: NewLocks,
    in_use: LocksInUse,
    /// Found by the last poll.
    queue: VecDeque<Task>,
    failures: Failures<Task>,
    /// Locks whose packages are too large to be stored.
    too_large: HashSet<String>,
}

impl PackageSync {
    pub(crate) fn new(
        infra: Infra,
        processes: Arc<dyn Processes>,
        new_locks: NewLocks,
    ) -> PackageSync {
        PackageSync {
            infra,
            processes,
            new_locks,
            in_use: LocksInUse::default(),
            queue: VecDeque::new(),
            failures: Failures::default(),
            too_large: HashSet::new(),
        }
    }

    /// Runs until the server drains, and does not wait for an install then.
    pub(crate) async fn run(self) {
        // A server on SQLite has no other nodes: it installs nothing ahead and stores no packages beside its folders.
        if self.infra.cluster.owns_database() {
            return;
        }
        let shutdown = self.infra.shutdown.clone();
        tokio::select! {
            () = shutdown.draining() => {}
            () = self.work() => {}
        }
    }

    /// New locks come first: a poll may have found many.
    async fn work(mut self) {
        let mut next_poll = Instant::now();
        loop {
            let new = self.new_locks.take().map(Task::from);
            if let Some(task) = new.or_else(|| self.queue.pop_front()) {
                self.perform(task).await;
                continue;
            }
            tokio::select! {
                () = self.new_locks.added() => {}
                () = tokio::time::sleep_until(next_poll) => {
                    self.poll().await;
                    next_poll = Instant::now() + POLL;
                }
            }
        }
    }

    /// Whether there are other nodes, and this one takes work.
    fn is_one_of_several(&self) -> bool {
        let cluster = &self.infra.cluster;
        !cluster.is_alone() && !cluster.is_out_of_service()
    }

    async fn poll(&mut self) {
        if !self.is_one_of_several() {
            return;
        }
        match self.find_tasks().await {
            Ok(tasks) => self.queue = tasks,
            Err(error) => tracing::debug!(%error, "cannot find packages in use; retrying later"),
        }
    }

    /// The tasks for the locks in use. Locks that are not used any more may fail anew later.
    async fn find_tasks(&mut self) -> Result<VecDeque<Task>, TaskError> {
        let in_use = self.in_use.read(&self.infra.store).await?;
        self.failures.retain(|task| in_use.contains(task.hash()));
        self.too_large.retain(|hash| in_use.contains(hash));
        let mut tasks = VecDeque::new();
        let mut installed = Vec::new();
        for hash in in_use {
            if self.processes.has_packages(&hash).await? {
                installed.push(hash);
            } else {
                tasks.push_back(Task::Install(hash));
            }
        }
        if self.infra.cluster.does_job(ARCHIVE_JOB) {
            let stored = self.infra.store.read(package_archives::list).await?;
            let stored: HashSet<String> = stored.into_iter().map(|lock| lock.hash).collect();
            installed.retain(|hash| !stored.contains(hash));
            tasks.extend(installed.into_iter().map(Task::Store));
        }
        Ok(tasks)
    }

    /// Performs a task. The first failure of a task is logged as a warning.
    async fn perform(&mut self, task: Task) {
        if !self.is_one_of_several() || !self.failures.is_due(&task) {
            return;
        }
        let performed = match &task {
            Task::Install(hash) => self.install(hash).await,
            Task::Store(hash) => self.store(hash).await,
        };
        let Err(error) = performed else {
            self.failures.remove(&task);
            return;
        };
        let lock = task.hash().to_owned();
        if self.failures.add(task) {
            tracing::warn!(lock, %error, "cannot prepare packages ahead of need; retrying later");
        } else {
            tracing::debug!(lock, %error, "cannot prepare packages ahead of need; retrying later");
        }
    }

    async fn install(&self, hash: &str) -> Result<(), TaskError> {
        if self.processes.has_packages(hash).await? {
            return Ok(());
        }
        let wanted = hash.to_owned();
        let text = self.infra.store.read(move |c| lock_uses::text(c, &wanted));
        // Its last component may be gone.
        let Some(text) = text.await? else {
            return Ok(());
        };
        let lock: PackageLock = serde_json::from_str(&text)?;
        self.processes.install_ahead(&lock).await?;
        tracing::info!(lock = hash, "packages installed ahead of need");
        Ok(())
    }

    async fn store(&mut self, hash: &str) -> Result<(), TaskError> {
        if self.too_large.contains(hash) || self.is_stored(hash).await? {
            return Ok(());
        }
        let packed = self.processes.archive_packages(hash, MAX_ARCHIVE);
        let Some(archive) = packed.await? else {
            let max_bytes = MAX_ARCHIVE;
            tracing::info!(
                lock = hash,
                max_bytes,
                "packages are too large to be stored for other nodes"
            );
            self.too_large.insert(hash.to_owned());
            return Ok(());
        };
        let (lock, now, bytes) = (hash.to_owned(), self.infra.now_ms(), archive.len());
        let stored = self
            .infra
            .store
            .write(move |c| package_archives::insert(c, &lock, &archive, now));
        if stored.await? {
            tracing::debug!(lock = hash, bytes, "packages stored for other nodes");
        }
        Ok(())
    }

    async fn is_stored(&self, hash: &str) -> Result<bool, StoreError> {
        let lock = hash.to_owned();
        let header = self
            .infra
            .store
            .read(move |c| package_archives::header(c, &lock));
        Ok(header.await?.is_some())
    }
}
