//! npm packages of components. They are resolved and locked when code is saved, so that every later start runs the same
//! bytes and needs no network.
//!
//! Each lock has one folder, which is shared by all components with the same lock: `packages/<hash>/node_modules`. Deno is
//! the package manager: it resolves versions, verifies downloads, never runs install scripts, and shares files between
//! folders through its cache.

mod cache;
mod downloads;
mod install;
mod limits;
mod lock;
mod native;
mod sizes;
mod sweep;
mod watch;

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use sluice_code::{PackageImport, PackageRequest};
use sluice_model::{Clock, CodeError};

use downloads::Downloads;
use install::{InstallError, Installer};
pub use limits::{PackageLimits, PackageSettings};
pub use lock::PackageLock;
pub(crate) use native::explain as explain_native;
use sizes::Sizes;

use crate::{
    fair_permits::FairPermits,
    fair_queue::{PermitLimits, PermitUse, PermitUser},
    sandbox::Sandbox,
    trees::Remover,
};

/// The number of concurrent installs. They wait for the network rather than for a core.
const MAX_INSTALLS: usize = 4;

#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The code imports packages that do not exist or cannot run here.
    #[error("the code names packages that cannot be used")]
    Code(Vec<CodeError>),
    /// The network or the registry failed.
    #[error("packages could not be fetched: {0}")]
    Unavailable(String),
}

impl From<io::Error> for PackageError {
    fn from(error: io::Error) -> PackageError {
        PackageError::Unavailable(error.to_string())
    }
}

impl From<InstallError> for PackageError {
    fn from(error: InstallError) -> PackageError {
        let message = error.to_string();
        match error {
            InstallError::TooLarge { .. } => {
                PackageError::Code(vec![CodeError::without_position(message)])
            }
            InstallError::Missing { .. } | InstallError::Failed(_) | InstallError::Io(_) => {
                PackageError::Unavailable(message)
            }
        }
    }
}

pub(crate) struct Packages {
    /// One folder for each lock, named by its hash.
    folder: PathBuf,
    /// The folder in which locks are resolved and installs are prepared. It is emptied at start.
    staging: PathBuf,
    remover: Remover,
    installer: Installer,
    /// Permits for installs.
    installs: FairPermits,
    downloads: Downloads,
    sizes: Arc<Sizes>,
    clock: Arc<dyn Clock>,
    count: AtomicU64,
}

impl Packages {
    /// Components may read `folder`; `work` is private to the server.
    pub(crate) fn new(
        folder: PathBuf,
        work: &Path,
        remover: Remover,
        sandbox: Arc<Sandbox>,
        settings: PackageSettings,
        clock: Arc<dyn Clock>,
    ) -> io::Result<Packages> {
        let staging = work.join("staging");
        remover.renew(&staging)?;
        std::fs::create_dir_all(&folder)?;
        let cache = work.join("npm");
        std::fs::create_dir_all(&cache)?;
        Ok(Packages {
            folder,
            staging,
            remover,
            installer: Installer {
                sandbox,
                work: work.to_owned(),
                cache,
                timeout: settings.timeout,
                limits: settings.limits,
                registries: Arc::default(),
            },
            installs: FairPermits::new(PermitLimits {
                total: MAX_INSTALLS,
                per_user: settings.installs_per_user,
            }),
            downloads: Downloads::default(),
            sizes: Arc::default(),
            clock,
            count: AtomicU64::new(0),
        })
    }

    /// Resolves imports to the versions that the code gets from now on, and installs them.
    pub(crate) async fn resolve(
        &self,
        imports: &[PackageImport],
        user: &PermitUser,
    ) -> Result<PackageLock, PackageError> {
        let requests: Vec<&PackageRequest> =
            imports.iter().map(|package| &package.request).collect();
        let wanted = wanted(&requests);
        let start = Instant::now();
        tracing::info!(packages = wanted, "resolving packages");
        let _permit = self.installs.acquire(user).await;
        let staging = self.stage()?;
        let lock = self
            .installer
            .lock(&staging.folder, &requests)
            .await
            .map_err(|error| with_position(error, imports))?;
        let folder = self
            .install(&lock, &staging)
            .await
            .map_err(|error| with_position(error, imports))?;
        let errors: Vec<CodeError> = imports
            .iter()
            .filter(|package| native::is_native(&folder.join(package.request.alias())))
            .map(|package| error_at(package, native::error_message(package.request.name())))
            .collect();
        if !errors.is_empty() {
            return Err(PackageError::Code(errors));
        }
        tracing::info!(
            packages = wanted,
            installed = lock.contents().len(),
            milliseconds = start.elapsed().as_millis(),
            "packages installed"
        );
        Ok(lock)
    }

