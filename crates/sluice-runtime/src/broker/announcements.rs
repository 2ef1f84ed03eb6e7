//! The pipe on which a launcher announces its listener to the server.

use std::{io, os::fd::RawFd, path::PathBuf};

use rustix::fs::{CWD, FileType, Mode};
use tokio::{
    io::AsyncReadExt,
    net::unix::pipe::{OpenOptions, Receiver},
};

/// A named pipe, because a process inherits no descriptors but the standard ones.
pub(crate) struct Announcements {
    path: PathBuf,
    pipe: Receiver,
}

impl Announcements {
    pub(crate) fn create(path: PathBuf) -> io::Result<Announcements> {
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        // Also for writing, because without a writer it would be at its end.
        let pipe = OpenOptions::new().read_write(true).open_receiver(&path)?;
        Ok(Announcements { path, pipe })
    }

    /// Waits for the number of the listener in its process. The component does not see the pipe.
    pub(super) async fn listener(mut self) -> io::Result<RawFd> {
        let mut number = [0; 4];
        self.pipe.read_exact(&mut number).await?;
        std::fs::remove_file(&self.path)?;
        Ok(RawFd::from_ne_bytes(number))
    }
}
