//! npm packages of components: resolved when code is saved, locked, and kept so that every later start runs the same
//! bytes and needs no network.
//!
//! Each distinct lock has one folder, shared by every component that has it: `packages/<hash>/node_modules`. Deno does
//! the work of a package manager: it resolves, checks what it downloads, never runs an install script, and shares files
//! between folders through its cache.

mod downloads;
mod install;
mod lock;
mod native;

use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use sluice_code::{CodeError, PackageImport, PackageRequest};
use tokio::sync::Semaphore;

use downloads::Downloads;
use install::{InstallError, Installer};
pub use lock::PackageLock;
pub(crate) use native::explain as explain_native;

/// Installs that may run at once: they wait for the network more than for a core.
const AT_ONCE: usize = 4;

#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The code names what does not exist or cannot run here.
    #[error("the code names packages that cannot be used")]
    Code(Vec<CodeError>),
    /// Nobody's fault but the network's or the registry's.
    #[error("packages could not be fetched: {0}")]
    Unavailable(String),
}

impl From<io::Error> for PackageError {
    fn from(error: io::Error) -> PackageError {
        PackageError::Unavailable(error.to_string())
    }
}

pub(crate) struct Packages {
    /// One folder for each lock, named by its hash.
    folder: PathBuf,
    /// Where locks are resolved and installs prepared; emptied at start.
    staging: PathBuf,
    installer: Installer,
    turns: Semaphore,
    downloads: Downloads,
    count: AtomicU64,
}

impl Packages {
    /// `folder` is what components may read; `work` is ours alone.
    pub(crate) fn new(
        folder: PathBuf,
        work: &Path,
        deno: PathBuf,
        timeout: Duration,
    ) -> io::Result<Packages> {
        let staging = work.join("staging");
        match std::fs::remove_dir_all(&staging) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::fs::create_dir_all(&staging)?,
        }
        std::fs::create_dir_all(&folder)?;
        Ok(Packages {
            folder,
            staging,
            installer: Installer {
                deno,
                cache: work.join("npm"),
                timeout,
            },
            turns: Semaphore::new(AT_ONCE),
            downloads: Downloads::default(),
            count: AtomicU64::new(0),
        })
    }

    /// Resolves what code names to the versions it gets from now on, and installs them.
    pub(crate) async fn resolve(
        &self,
        named: &[PackageImport],
    ) -> Result<PackageLock, PackageError> {
        let requests: Vec<&PackageRequest> = named.iter().map(|package| &package.request).collect();
        let wanted = wanted(&requests);
        let began = Instant::now();
        tracing::info!(packages = wanted, "resolving the packages of a component");
        let _turn = self.turn().await?;
        let staging = self.stage()?;
        let lock = self
            .installer
            .lock(&staging.0, &requests)
            .await
            .map_err(|error| blame(error, named))?;
        let folder = self
            .install(&lock, &staging)
            .await
            .map_err(|error| blame(error, named))?;
        let faults: Vec<CodeError> = named
            .iter()
            .filter(|package| native::is_native(&folder.join(package.request.alias())))
            .map(|package| fault(package, native::refusal(package.request.name())))
            .collect();
        if !faults.is_empty() {
            return Err(PackageError::Code(faults));
        }
        tracing::info!(
            packages = wanted,
            installed = lock.contents().len(),
            milliseconds = began.elapsed().as_millis(),
            "the packages of a component are ready"
        );
        Ok(lock)
    }

    /// The `node_modules` of a lock; installed again from the lock when this machine does not have it.
    pub(crate) async fn modules(&self, lock: &PackageLock) -> Result<PathBuf, PackageError> {
        let modules = self.modules_of(lock);
        if tokio::fs::try_exists(&modules).await? {
            return Ok(modules);
        }
        tracing::info!(
            packages = lock.contents().len(),
            "installing packages that this machine does not have yet"
        );
        let _turn = self.turn().await?;
        let staging = self.stage()?;
        self.install(lock, &staging)
            .await
            .map_err(|error| PackageError::Unavailable(error.to_string()))
    }

    async fn install(
        &self,
        lock: &PackageLock,
        staging: &Staging,
    ) -> Result<PathBuf, InstallError> {
        let modules = self.modules_of(lock);
        if tokio::fs::try_exists(&modules).await? {
            return Ok(modules);
        }
        let _alone = self.downloads.alone_with(lock.contents()).await;
        self.installer.install(&staging.0, lock).await?;
        let home = self.folder.join(lock.hash());
        match tokio::fs::rename(&staging.0, &home).await {
            Ok(()) => Ok(modules),
            // Someone else with the same lock was quicker: the same bytes.
            Err(_) if tokio::fs::try_exists(&modules).await? => Ok(modules),
            Err(error) => Err(error.into()),
        }
    }

    fn modules_of(&self, lock: &PackageLock) -> PathBuf {
        self.folder.join(lock.hash()).join("node_modules")
    }

    async fn turn(&self) -> Result<tokio::sync::SemaphorePermit<'_>, PackageError> {
        self.turns
            .acquire()
            .await
            .map_err(|error| PackageError::Unavailable(error.to_string()))
    }

    fn stage(&self) -> io::Result<Staging> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = self.staging.join(number.to_string());
        std::fs::create_dir_all(&folder)?;
        Ok(Staging(folder))
    }
}

/// A folder in which an install is prepared; what is left of it goes in the end.
struct Staging(PathBuf);

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(folder = %self.0.display(), %error, "a staging folder could not be removed");
        }
    }
}

fn wanted(requests: &[&PackageRequest]) -> String {
    let names: Vec<String> = requests
        .iter()
        .map(|request| format!("{}@{}", request.name(), request.version()))
        .collect();
    names.join(" ")
}

/// Finds the place in the code that names the package which is missing; one that only another package needs has none.
fn blame(error: InstallError, named: &[PackageImport]) -> PackageError {
    let InstallError::Missing { package, message } = error else {
        return PackageError::Unavailable(error.to_string());
    };
    let culprit = named.iter().find(|named| named.request.name() == package);
    PackageError::Code(vec![match culprit {
        Some(named) => fault(named, message),
        None => CodeError::without_position(message),
    }])
}

fn fault(package: &PackageImport, message: String) -> CodeError {
    CodeError {
        message,
        line: package.line,
        column: package.column,
    }
}
