//! The private folder of a process.

use std::path::PathBuf;

/// The folder of `dir` props, in the temporary folder.
pub(crate) const STASH: &str = "stash";

/// The private folder of a process, which is removed on drop.
pub(crate) struct InstanceFolder(pub(crate) PathBuf);

impl InstanceFolder {
    pub(crate) fn tmp(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// The value of `dir` props and `STASH_DIR`.
    pub(crate) fn stash(&self) -> PathBuf {
        self.tmp().join(STASH)
    }

    /// The folder of all its modules.
    pub(crate) fn code(&self) -> PathBuf {
        self.0.join("code")
    }

    /// The folder of one module and its packages.
    pub(crate) fn module(&self, name: &str) -> PathBuf {
        self.code().join(name)
    }
}

impl Drop for InstanceFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::debug!(folder = %self.0.display(), %error, "cannot remove instance folder");
        }
    }
}
