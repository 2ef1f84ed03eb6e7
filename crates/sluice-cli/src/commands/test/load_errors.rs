//! The errors of code that does not load, as lines of text.

use anyhow::bail;
use sluice_code::CodeError;
use sluice_runtime::LoadError;

use crate::commands::error_location::with_file_name;

/// Errors in the code, each with its location in `file`. Other errors are returned as `Err`.
pub(super) fn load_error_lines(file: &str, error: LoadError) -> anyhow::Result<Vec<String>> {
    let LoadError::Code(errors) = error else {
        bail!(error);
    };
    Ok(errors.iter().map(|error| error_line(file, error)).collect())
}

fn error_line(file: &str, error: &CodeError) -> String {
    match (error.line, error.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: {}", error.message),
        _ if has_location(&error.message) => with_file_name(file, &error.message),
        _ => format!("{file}: {}", error.message),
    }
}

/// `lib/a.mjs:3:5: …` names another file.
fn has_location(message: &str) -> bool {
    let mut parts = message.splitn(4, ':').skip(1);
    let mut is_number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    is_number() && is_number()
}