    /// The `node_modules` of a lock, which is installed if this machine does not have it.
    pub(crate) async fn modules(
        &self,
        lock: &PackageLock,
        user: &PermitUser,
    ) -> Result<PathBuf, PackageError> {
        let modules = self.modules_of(lock);
        if tokio::fs::try_exists(&modules).await? {
            return Ok(modules);
        }
        tracing::info!(
            packages = lock.contents().len(),
            "installing locked packages"
        );
        let _permit = self.installs.acquire(user).await;
        let scratch = self.stage()?;
        self.installer.note_registry(&scratch.folder, lock).await?;
        let staging = self.stage()?;
        self.install(lock, &staging)
            .await
            .map_err(PackageError::from)
    }

    async fn install(
        &self,
        lock: &PackageLock,
        staging: &Staging,
    ) -> Result<PathBuf, InstallError> {
        let modules = self.modules_of(lock);
        let home = self.folder.join(lock.hash());
        if tokio::fs::try_exists(&modules).await? {
            self.touch(home).await?;
            return Ok(modules);
        }
        let _alone = self.downloads.alone_with(lock.names()).await;
        self.installer.install(&staging.folder, lock).await?;
        match tokio::fs::rename(&staging.folder, &home).await {
            Ok(()) => Ok(modules),
            // Another install of the same lock was faster. Its bytes are the same.
            Err(_) if tokio::fs::try_exists(&modules).await? => Ok(modules),
            Err(error) => Err(error.into()),
        }
    }

    async fn touch(&self, home: PathBuf) -> io::Result<()> {
        let now = self.now();
        tokio::task::spawn_blocking(move || sweep::touch(&home, now)).await?
    }

    pub(crate) async fn has_old_folders(&self) -> io::Result<bool> {
        let (folder, now) = (self.folder.clone(), self.now());
        tokio::task::spawn_blocking(move || sweep::has_old_folders(&folder, now)).await?
    }

    /// Removes folders whose lock has none of these hashes, except new ones. Returns the number of removed folders.
    pub(crate) async fn remove_unused(&self, in_use: HashSet<String>) -> io::Result<usize> {
        let (folder, staging) = (self.folder.clone(), self.staging.clone());
        let remover = self.remover.clone();
        let now = self.now();
        let remove = move || sweep::remove_unused(&folder, &staging, &remover, &in_use, now);
        tokio::task::spawn_blocking(remove).await?
    }

    /// The disk space of the folders of locks with these hashes.
    pub(crate) async fn bytes(&self, hashes: HashSet<String>) -> u64 {
        let (folder, sizes) = (self.folder.clone(), Arc::clone(&self.sizes));
        let measure = move || hashes.iter().map(|hash| sizes.of(&folder, hash)).sum();
        tokio::task::spawn_blocking(measure).await.unwrap_or(0)
    }

    fn now(&self) -> SystemTime {
        let since_epoch = Duration::from_millis(self.clock.now_ms().unsigned_abs());
        SystemTime::UNIX_EPOCH + since_epoch
    }

    fn modules_of(&self, lock: &PackageLock) -> PathBuf {
        self.folder.join(lock.hash()).join("node_modules")
    }

    pub(crate) fn permits_in_use(&self) -> PermitUse {
        self.installs.in_use()
    }

    fn stage(&self) -> io::Result<Staging> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = self.staging.join(number.to_string());
        std::fs::create_dir_all(&folder)?;
        Ok(Staging {
            folder,
            remover: self.remover.clone(),
        })
    }
}

/// A folder in which an install is prepared. It is removed in the background when this is dropped.
struct Staging {
    folder: PathBuf,
    remover: Remover,
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.remover.remove(std::mem::take(&mut self.folder));
    }
}

fn wanted(requests: &[&PackageRequest]) -> String {
    let names: Vec<String> = requests
        .iter()
        .map(|request| format!("{}@{}", request.name(), request.version()))
        .collect();
    names.join(" ")
}

/// Adds the position of the import of a missing package. A package that only another package requires has none.
fn with_position(error: InstallError, imports: &[PackageImport]) -> PackageError {
    let InstallError::Missing { package, message } = error else {
        return error.into();
    };
    let import = imports
        .iter()
        .find(|import| import.request.name() == package);
    PackageError::Code(vec![match import {
        Some(import) => error_at(import, message),
        None => CodeError::without_position(message),
    }])
}

fn error_at(package: &PackageImport, message: String) -> CodeError {
    CodeError {
        file: package.file.clone(),
        line: package.line,
        column: package.column,
        ..CodeError::without_position(message)
    }
}
