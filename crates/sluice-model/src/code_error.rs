//! Errors in user code and their positions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One reason why code does not load, with its position if it has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CodeError {
    #[cfg_attr(feature = "openapi", schema(example = "Unexpected token"))]
    pub message: String,
    /// The path or URL of an imported file. Missing when the error is in the component's own file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub file: Option<String>,
    /// Counts from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub line: Option<u32>,
    /// Counts from 1, in UTF-16 units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub column: Option<u32>,
}

impl CodeError {
    /// An error that concerns the code as a whole.
    pub fn without_position(message: impl Into<String>) -> CodeError {
        CodeError {
            message: message.into(),
            file: None,
            line: None,
            column: None,
        }
    }

    /// The error without a file if that is the component's own file.
    #[must_use]
    pub fn relative_to(mut self, own_file: &str) -> CodeError {
        self.file.take_if(|file| file == own_file);
        self
    }

    /// The error with its location in front, as editors read it: `a.mjs:3:7: Unexpected token`. `own_file` is the name of
    /// the component's own file.
    pub fn located(&self, own_file: &str) -> String {
        let file = self.file.as_deref().unwrap_or(own_file);
        let message = &self.message;
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}: {message}"),
            (Some(line), None) => format!("{file}:{line}: {message}"),
            (None, _) => format!("{file}: {message}"),
        }
    }
}

/// A sentence. An error in an imported file begins with its location.
impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.message;
        match (&self.file, self.line, self.column) {
            (Some(file), ..) => f.write_str(&self.located(file)),
            (None, Some(line), Some(column)) => {
                write!(f, "{message} (line {line}, column {column})")
            }
            (None, Some(line), None) => write!(f, "{message} (line {line})"),
            (None, None, _) => f.write_str(message),
        }
    }
}

impl std::error::Error for CodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(file: Option<&str>, line: Option<u32>, column: Option<u32>) -> CodeError {
        CodeError {
            file: file.map(str::to_owned),
            line,
            column,
            ..CodeError::without_position("no")
        }
    }

    #[test]
    fn a_sentence_ends_with_the_position_or_begins_with_another_file() {
        let sentence = |file, line, column| error(file, line, column).to_string();
        assert_eq!(sentence(None, Some(3), Some(7)), "no (line 3, column 7)");
        assert_eq!(sentence(None, Some(3), None), "no (line 3)");
        assert_eq!(sentence(None, None, None), "no");
        assert_eq!(sentence(Some("b.mjs"), Some(1), Some(2)), "b.mjs:1:2: no");
        assert_eq!(sentence(Some("b.mjs"), None, None), "b.mjs: no");
    }

    #[test]
    fn a_located_error_begins_with_its_file() {
        let located = |file, line, column| error(file, line, column).located("a.mjs");
        assert_eq!(located(None, Some(3), Some(7)), "a.mjs:3:7: no");
        assert_eq!(located(None, None, None), "a.mjs: no");
        assert_eq!(located(Some("b.mjs"), Some(1), Some(2)), "b.mjs:1:2: no");
    }
}
