//! Errors of a document that refer to other things: components, files, emitters, accounts.

use sluice_engine::EngineError;
use sluice_model::workflow::{DocumentFault, PathPart, Places};
use sluice_runtime::CodeFault;

/// Collects errors, so that all of them are reported at once.
pub(super) struct DocumentErrors<'a> {
    places: &'a Places,
    faults: Vec<DocumentFault>,
}

impl<'a> DocumentErrors<'a> {
    pub(super) fn new(places: &'a Places) -> DocumentErrors<'a> {
        DocumentErrors {
            places,
            faults: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: &[PathPart<'_>], message: impl Into<String>) {
        let fault = self.places.fault(path, message);
        self.faults.push(fault);
    }

    /// Adds an error at a line and a column of the text at `path`, counted from 1.
    pub(super) fn add_in_text(
        &mut self,
        path: &[PathPart<'_>],
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) {
        let mut fault = self.places.fault(path, message);
        if let Some(place) = self.places.place_in_text(path, line, column) {
            (fault.line, fault.column) = (place.line, place.column);
        }
        self.faults.push(fault);
    }

    /// Adds errors of code in the document, at its lines there.
    pub(super) fn add_code(&mut self, path: &[PathPart<'_>], faults: Vec<CodeFault>) {
        for CodeFault {
            message,
            line,
            column,
        } in faults
        {
            match line {
                Some(line) => self.add_in_text(path, (line, column.unwrap_or(1)), message),
                None => self.add(path, message),
            }
        }
    }

    /// The result, unless there are errors.
    pub(super) fn finish<T>(mut self, result: T) -> Result<T, EngineError> {
        if self.faults.is_empty() {
            return Ok(result);
        }
        self.faults.sort_by_key(|fault| (fault.line, fault.column));
        Err(EngineError::InvalidDocument(self.faults))
    }
}
