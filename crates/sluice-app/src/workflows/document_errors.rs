//! Errors of a document that refer to other things: components, files, emitters, accounts.

use sluice_engine::EngineError;
use sluice_model::{
    CodeError, PropError, PropErrorCode,
    workflow::{DocumentError, PathPart, Positions, StepPropError},
};

/// Collects errors, so that all of them are reported at once.
pub(super) struct DocumentErrors<'a> {
    positions: &'a Positions,
    errors: Vec<DocumentError>,
}

impl<'a> DocumentErrors<'a> {
    pub(super) fn new(positions: &'a Positions) -> DocumentErrors<'a> {
        DocumentErrors {
            positions,
            errors: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: &[PathPart<'_>], message: impl Into<String>) {
        let error = self.positions.error(path, message);
        self.errors.push(error);
    }

    /// Adds an error at a line and a column of the text at `path`, counted from 1.
    pub(super) fn add_in_text(
        &mut self,
        path: &[PathPart<'_>],
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) {
        let error = self.in_text(path, (line, column), message);
        self.errors.push(error);
    }

    /// An error of a prop of the step with this index and name.
    pub(super) fn add_prop(&mut self, (index, step): (usize, &str), error: PropError) {
        let PropError { prop, code, reason } = error;
        let path = [
            "steps".into(),
            index.into(),
            "props".into(),
            prop.as_str().into(),
        ];
        let mut error = self.positions.error(&path, reason);
        let step = step.to_owned();
        error.step_prop = Some(StepPropError { step, prop, code });
        self.errors.push(error);
    }

    /// An error of an expression in the text at `path`, which belongs to a prop of a step.
    pub(super) fn add_expression(
        &mut self,
        path: &[PathPart<'_>],
        (step, prop): (&str, &str),
        place: (u32, u32),
        message: String,
    ) {
        let mut error = self.in_text(path, place, message);
        error.step_prop = Some(StepPropError {
            step: step.to_owned(),
            prop: prop.to_owned(),
            code: PropErrorCode::InvalidExpression,
        });
        self.errors.push(error);
    }

    fn in_text(
        &self,
        path: &[PathPart<'_>],
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) -> DocumentError {
        let mut error = self.positions.error(path, message);
        if let Some(place) = self.positions.position_in_text(path, line, column) {
            (error.line, error.column) = (place.line, place.column);
        }
        error
    }

    /// Adds errors of code in the document, at its lines there.
    pub(super) fn add_code(&mut self, path: &[PathPart<'_>], errors: Vec<CodeError>) {
        for error in errors {
            match (&error.file, error.line) {
                (None, Some(line)) => {
                    let position = (line, error.column.unwrap_or(1));
                    self.add_in_text(path, position, error.message);
                }
                _ => self.add(path, error.to_string()),
            }
        }
    }

    /// The result, unless there are errors.
    pub(super) fn finish<T>(mut self, result: T) -> Result<T, EngineError> {
        if self.errors.is_empty() {
            return Ok(result);
        }
        self.errors.sort_by_key(|error| (error.line, error.column));
        Err(EngineError::InvalidDocument(self.errors))
    }
}
