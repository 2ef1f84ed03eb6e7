//! Packages that another server has installed and stored. They replace the registry while it cannot be reached.

use std::{
    io,
    path::Path,
    sync::{Arc, OnceLock},
};

use super::{install::MODULES, limits::PackageLimits, unpack::unpack};
use crate::box_future::BoxFuture;

/// Stored archives of installed packages.
pub trait PackageArchives: Send + Sync {
    /// The archive of the packages of the lock with this hash, as it was stored; `None` if there is none.
    fn fetch<'a>(&'a self, hash: &'a str) -> BoxFuture<'a, Option<Vec<u8>>>;
}

/// The archives that this server can use: none, until they are set.
#[derive(Default)]
pub(super) struct StoredPackages(OnceLock<Arc<dyn PackageArchives>>);

impl StoredPackages {
    /// Only the first call counts.
    pub(super) fn set(&self, archives: Arc<dyn PackageArchives>) {
        let _ = self.0.set(archives);
    }

    /// Unpacks the archive of a lock into an empty folder. Returns false if there is none that can be used.
    pub(super) async fn unpack(&self, hash: &str, folder: &Path, limits: PackageLimits) -> bool {
        let Some(archives) = self.0.get() else {
            return false;
        };
        let Some(archive) = archives.fetch(hash).await else {
            return false;
        };
        let unpacked = unpack_all(archive, folder, limits).await;
        match &unpacked {
            Ok(()) => tracing::info!(lock = hash, "registry failed; stored packages unpacked"),
            Err(error) => tracing::warn!(lock = hash, %error, "cannot use stored packages"),
        }
        unpacked.is_ok()
    }
}

async fn unpack_all(archive: Vec<u8>, folder: &Path, limits: PackageLimits) -> io::Result<()> {
    let into = folder.to_owned();
    let unpacking = move || unpack(&archive, &into, limits).map_err(io::Error::other);
    tokio::task::spawn_blocking(unpacking).await??;
    if tokio::fs::try_exists(folder.join(MODULES)).await? {
        Ok(())
    } else {
        Err(io::Error::other("the archive has no packages"))
    }
}
