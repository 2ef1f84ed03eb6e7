//! The interface between the engine and the processes that run user code.

use std::{collections::HashSet, io, sync::Arc, time::Duration};

use sluice_code::CodeTree;
use sluice_model::ComponentShape;

use crate::{
    box_future::BoxFuture,
    fair_queue::{PermitUse, PermitUser},
    outcome::Question,
    packages::{PackageArchives, PackageError, PackageLock},
    process::{Process, ProcessEvents},
    question::{self, QuestionOutcome},
    running::RunningProcess,
    spec::{Analysis, LoadError, ProcessSpec, Role},
    start_permit::StartPermit,
};

/// Starts component processes and analyses code. [`crate::Runtime`] does it with Deno; tests use a scripted implementation.
pub trait Processes: Send + Sync {
    /// Waits until a process may start: its packages are installed, and few others are starting.
    fn admit<'a>(
        &'a self,
        _spec: &'a ProcessSpec,
    ) -> BoxFuture<'a, Result<StartPermit, LoadError>> {
        Box::pin(async { Ok(StartPermit::default()) })
    }

    /// Starts a process with its modules loaded.
    fn start<'a>(
        &'a self,
        spec: &'a ProcessSpec,
        permit: StartPermit,
    ) -> BoxFuture<'a, Result<(Process, ProcessEvents), LoadError>>;

    /// Reads the shape of code that is being saved, and locks its packages.
    fn analyze<'a>(
        &'a self,
        tree: &'a CodeTree,
        role: Role<'a>,
        user: &'a PermitUser,
    ) -> BoxFuture<'a, Result<Analysis, LoadError>>;

    /// Reads the shapes of many components, in their order, without installing packages.
    fn survey<'a>(
        &'a self,
        trees: Vec<CodeTree>,
        user: &'a PermitUser,
    ) -> BoxFuture<'a, Vec<Result<ComponentShape, LoadError>>>;

    /// Asks a component one question, in a process of its own. `argument` is JSON on one line.
    fn ask<'a>(
        &'a self,
        spec: &'a ProcessSpec,
        question: Question,
        argument: Arc<str>,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<QuestionOutcome, LoadError>> {
        Box::pin(async move {
            let permit = self.admit(spec).await?;
            let (process, events) = self.start(spec, permit).await?;
            Ok(question::ask(&process, events, question, argument, timeout).await)
        })
    }

    /// The use of permits, by kind.
    fn permits_in_use(&self) -> Vec<(&'static str, PermitUse)> {
        Vec::new()
    }

    /// Starts the first idle processes in the background.
    fn warm_up(&self) {}

    /// Whether as many idle processes are ready as configured.
    fn is_warm(&self) -> bool {
        true
    }

    /// The number of idle processes.
    fn warm_processes(&self) -> usize {
        0
    }

    /// Private memory of all component processes, in bytes.
    fn memory_in_use(&self) -> u64 {
        0
    }

    /// The processes with loaded code, the oldest first.
    fn processes(&self) -> Vec<RunningProcess> {
        Vec::new()
    }

    /// From now on these archives are used when packages cannot be fetched from the registry.
    fn use_package_archives(&self, _archives: Arc<dyn PackageArchives>) {}

    /// Whether the packages of the lock with this hash are installed.
    fn has_packages<'a>(&'a self, _hash: &'a str) -> BoxFuture<'a, io::Result<bool>> {
        Box::pin(async { Ok(true) })
    }

    /// Installs packages that nothing waits for yet. Installs for users come first.
    fn install_ahead<'a>(
        &'a self,
        _lock: &'a PackageLock,
    ) -> BoxFuture<'a, Result<(), PackageError>> {
        Box::pin(async { Ok(()) })
    }

    /// An archive of the installed packages of the lock with this hash, or `None` if it is larger than `max_bytes`.
    fn archive_packages<'a>(
        &'a self,
        _hash: &'a str,
        _max_bytes: usize,
    ) -> BoxFuture<'a, io::Result<Option<Vec<u8>>>> {
        Box::pin(async { Ok(None) })
    }

    /// Whether package folders exist that are old enough to be removed if no component uses them.
    fn has_old_packages(&self) -> BoxFuture<'_, io::Result<bool>> {
        Box::pin(async { Ok(false) })
    }

    /// The disk space of the packages of locks with these hashes, in bytes.
    fn package_bytes(&self, _hashes: HashSet<String>) -> BoxFuture<'_, u64> {
        Box::pin(async { 0 })
    }

    /// Removes old package folders, except those of locks with these hashes. Returns the number of removed folders.
    fn remove_unused_packages(&self, _in_use: HashSet<String>) -> BoxFuture<'_, io::Result<usize>> {
        Box::pin(async { Ok(0) })
    }
}
