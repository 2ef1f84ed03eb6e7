//! What is wrong with a component's files, as its author should hear it.

use std::fmt;

use rolldown_error::{BuildDiagnostic, DiagnosticOptions};

use crate::{Location, plugin::RefusedImport, source};

/// One mistake, with its place when it has one. Lines and columns count from one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BundleFault {
    pub message: String,
    /// As the author knows it: its path in the tree, or its address.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl fmt::Display for BundleFault {
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

impl std::error::Error for BundleFault {}

impl BundleFault {
    pub(crate) fn of_the_whole(message: impl Into<String>) -> BundleFault {
        BundleFault {
            message: message.into(),
            file: None,
            line: None,
            column: None,
        }
    }

    pub(crate) fn of_import(refused: &RefusedImport, importer_text: &str) -> BundleFault {
        let kind = source::SourceKind::of(&refused.importer);
        let offset =
            kind.and_then(|kind| source::offset_of_import(kind, importer_text, &refused.specifier));
        let (line, column) = offset.map_or((None, None), |at| place(importer_text, at));
        BundleFault {
            message: refused.error.to_string(),
            file: Some(refused.importer.to_string()),
            line,
            column,
        }
    }

    pub(crate) fn of_diagnostic(
        diagnostic: &BuildDiagnostic,
        locations: &[Location],
    ) -> BundleFault {
        let options = DiagnosticOptions { cwd: "/".into() };
        let described = diagnostic.to_diagnostic_with(&options);
        let mut message = diagnostic.to_message_with(&options);
        message = match described.kind().as_str() {
            "PARSE_ERROR" => format!("SyntaxError: {message}"),
            "JSON_PARSE" => format!("the JSON cannot be read: {message}"),
            // Its first line speaks to the bundler's authors.
            "UNHANDLEABLE_ERROR" => {
                let reason = message.lines().nth(1).unwrap_or_default();
                format!("the code cannot be bundled: {reason}")
            }
            _ => message,
        };
        let named = described.get_primary_location();
        BundleFault {
            message: with_addresses(&message, locations),
            line: named.as_ref().and_then(|place| u32::try_from(place.1).ok()),
            column: named
                .as_ref()
                .and_then(|place| u32::try_from(place.2 + 1).ok()),
            file: named.map(|place| with_addresses(&place.0, locations)),
        }
    }
}

/// Puts back the slashes that addresses lost when the bundler took them for paths.
pub(crate) fn with_addresses(text: &str, locations: &[Location]) -> String {
    locations
        .iter()
        .filter(|location| location.is_address())
        .fold(text.to_owned(), |text, location| {
            text.replace(&location.as_path(), location.as_str())
        })
}

fn place(text: &str, offset: usize) -> (Option<u32>, Option<u32>) {
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].encode_utf16().count() + 1;
    (u32::try_from(line).ok(), u32::try_from(column).ok())
}
