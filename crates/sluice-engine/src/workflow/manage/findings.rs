//! What is found wrong with a document once it is compared with what there is.

use sluice_model::{
    PropError, PropErrorCode,
    workflow::{DocumentError, PathPart, Positions, StepPropError},
};
use sluice_runtime::CodeFault;

use crate::error::EngineError;

/// Gathers faults, so that all of them can be told at once.
pub(super) struct Findings<'a> {
    positions: &'a Positions,
    faults: Vec<DocumentError>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(positions: &'a Positions) -> Findings<'a> {
        Findings {
            positions,
            faults: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: &[PathPart<'_>], message: impl Into<String>) {
        let fault = self.positions.error(path, message);
        self.faults.push(fault);
    }

    /// A fault at a line and a column of the text at `path`, counted from 1.
    pub(super) fn add_in_text(
        &mut self,
        path: &[PathPart<'_>],
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) {
        let fault = self.in_text(path, (line, column), message);
        self.faults.push(fault);
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
        let mut fault = self.positions.error(&path, reason);
        let step = step.to_owned();
        fault.step_prop = Some(StepPropError { step, prop, code });
        self.faults.push(fault);
    }

    /// An error of an expression in the text at `path`, which belongs to a prop of a step.
    pub(super) fn add_expression(
        &mut self,
        path: &[PathPart<'_>],
        (step, prop): (&str, &str),
        place: (u32, u32),
        message: String,
    ) {
        let mut fault = self.in_text(path, place, message);
        fault.step_prop = Some(StepPropError {
            step: step.to_owned(),
            prop: prop.to_owned(),
            code: PropErrorCode::InvalidExpression,
        });
        self.faults.push(fault);
    }

    fn in_text(
        &self,
        path: &[PathPart<'_>],
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) -> DocumentError {
        let mut fault = self.positions.error(path, message);
        if let Some(place) = self.positions.position_in_text(path, line, column) {
            (fault.line, fault.column) = (place.line, place.column);
        }
        fault
    }

    /// Faults of code that stands in the document, at its lines there.
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

    /// The result, unless something was wrong.
    pub(super) fn conclude<T>(mut self, result: T) -> Result<T, EngineError> {
        if self.faults.is_empty() {
            return Ok(result);
        }
        self.faults.sort_by_key(|fault| (fault.line, fault.column));
        Err(EngineError::InvalidDocument(self.faults))
    }
}
