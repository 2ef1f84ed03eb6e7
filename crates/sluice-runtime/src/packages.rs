//! npm packages of components. They are resolved and locked when code is saved, so that every later start runs the same
//! bytes and needs no network.
//!
//! Each lock has one folder, which is shared by all components with the same lock: `packages/<hash>/node_modules`. Deno is
//! the package manager: it resolves versions, verifies downloads, never runs install scripts, and shares files between
//! folders through its cache.

mod archive;
mod cache;
mod downloads;
mod error;
mod install;
mod limits;
mod links;
mod lock;
mod native;
mod sizes;
mod stored;
mod sweep;
mod unpack;
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

use archive::pack;
use downloads::Downloads;
pub use error::PackageError;
use install::{InstallError, Installer, MODULES};
pub use limits::{PackageLimits, PackageSettings};
pub use lock::PackageLock;
pub(crate) use native::explain as explain_native;
use sizes::Sizes;
pub use stored::PackageArchives;
use stored::StoredPackages;

use crate::{
    fair_permits::FairPermits,
    fair_queue::{PermitLimits, PermitUse, PermitUser},
    sandbox::Sandbox,
    trees::Remover,
};

/// The number of concurrent installs. They wait for the network rather than for a core.
const MAX_INSTALLS: usize = 4;

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
    stored: StoredPackages,
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
            stored: StoredPackages::default(),
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
            .inspect_err(InstallError::warn)
            .map_err(|error| with_position(error, imports))?;
        let folder = self
            .install(&lock, &staging)
            .await
            .inspect_err(InstallError::warn)
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

    /// From now on these archives are used when the registry cannot be reached. Only the first call counts.
    pub(crate) fn use_archives(&self, archives: Arc<dyn PackageArchives>) {
        self.stored.set(archives);
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
        let installed = self.install_lock(lock).await;
        installed
            .inspect_err(InstallError::warn)
            .map_err(PackageError::from)
    }

    /// Installs a lock that nothing waits for yet. Installs for users come first.
    pub(crate) async fn install_ahead(&self, lock: &PackageLock) -> Result<(), PackageError> {
        let _permit = self.installs.acquire_spare().await;
        self.install_lock(lock).await?;
        Ok(())
    }

    /// Whether the packages of the lock with this hash are installed.
    pub(crate) async fn is_installed(&self, hash: &str) -> io::Result<bool> {
        tokio::fs::try_exists(self.folder.join(hash).join(MODULES)).await
    }

    /// Installs a lock from the registry, or else from its stored archive.
    async fn install_lock(&self, lock: &PackageLock) -> Result<PathBuf, InstallError> {
        let scratch = self.stage()?;
        let is_reachable = self.installer.note_registry(&scratch.folder, lock).await?;
        if !is_reachable && let Some(modules) = self.install_stored(lock).await? {
            return Ok(modules);
        }
        let staging = self.stage()?;
        match self.install(lock, &staging).await {
            Err(error) if is_reachable && !error.is_of_limits() => {
                self.install_stored(lock).await?.ok_or(error)
            }
            installed => installed,
        }
    }

    /// The `node_modules` of a lock, from its stored archive; `None` if there is none that can be used.
    async fn install_stored(&self, lock: &PackageLock) -> io::Result<Option<PathBuf>> {
        let staging = self.stage()?;
        let (hash, limits) = (lock.hash(), self.installer.limits);
        if !self.stored.unpack(&hash, &staging.folder, limits).await {
            return Ok(None);
        }
        self.move_into_place(lock, &staging).await.map(Some)
    }

    /// An archive of the installed packages of the lock with this hash, or `None` if it is larger than `max_bytes`.
    pub(crate) async fn archive(
        &self,
        hash: &str,
        max_bytes: usize,
    ) -> io::Result<Option<Vec<u8>>> {
        let folder = self.folder.join(hash);
        tokio::task::spawn_blocking(move || pack(&folder, max_bytes)).await?
    }

    async fn install(
        &self,
        lock: &PackageLock,
        staging: &Staging,
    ) -> Result<PathBuf, InstallError> {
        if let Some(modules) = self.installed(lock).await? {
            return Ok(modules);
        }
        let _alone = self.downloads.alone_with(lock.names()).await;
        // Another install of the same lock may have ended meanwhile.
        if let Some(modules) = self.installed(lock).await? {
            return Ok(modules);
        }
        self.installer.install(&staging.folder, lock).await?;
        Ok(self.move_into_place(lock, staging).await?)
    }

    /// The `node_modules` of a lock that is installed. Its folder counts as new again.
    async fn installed(&self, lock: &PackageLock) -> io::Result<Option<PathBuf>> {
        let modules = self.modules_of(lock);
        if !tokio::fs::try_exists(&modules).await? {
            return Ok(None);
        }
        self.touch(self.folder.join(lock.hash())).await?;
        Ok(Some(modules))
    }

    /// Makes a complete folder the one of its lock, in one step. Returns its `node_modules`.
    async fn move_into_place(&self, lock: &PackageLock, staging: &Staging) -> io::Result<PathBuf> {
        let modules = self.modules_of(lock);
        let home = self.folder.join(lock.hash());
        match tokio::fs::rename(&staging.folder, &home).await {
            Ok(()) => Ok(modules),
            // Another install of the same lock was faster. Its bytes are the same.
            Err(_) if tokio::fs::try_exists(&modules).await? => Ok(modules),
            Err(error) => Err(error),
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
        self.folder.join(lock.hash()).join(MODULES)
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
