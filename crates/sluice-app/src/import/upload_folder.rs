//! The folder of an unpacked archive. It is removed when the import is over.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

pub(super) struct UploadFolder(TempDir);

impl UploadFolder {
    pub(super) fn create(parent: &Path) -> io::Result<UploadFolder> {
        fs::create_dir_all(parent)?;
        Ok(UploadFolder(TempDir::new_in(parent)?))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for UploadFolder {
    fn drop(&mut self) {
        // A large tree takes a while to remove.
        let path: PathBuf = self.0.path().to_owned();
        self.0.disable_cleanup(true);
        let removing = move || {
            if let Err(error) = fs::remove_dir_all(&path) {
                tracing::warn!(path = %path.display(), %error, "cannot remove the files of an import");
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(removing)),
            Err(_) => removing(),
        }
    }
}

/// Removes the folders of imports that a crash interrupted.
pub(super) fn remove_left_over(parent: &Path) {
    match fs::remove_dir_all(parent) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %parent.display(), %error, "cannot remove the files of old imports");
        }
        Ok(()) | Err(_) => {}
    }
}
