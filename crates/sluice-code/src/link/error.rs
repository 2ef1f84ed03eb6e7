//! Errors in the files of a component, for its author. Each names its file.

use sluice_model::CodeError;

use super::{files::FileError, resolve::ResolveError};
use crate::{location::Location, module::ParsedModule, position::error_at};

/// The errors of all files. They are collected, so that an author sees them all at once.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<CodeError>,
    /// The limit that was exceeded. It hides the others, which follow from it.
    over_limit: Option<FileError>,
}

impl Errors {
    /// An error of a whole file.
    pub(crate) fn add(&mut self, file: &Location, message: String) {
        self.found.push(CodeError {
            file: Some(file.to_string()),
            ..CodeError::without_position(message)
        });
    }

    /// The errors in a file, with their positions.
    pub(crate) fn add_all(&mut self, file: &Location, errors: &[CodeError]) {
        self.found.extend(errors.iter().map(|error| CodeError {
            file: Some(file.to_string()),
            ..error.clone()
        }));
    }

    /// An import that leads nowhere.
    pub(crate) fn add_import(
        &mut self,
        importer: &Location,
        module: &ParsedModule,
        offset: usize,
        error: ResolveError,
    ) {
        if let ResolveError::File(error @ FileError::TooMuch(_)) = error {
            self.over_limit.get_or_insert(error);
            return;
        }
        self.found.push(CodeError {
            file: Some(importer.to_string()),
            ..error_at(module.code(), offset, error.to_string())
        });
    }

    pub(crate) fn append(&mut self, other: &mut Errors) {
        self.found.append(&mut other.found);
        self.over_limit = self.over_limit.take().or(other.over_limit.take());
    }

    pub(crate) fn into_result(self) -> Result<(), Vec<CodeError>> {
        if let Some(error) = self.over_limit {
            return Err(vec![CodeError::without_position(error.to_string())]);
        }
        let mut errors = self.found;
        errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        errors.dedup();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }
}
