//! Errors in the files of a component, for its author.

use std::fmt;

use rolldown_error::{BuildDiagnostic, DiagnosticOptions};

use super::{file_text::FileText, location::Location, plugin::UnresolvedImport};
use crate::error::{CodeError, position};

/// One error, with its position if it has one. Lines and columns start at one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BundleError {
    pub message: String,
    /// The path in the tree, or the URL.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl fmt::Display for BundleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(formatter, "{file}:")?;
            if let (Some(line), Some(column)) = (self.line, self.column) {
                write!(formatter, "{line}:{column}:")?;
            }
            formatter.write_str(" ")?;
        }
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for BundleError {}

impl BundleError {
    pub(crate) fn without_position(message: impl Into<String>) -> BundleError {
        BundleError {
            message: message.into(),
            file: None,
            line: None,
            column: None,
        }
    }

    pub(crate) fn of_import(import: &UnresolvedImport, importer: Option<&FileText>) -> BundleError {
        let (line, column) = importer
            .and_then(|file| {
                Some(position(
                    &file.text,
                    file.offset_of_import(&import.specifier)?,
                ))
            })
            .unwrap_or_default();
        BundleError {
            message: import.error.to_string(),
            file: Some(import.importer.to_string()),
            line,
            column,
        }
    }

    pub(crate) fn of_syntax(file: &Location, error: &CodeError) -> BundleError {
        BundleError {
            message: error.message.clone(),
            file: Some(file.to_string()),
            line: error.line,
            column: error.column,
        }
    }

    pub(crate) fn of_diagnostic(
        diagnostic: &BuildDiagnostic,
        locations: &[Location],
    ) -> BundleError {
        let options = DiagnosticOptions { cwd: "/".into() };
        let described = diagnostic.to_diagnostic_with(&options);
        let mut message = diagnostic.to_message_with(&options);
        message = match described.kind().as_str() {
            "PARSE_ERROR" => format!("SyntaxError: {message}"),
            "JSON_PARSE" => format!("the JSON cannot be read: {message}"),
            // The first line is meant for the bundler's authors.
            "UNHANDLEABLE_ERROR" => {
                let reason = message.lines().nth(1).unwrap_or_default();
                format!("the code cannot be bundled: {reason}")
            }
            _ => message,
        };
        let location = described.get_primary_location();
        BundleError {
            message: with_urls(&message, locations),
            line: location.as_ref().and_then(|at| u32::try_from(at.1).ok()),
            column: location
                .as_ref()
                .and_then(|at| u32::try_from(at.2 + 1).ok()),
            file: location.map(|at| with_urls(&at.0, locations)),
        }
    }
}

/// Restores the slashes that URLs lost because the bundler treats them as paths.
pub(crate) fn with_urls(text: &str, locations: &[Location]) -> String {
    locations
        .iter()
        .filter(|location| location.is_url())
        .fold(text.to_owned(), |text, location| {
            text.replace(&location.as_path(), location.as_str())
        })
}
