//! Archives of installed packages in the database.

use std::io;

use sluice_runtime::{BoxFuture, PackageArchives};
use sluice_store::{
    Store, StoreError,
    package_archives::{self, ArchiveHeader},
};

/// The largest archive that is stored. Larger packages come from the registry only.
pub(super) const MAX_ARCHIVE: usize = 32 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
enum ArchiveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Task(#[from] io::Error),
    #[error("its size or its checksum is wrong")]
    Damaged,
}

/// The archives that nodes have stored.
pub(crate) struct StoredArchives {
    store: Store,
}

impl StoredArchives {
    pub(crate) fn new(store: Store) -> StoredArchives {
        StoredArchives { store }
    }

    /// The archive of a lock. `None` if it is not stored, or was removed meanwhile.
    async fn read(&self, hash: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        let lock = hash.to_owned();
        let header = self.store.read(move |c| package_archives::header(c, &lock));
        let Some(header) = header.await? else {
            return Ok(None);
        };
        if header.bytes > MAX_ARCHIVE as u64 {
            return Err(ArchiveError::Damaged);
        }
        let mut archive = Vec::new();
        for position in 0..header.chunks() {
            let lock = hash.to_owned();
            let chunk =
                move |c: &mut dyn sluice_store::Conn| package_archives::chunk(c, &lock, position);
            let Some(chunk) = self.store.read(chunk).await? else {
                return Ok(None);
            };
            archive.extend(chunk);
        }
        checked(header, archive).await.map(Some)
    }
}

async fn checked(header: ArchiveHeader, archive: Vec<u8>) -> Result<Vec<u8>, ArchiveError> {
    let check = move || header.matches(&archive).then_some(archive);
    let checked = tokio::task::spawn_blocking(check).await;
    checked
        .map_err(io::Error::from)?
        .ok_or(ArchiveError::Damaged)
}

impl PackageArchives for StoredArchives {
    fn fetch<'a>(&'a self, hash: &'a str) -> BoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let read = self.read(hash).await;
            read.unwrap_or_else(|error| {
                tracing::warn!(lock = hash, %error, "cannot read stored packages");
                None
            })
        })
    }
}
