//! Parameters that are free text.

use crate::error::ApiError;

/// No database column holds a NUL character, so text with one is rejected in every parameter.
pub(super) fn without_nul(name: &str, text: Option<String>) -> Result<Option<String>, ApiError> {
    match text {
        Some(text) if text.contains('\0') => Err(ApiError::BadRequest(format!(
            "{name} must not contain NUL characters"
        ))),
        text => Ok(text),
    }
}

/// The text that a list is searched for; none when it is empty.
pub(super) fn search_text(q: Option<String>) -> Result<Option<String>, ApiError> {
    Ok(without_nul("q", q)?.filter(|text| !text.is_empty()))
}
