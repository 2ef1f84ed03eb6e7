//! What is wrong with a document, and where.

use std::{cell::RefCell, fmt};

use serde::{Deserialize, Serialize};

use super::places::Place;
use crate::prop_error::PropErrorCode;

/// More than anyone reads at once; a hostile document must not make more of them than it has bytes.
const MAX_FAULTS: usize = 100;

/// One mistake. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentFault {
    pub line: u32,
    pub column: u32,
    /// Such as `steps[1].props.url`; empty for the document as a whole.
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

impl DocumentFault {
    pub fn new(place: Place, path: String, message: impl Into<String>) -> Self {
        DocumentFault {
            line: place.line,
            column: place.column,
            path,
            message: message.into(),
            step_prop: None,
        }
    }
}

impl fmt::Display for DocumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for DocumentFault {}

/// Stands for what could not be read: only adding a fault makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reported(());

pub(super) type Read<T> = Result<T, Reported>;

/// Gathers what is wrong while a document is read, so that all of it can be told at once.
#[derive(Debug, Default)]
pub(super) struct Faults(RefCell<Vec<DocumentFault>>);

impl Faults {
    pub(super) fn add(&self, place: Place, path: &str, message: impl Into<String>) -> Reported {
        if !self.is_full() {
            let fault = DocumentFault::new(place, path.to_owned(), message);
            self.0.borrow_mut().push(fault);
        }
        Reported(())
    }

    /// Whether what is added now would be left out.
    pub(super) fn is_full(&self) -> bool {
        self.0.borrow().len() >= MAX_FAULTS
    }

    /// In the order of the document.
    pub(super) fn into_sorted(self) -> Vec<DocumentFault> {
        let mut faults = self.0.into_inner();
        faults.sort_by_key(|fault| (fault.line, fault.column));
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_where_it_is() {
        let place = Place { line: 3, column: 5 };
        let at = |path: &str| DocumentFault::new(place, path.to_owned(), "is required").to_string();
        assert_eq!(
            at("steps[0].name"),
            "line 3, column 5: steps[0].name: is required"
        );
        assert_eq!(at(""), "line 3, column 5: is required");
    }

    #[test]
    fn the_data_of_a_prop_error_stands_beside_its_place() {
        let mut error = DocumentFault::new(Place { line: 3, column: 5 }, "p".to_owned(), "m");
        let plain = r#"{"line":3,"column":5,"path":"p","message":"m"}"#;
        assert_eq!(serde_json::to_string(&error).unwrap(), plain);
        assert_eq!(serde_json::from_str::<DocumentFault>(plain).unwrap(), error);
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
        assert_eq!(serde_json::from_str::<DocumentFault>(&text).unwrap(), error);
    }

    #[test]
    fn faults_are_sorted_and_bounded() {
        let faults = Faults::default();
        for line in (0..5000).rev() {
            faults.add(Place { line, column: 1 }, "", "wrong");
        }
        let faults = faults.into_sorted();
        assert_eq!(faults.len(), MAX_FAULTS);
        assert!(faults.is_sorted_by_key(|fault| fault.line));
    }
}
