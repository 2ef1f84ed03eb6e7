//! The files of the two pipes.

use std::{
    io,
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, FileType, Mode};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

use crate::component_users::SystemUser;

pub(crate) const TO_HARNESS: &str = "to-harness";
pub(crate) const FROM_HARNESS: &str = "from-harness";

/// Pipes that the harness has yet to open. Dropping it removes their files.
pub(super) struct OpenPipes {
    files: [PathBuf; 2],
    /// The other ends. Without them the harness could not open its own, and reading would find the end of the pipe.
    _others: (Receiver, Sender),
}

impl OpenPipes {
    /// `user` is the one of the harness, if it is not the server's.
    pub(super) fn create(
        folder: &Path,
        user: Option<SystemUser>,
    ) -> io::Result<(OpenPipes, Sender, Receiver)> {
        let files = [TO_HARNESS, FROM_HARNESS].map(|name| folder.join(name));
        for file in &files {
            let mode = Mode::RUSR | Mode::WUSR;
            rustix::fs::mknodat(CWD, file, FileType::Fifo, mode, 0)?;
            if let Some(user) = user {
                user.own(file)?;
            }
        }
        let [to_harness, from_harness] = &files;
        // A pipe can be opened for writing once it has a reader.
        let options = OpenOptions::new();
        let other_receiver = options.open_receiver(to_harness)?;
        let sender = options.open_sender(to_harness)?;
        let receiver = options.open_receiver(from_harness)?;
        let other_sender = options.open_sender(from_harness)?;
        let pipes = OpenPipes {
            files,
            _others: (other_receiver, other_sender),
        };
        Ok((pipes, sender, receiver))
    }
}

impl Drop for OpenPipes {
    fn drop(&mut self) {
        for file in &self.files {
            if let Err(error) = std::fs::remove_file(file) {
                tracing::warn!(%error, file = %file.display(), "cannot remove pipe");
            }
        }
    }
}
