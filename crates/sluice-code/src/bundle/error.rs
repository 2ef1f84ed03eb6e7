//! Errors in the files of a component, for its author. Each names its file.

use rolldown_error::{BuildDiagnostic, DiagnosticOptions};

use super::{file_text::FileText, location::Location, plugin::UnresolvedImport};
use sluice_model::CodeError;

use crate::position::position;

pub(crate) fn import_error(import: &UnresolvedImport, importer: Option<&FileText>) -> CodeError {
    let (line, column) = importer
        .and_then(|file| {
            Some(position(
                &file.text,
                file.offset_of_import(&import.specifier)?,
            ))
        })
        .unwrap_or_default();
    CodeError {
        message: import.error.to_string(),
        file: Some(import.importer.to_string()),
        line,
        column,
    }
}

pub(crate) fn syntax_error(file: &Location, error: &CodeError) -> CodeError {
    CodeError {
        message: error.message.clone(),
        file: Some(file.to_string()),
        line: error.line,
        column: error.column,
    }
}

pub(crate) fn diagnostic_error(diagnostic: &BuildDiagnostic, locations: &[Location]) -> CodeError {
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
    CodeError {
        message: with_urls(&message, locations),
        line: location.as_ref().and_then(|at| u32::try_from(at.1).ok()),
        column: location
            .as_ref()
            .and_then(|at| u32::try_from(at.2 + 1).ok()),
        file: location.map(|at| with_urls(&at.0, locations)),
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
