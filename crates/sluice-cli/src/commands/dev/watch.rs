//! Noticing that files were saved.

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

/// Editors write in several steps: this long after the last one, the file is whole.
const QUIET: Duration = Duration::from_millis(50);

/// Watches files through their folders, because many editors replace a file instead of writing to it.
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    changes: mpsc::UnboundedReceiver<PathBuf>,
    files: HashSet<PathBuf>,
    folders: HashSet<PathBuf>,
    /// Whether something was changed that nobody was told of.
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
                // Nobody listens any more when the command ends.
                let _ = sender.send(path);
            }
        });
        Ok(Watch {
            watcher: watcher.context("files cannot be watched on this machine")?,
            changes,
            files: HashSet::new(),
            folders: HashSet::new(),
            is_changed: false,
        })
    }

    /// Watches exactly these files from now on; gives those that are new.
    pub(super) fn follow(&mut self, files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let new: Vec<PathBuf> = files
            .iter()
            .filter(|file| !self.files.contains(*file))
            .cloned()
            .collect();
        self.files = files.iter().cloned().collect();
        let folders: HashSet<PathBuf> = files.iter().filter_map(|file| folder_of(file)).collect();
        for folder in self.folders.difference(&folders) {
            // It may be gone already.
            let _ = self.watcher.unwatch(folder);
        }
        // Again for those that are known: a folder that was replaced is another one.
        for folder in &folders {
            self.watcher
                .watch(folder, RecursiveMode::NonRecursive)
                .with_context(|| format!("{} cannot be watched", folder.display()))?;
        }
        self.folders = folders;
        Ok(new)
    }

    /// Returns when one of the files was saved, removed or made anew. Nothing is lost when this is dropped before.
    pub(super) async fn changed(&mut self) {
        while !self.is_changed {
            match self.changes.recv().await {
                Some(path) => self.is_changed = self.files.contains(&path),
                None => std::future::pending().await,
            }
        }
        self.quiet().await;
    }

    /// Returns when nothing is being saved.
    pub(super) async fn quiet(&mut self) {
        while let Ok(Some(_)) = tokio::time::timeout(QUIET, self.changes.recv()).await {}
        self.is_changed = false;
    }
}

fn folder_of(file: &Path) -> Option<PathBuf> {
    file.parent().map(Path::to_owned)
}

/// Reading a file is none, and we do so ourselves.
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
