//! The files of one bundle. Each is read and parsed once, however many files import it. Their number and size are limited.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_model::ModuleFormat;
use tokio::{sync::OnceCell, task};

use super::{
    file_text::FileText,
    files::{FileError, Files},
    location::Location,
    source::SourceKind,
};

/// Limits of a bundle.
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
    reads: Mutex<HashMap<Location, Arc<OnceCell<Read>>>>,
    usage: Mutex<Usage>,
}

#[derive(Default)]
struct Usage {
    files: usize,
    bytes: usize,
}

impl<F: Files> Graph<F> {
    pub(crate) fn new(files: F, limits: Limits) -> Graph<F> {
        Graph {
            files,
            limits,
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
        let Some(SourceKind::Code(language)) = SourceKind::of(location) else {
            return FileText::plain(location, text).map(|file| Some(Arc::new(file)));
        };
        let parsed = self.files.parsed(location);
        let parsed =
            parsed.filter(|module| module.language() == language && *module.code() == text);
        let file = if let Some(module) = parsed {
            FileText::code(location, text, module.contents())
        } else {
            let owned = location.clone();
            let parsing = task::spawn_blocking(move || FileText::parse(&owned, text, language));
            parsing.await.map_err(|error| FileError::Unreadable {
                location: location.clone(),
                reason: error.to_string(),
            })?
        };
        file.map(|file| Some(Arc::new(file)))
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

    /// Whether a file that was read does not parse.
    pub(crate) fn is_broken(&self, location: &Location) -> bool {
        let file = self.file(location);
        file.is_some_and(|file| !file.syntax_errors.is_empty())
    }

    /// Every file that was read, in order of location.
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

    /// The formats of all files of code.
    pub(crate) fn formats(&self) -> HashSet<ModuleFormat> {
        self.locations()
            .iter()
            .filter_map(|location| self.file(location)?.format)
            .collect()
    }
}
