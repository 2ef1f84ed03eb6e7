//! The files of one bundle: each read once, however many import it, and bounded in number and size.

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_model::ModuleFormat;
use tokio::sync::OnceCell;

use crate::{
    FileError, Files, Location,
    nesting::is_shallow,
    source::{self, SourceKind},
};

/// How much a bundle may be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub files: usize,
    /// Of all files together.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            files: 1_000,
            bytes: 10 << 20,
        }
    }
}

type Read = Result<Option<Arc<str>>, FileError>;

pub(crate) struct Graph<F> {
    pub(crate) files: F,
    limits: Limits,
    reads: Mutex<HashMap<Location, Arc<OnceCell<Read>>>>,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    files: usize,
    bytes: usize,
}

impl<F: Files> Graph<F> {
    pub(crate) fn new(files: F, limits: Limits) -> Graph<F> {
        Graph {
            files,
            limits,
            reads: Mutex::default(),
            taken: Mutex::default(),
        }
    }

    pub(crate) async fn read(&self, location: &Location) -> Read {
        let cell = Arc::clone(self.reads.lock().entry(location.clone()).or_default());
        cell.get_or_init(|| self.read_new(location)).await.clone()
    }

    async fn read_new(&self, location: &Location) -> Read {
        let Some(text) = self.files.read(location).await? else {
            return Ok(None);
        };
        self.take(text.len())?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if let Some(kind) = SourceKind::of(location) {
            let unreadable = |error: io::Error| FileError::Unreadable {
                location: location.clone(),
                reason: error.to_string(),
            };
            if !is_shallow(kind, text).await.map_err(unreadable)? {
                return Err(FileError::TooDeep(location.clone()));
            }
        }
        Ok(Some(Arc::from(text)))
    }

    fn take(&self, bytes: usize) -> Result<(), FileError> {
        let mut taken = self.taken.lock();
        taken.files += 1;
        taken.bytes += bytes;
        let Limits {
            files: most_files,
            bytes: most_bytes,
        } = self.limits;
        if taken.files > most_files {
            return Err(FileError::TooMuch(format!("more than {most_files} files")));
        }
        if taken.bytes > most_bytes {
            return Err(FileError::TooMuch(format!("more than {most_bytes} bytes")));
        }
        Ok(())
    }

    /// The text of a file that was read.
    pub(crate) fn text(&self, location: &Location) -> Option<Arc<str>> {
        let cell = Arc::clone(self.reads.lock().get(location)?);
        cell.get()?.clone().ok().flatten()
    }

    /// Every file that was read, in order of name.
    pub(crate) fn locations(&self) -> Vec<Location> {
        let mut locations: Vec<Location> = self
            .reads
            .lock()
            .iter()
            .filter(|(_, read)| matches!(read.get(), Some(Ok(Some(_)))))
            .map(|(location, _)| location.clone())
            .collect();
        locations.sort();
        locations
    }

    /// The formats of the files of code.
    pub(crate) fn formats(&self) -> HashSet<ModuleFormat> {
        self.locations()
            .iter()
            .filter_map(|location| {
                let kind = SourceKind::of(location).filter(|kind| *kind != SourceKind::Json)?;
                Some(source::module_format(location, kind, &self.text(location)?))
            })
            .collect()
    }
}
