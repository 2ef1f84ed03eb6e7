//! The files of one component. Each is read and parsed once, however many files import it. Their number and size are limited.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::{sync::OnceCell, task};

use super::files::{FileError, Files};
use crate::{file_text::FileText, location::Location};

/// Limits of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub files: usize,
    /// The total size of all files.
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

type Read = Result<Option<Arc<FileText>>, FileError>;

pub(crate) struct Graph<F> {
    pub(crate) files: F,
    limits: Limits,
    /// Whether manifests of apps give the versions of packages.
    pub(crate) manifests: bool,
    reads: Mutex<HashMap<Location, Arc<OnceCell<Read>>>>,
    usage: Mutex<Usage>,
}

#[derive(Default)]
struct Usage {
    files: usize,
    bytes: usize,
}

impl<F: Files> Graph<F> {
    pub(crate) fn new(files: F, limits: Limits, manifests: bool) -> Graph<F> {
        Graph {
            files,
            limits,
            manifests,
            reads: Mutex::default(),
            usage: Mutex::default(),
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
        self.count(text.len())?;
        let text: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text));
        if let Some(module) = self.files.parsed(location)
            && *module.code() == text
        {
            return Ok(Some(Arc::new(FileText::of_module(location, module))));
        }
        let owned = location.clone();
        let parsing = task::spawn_blocking(move || FileText::parse(&owned, text));
        let file = parsing.await.map_err(|error| FileError::Unreadable {
            location: location.clone(),
            reason: error.to_string(),
        })?;
        if let FileText::Module(module, _) = &file {
            self.files.keep(location, module);
        }
        Ok(Some(Arc::new(file)))
    }

    fn count(&self, bytes: usize) -> Result<(), FileError> {
        let mut usage = self.usage.lock();
        usage.files += 1;
        usage.bytes += bytes;
        let Limits {
            files: most_files,
            bytes: most_bytes,
        } = self.limits;
        if usage.files > most_files {
            return Err(FileError::TooMuch(format!("more than {most_files} files")));
        }
        if usage.bytes > most_bytes {
            return Err(FileError::TooMuch(format!("more than {most_bytes} bytes")));
        }
        Ok(())
    }

    /// A file that was read.
    pub(crate) fn file(&self, location: &Location) -> Option<Arc<FileText>> {
        let cell = Arc::clone(self.reads.lock().get(location)?);
        cell.get()?.clone().ok().flatten()
    }
}
