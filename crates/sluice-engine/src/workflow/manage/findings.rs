//! What is found wrong with a document once it is compared with what there is.

use sluice_code::CodeError;
use sluice_model::workflow::{DocumentFault, PathPart, Places};

use crate::error::EngineError;

/// Gathers faults, so that all of them can be told at once.
pub(super) struct Findings<'a> {
    places: &'a Places,
    faults: Vec<DocumentFault>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(places: &'a Places) -> Findings<'a> {
        Findings {
            places,
            faults: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: &[PathPart<'_>], message: impl Into<String>) {
        let fault = self.places.fault(path, message);
        self.faults.push(fault);
    }

    /// A fault at a line and a column of the text at `path`, counted from 1.
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

    /// Faults of code that stands in the document, at its lines there.
    pub(super) fn add_code(&mut self, path: &[PathPart<'_>], faults: Vec<CodeError>) {
        for CodeError {
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

    /// The result, unless something was wrong.
    pub(super) fn conclude<T>(mut self, result: T) -> Result<T, EngineError> {
        if self.faults.is_empty() {
            return Ok(result);
        }
        self.faults.sort_by_key(|fault| (fault.line, fault.column));
        Err(EngineError::InvalidDocument(self.faults))
    }
}
