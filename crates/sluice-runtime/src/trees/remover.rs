//! Removes folders on a thread of its own.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
};

use rustix::{
    fs::{CWD, RenameFlags},
    io::Errno,
};

use super::remove::remove_tree;

/// Removes folders in the background. One that cannot be removed is moved aside, and the next start tries it again.
#[derive(Clone)]
pub(crate) struct Remover {
    queue: mpsc::Sender<PathBuf>,
    aside: Arc<Path>,
}

impl Remover {
    /// Starts with what is left in `aside`.
    pub(crate) fn start(aside: PathBuf) -> io::Result<Remover> {
        fs::create_dir_all(&aside)?;
        let (queue, folders) = mpsc::channel::<PathBuf>();
        for entry in fs::read_dir(&aside)? {
            let _ = queue.send(entry?.path());
        }
        let aside: Arc<Path> = aside.into();
        let worker = Worker {
            aside: Arc::clone(&aside),
        };
        std::thread::Builder::new()
            .name("folder-remover".to_owned())
            .spawn(move || folders.iter().for_each(|folder| worker.remove(&folder)))?;
        Ok(Remover { queue, aside })
    }

    /// Removes a folder that nothing uses any more.
    pub(crate) fn remove(&self, folder: PathBuf) {
        let _ = self.queue.send(folder);
    }

    /// Makes an empty folder at `path`. What was there is moved aside and removed.
    pub(crate) fn renew(&self, path: &Path) -> io::Result<()> {
        if path.exists() {
            self.remove(move_aside(path, &self.aside)?);
        }
        fs::create_dir_all(path)
    }
}

struct Worker {
    aside: Arc<Path>,
}

impl Worker {
    fn remove(&self, folder: &Path) {
        let Err(error) = remove_tree(folder) else {
            return;
        };
        if error.kind() == io::ErrorKind::NotFound {
            return;
        }
        let is_aside = folder.starts_with(&*self.aside);
        let left = if is_aside {
            None
        } else {
            move_aside(folder, &self.aside).ok()
        };
        let left = left.as_deref().unwrap_or(folder);
        tracing::warn!(folder = %left.display(), %error, "cannot remove a folder of a component; trying again at the next start");
    }
}

/// Moves a folder to a free name in `aside`. Returns its new path.
fn move_aside(folder: &Path, aside: &Path) -> io::Result<PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 0;
    loop {
        let free = aside.join(format!("{name}-{number}"));
        match rustix::fs::renameat_with(CWD, folder, CWD, &free, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => number += 1,
            moved => return moved.map(|()| free).map_err(io::Error::from),
        }
    }
}
