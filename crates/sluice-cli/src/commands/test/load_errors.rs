//! The errors of code that does not load, as lines of text.

use anyhow::bail;
use sluice_runtime::LoadError;

/// Errors in the code, each with its location in `file`. Other errors are returned as `Err`.
pub(super) fn load_error_lines(file: &str, error: LoadError) -> anyhow::Result<Vec<String>> {
    let (LoadError::Code(errors) | LoadError::Imports(errors)) = error else {
        bail!(error);
    };
    Ok(errors.iter().map(|error| error.located(file)).collect())
}
