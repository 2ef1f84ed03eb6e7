//! Errors in a document, with their positions.

use std::{cell::RefCell, fmt};

use serde::{Deserialize, Serialize};

use super::position::Position;
use crate::prop_error::PropErrorCode;

/// Limits the memory that the errors of a hostile document take.
const MAX_ERRORS: usize = 100;

/// One error. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentError {
    pub line: u32,
    pub column: u32,
    /// Such as `steps[1].props.url`. Empty for the whole document.
    pub path: String,
    /// Continues after the path: "must be a string".
    pub message: String,
    /// Set when the error is about a prop of a step.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub step_prop: Option<StepPropError>,
}

/// The data of an error that is about a prop of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepPropError {
    /// The name of the step.
    pub step: String,
    pub prop: String,
    pub code: PropErrorCode,
}

impl DocumentError {
    pub fn new(position: Position, path: String, message: impl Into<String>) -> Self {
        DocumentError {
            line: position.line,
            column: position.column,
            path,
            message: message.into(),
            step_prop: None,
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for DocumentError {}

/// Proof that an error was reported: only [`ErrorCollector::add`] creates one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ErrorReported(());

pub(super) type ParseResult<T> = Result<T, ErrorReported>;

/// Collects the errors of a document, so that all are reported at once.
#[derive(Debug, Default)]
pub(super) struct ErrorCollector(RefCell<Vec<DocumentError>>);

impl ErrorCollector {
    pub(super) fn add(
        &self,
        position: Position,
        path: &str,
        message: impl Into<String>,
    ) -> ErrorReported {
        if !self.is_full() {
            let error = DocumentError::new(position, path.to_owned(), message);
            self.0.borrow_mut().push(error);
        }
        ErrorReported(())
    }

    /// Whether further errors are dropped.
    pub(super) fn is_full(&self) -> bool {
        self.0.borrow().len() >= MAX_ERRORS
    }

    /// In the order of the document.
    pub(super) fn into_sorted(self) -> Vec<DocumentError> {
        let mut errors = self.0.into_inner();
        errors.sort_by_key(|error| (error.line, error.column));
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where_it_is() {
        let position = Position { line: 3, column: 5 };
        let at =
            |path: &str| DocumentError::new(position, path.to_owned(), "is required").to_string();
        assert_eq!(
            at("steps[0].name"),
            "line 3, column 5: steps[0].name: is required"
        );
        assert_eq!(at(""), "line 3, column 5: is required");
    }

    #[test]
    fn a_prop_error_has_its_data_beside_its_position() {
        let mut error = DocumentError::new(Position { line: 3, column: 5 }, "p".to_owned(), "m");
        let plain = r#"{"line":3,"column":5,"path":"p","message":"m"}"#;
        assert_eq!(serde_json::to_string(&error).unwrap(), plain);
        assert_eq!(serde_json::from_str::<DocumentError>(plain).unwrap(), error);
        error.step_prop = Some(StepPropError {
            step: "send".to_owned(),
            prop: "url".to_owned(),
            code: PropErrorCode::Required,
        });
        let text = serde_json::to_string(&error).unwrap();
        assert_eq!(
            text,
            r#"{"line":3,"column":5,"path":"p","message":"m","step":"send","prop":"url","code":"required"}"#
        );
        assert_eq!(serde_json::from_str::<DocumentError>(&text).unwrap(), error);
    }

    #[test]
    fn errors_are_sorted_and_bounded() {
        let errors = ErrorCollector::default();
        for line in (0..5000).rev() {
            errors.add(Position { line, column: 1 }, "", "wrong");
        }
        let errors = errors.into_sorted();
        assert_eq!(errors.len(), MAX_ERRORS);
        assert!(errors.is_sorted_by_key(|error| error.line));
    }
}
