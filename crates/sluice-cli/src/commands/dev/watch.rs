//! A file watcher with debouncing.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};
use tokio::sync::mpsc;

/// Editors write a file in several steps. It is complete this long after the last one.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// Watches the folders of files, because many editors replace a file instead of writing to it.
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    changes: mpsc::UnboundedReceiver<PathBuf>,
    files: HashSet<PathBuf>,
    folders: HashSet<PathBuf>,
    /// Whether there is a change that `changed` has not returned yet.
    is_changed: bool,
}

impl Watch {
    pub(super) fn new() -> anyhow::Result<Watch> {
        let (sender, changes) = mpsc::unbounded_channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            for path in event
                .into_iter()
                .filter(is_change)
                .flat_map(|event| event.paths)
            {
                // The receiver is gone when the command ends.
                let _ = sender.send(path);
            }
        });
        Ok(Watch {
            watcher: watcher.context("cannot watch files on this machine")?,
            changes,
            files: HashSet::new(),
            folders: HashSet::new(),
            is_changed: false,
        })
    }

    /// Watches exactly these files from now on. Returns the new ones.
    pub(super) fn follow(&mut self, files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let new: Vec<PathBuf> = files
            .iter()
            .filter(|file| !self.files.contains(*file))
            .cloned()
            .collect();
        self.files = files.iter().cloned().collect();
        let folders: HashSet<PathBuf> = files.iter().filter_map(|file| folder_of(file)).collect();
        for folder in self.folders.difference(&folders) {
            // The folder may be deleted already.
            let _ = self.watcher.unwatch(folder);
        }
        // Watched folders too: one may have been replaced by a new folder.
        for folder in &folders {
            self.watcher
                .watch(folder, RecursiveMode::NonRecursive)
                .with_context(|| format!("cannot watch {}", folder.display()))?;
        }
        self.folders = folders;
        Ok(new)
    }

    /// Waits until one of the files is saved, removed or created. Cancel-safe.
    pub(super) async fn changed(&mut self) {
        while !self.is_changed {
            match self.changes.recv().await {
                Some(path) => self.is_changed = self.files.contains(&path),
                None => std::future::pending().await,
            }
        }
        self.debounce().await;
    }

    /// Waits until no file is being saved.
    pub(super) async fn debounce(&mut self) {
        while let Ok(Some(_)) = tokio::time::timeout(DEBOUNCE, self.changes.recv()).await {}
        self.is_changed = false;
    }
}

fn folder_of(file: &Path) -> Option<PathBuf> {
    file.parent().map(Path::to_owned)
}

/// Reads are no changes. This program reads the files itself.
fn is_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}
