//! The private folder of a process.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{component_users::SystemUser, trees::Remover};

/// The folder of `dir` props, in the temporary folder.
pub(crate) const STASH: &str = "stash";

/// The private folder of a process, which is removed in the background when this is dropped.
pub(crate) struct InstanceFolder {
    path: PathBuf,
    remover: Remover,
    /// The user of the process, if it is not the server's.
    user: Option<SystemUser>,
}

impl InstanceFolder {
    /// Makes the folder.
    pub(crate) fn create(
        path: PathBuf,
        remover: Remover,
        user: Option<SystemUser>,
    ) -> io::Result<InstanceFolder> {
        let folder = InstanceFolder {
            path,
            remover,
            user,
        };
        std::fs::create_dir_all(folder.code())?;
        std::fs::create_dir_all(folder.stash())?;
        if let Some(user) = user {
            user.admit(&folder.path)?;
            user.own(&folder.tmp())?;
            user.own(&folder.stash())?;
        }
        Ok(folder)
    }

    pub(crate) fn user(&self) -> Option<SystemUser> {
        self.user
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// The value of `dir` props and `STASH_DIR`.
    pub(crate) fn stash(&self) -> PathBuf {
        self.tmp().join(STASH)
    }

    /// The folder of all its modules.
    pub(crate) fn code(&self) -> PathBuf {
        self.path.join("code")
    }

    /// The folder of one module and its packages.
    pub(crate) fn module(&self, name: &str) -> PathBuf {
        self.code().join(name)
    }
}

impl Drop for InstanceFolder {
    fn drop(&mut self) {
        self.remover.remove(std::mem::take(&mut self.path));
    }
}
