//! The temporary folder of a process, for files that the server gives to its component.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fd::OwnedFd;

use crate::{component_users::SystemUser, trees};

/// An open folder that a component may write to. Clones share the handle.
#[derive(Clone)]
pub struct TmpFolder {
    /// Opened before the process started, so that its component cannot put another folder in its place.
    handle: Arc<OwnedFd>,
    /// The path inside the sandbox.
    visible: PathBuf,
    /// The user of the process, if it is not the server's.
    user: Option<SystemUser>,
}

impl TmpFolder {
    /// Opens the folder at `path`, which its component sees at `visible`.
    pub(crate) fn open(
        path: &Path,
        visible: PathBuf,
        user: Option<SystemUser>,
    ) -> io::Result<TmpFolder> {
        Ok(TmpFolder {
            handle: Arc::new(trees::open_path(path)?),
            visible,
            user,
        })
    }

    /// The path of the folder inside the sandbox.
    pub fn visible(&self) -> &Path {
        &self.visible
    }

    /// Writes a file at `path` in the folder, and makes the folders above it. Nothing is written elsewhere, whatever the
    /// component does meanwhile.
    pub async fn write(&self, path: PathBuf, content: Vec<u8>) -> io::Result<()> {
        let (handle, user) = (Arc::clone(&self.handle), self.user);
        let write = move || trees::write_file(&*handle, &path, &content, user);
        tokio::task::spawn_blocking(write).await?
    }
}
