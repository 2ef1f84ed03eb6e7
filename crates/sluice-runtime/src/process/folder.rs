//! The private folder of a process.

use std::path::PathBuf;

/// In the temporary folder: what `dir` props are.
pub(crate) const STASH: &str = "stash";

/// The private folder of a process; removed when the process is gone.
pub(crate) struct InstanceFolder(pub(crate) PathBuf);

impl InstanceFolder {
    pub(crate) fn tmp(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// What `dir` props and `STASH_DIR` name.
    pub(crate) fn stash(&self) -> PathBuf {
        self.tmp().join(STASH)
    }

    /// Where all its modules are.
    pub(crate) fn code(&self) -> PathBuf {
        self.0.join("code")
    }

    /// The folder of one module, in which its packages are found.
    pub(crate) fn module(&self, name: &str) -> PathBuf {
        self.code().join(name)
    }
}

impl Drop for InstanceFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::debug!(folder = %self.0.display(), %error, "an instance folder could not be removed");
        }
    }
}
