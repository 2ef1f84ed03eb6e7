//! Names and mail addresses of users, as clients give them.

use sluice_app::UserChange;
use sluice_model::is_mail_address;

use crate::error::ApiError;

/// The longest name, in bytes. Every database can index as many.
const MAX_NAME: usize = 500;

/// A required name, without spaces around it.
pub(super) fn required(field: &str, value: Option<&str>) -> Result<String, ApiError> {
    let text = value.map(str::trim).unwrap_or_default();
    if text.is_empty() {
        return Err(ApiError::BadRequest(format!("{field} is required")));
    }
    if text.len() > MAX_NAME {
        let error = format!("{field} must be at most {MAX_NAME} bytes long");
        return Err(ApiError::BadRequest(error));
    }
    if text.chars().any(char::is_control) {
        let error = format!("{field} must not have control characters");
        return Err(ApiError::BadRequest(error));
    }
    Ok(text.to_owned())
}

/// A required mail address.
pub(super) fn email(value: Option<&str>) -> Result<String, ApiError> {
    let text = required("email", value)?;
    if is_mail_address(&text) {
        Ok(text)
    } else {
        Err(ApiError::bad_request(
            "email must have the form name@example.com",
        ))
    }
}

/// A change of name and address that a user may make.
pub(super) fn change(
    username: Option<&str>,
    address: Option<&str>,
) -> Result<UserChange, ApiError> {
    let name = |text| required("username", Some(text));
    Ok(UserChange {
        username: username.map(name).transpose()?,
        email: address.map(|text| email(Some(text))).transpose()?,
        ..UserChange::default()
    })
}

/// A change that is not empty.
pub(super) fn not_empty(change: UserChange) -> Result<UserChange, ApiError> {
    if change == UserChange::default() {
        return Err(ApiError::bad_request("there is nothing to change"));
    }
    Ok(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error<T>(outcome: Result<T, ApiError>) -> String {
        outcome
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn names_are_trimmed_and_limited() {
        let given = |text: &str| required("username", Some(text));
        assert_eq!(given(" ada\n").unwrap(), "ada");
        for text in ["", "  ", "a\0b", "a\nb", &"a".repeat(501)] {
            assert!(error(given(text)).starts_with("username "), "{text:?}");
        }
    }

    #[test]
    fn an_address_has_its_form() {
        assert_eq!(email(Some(" a@b.c ")).unwrap(), "a@b.c");
        for text in [None, Some("ada"), Some("a b@c"), Some("a@b\r\nBcc: c@d")] {
            assert!(error(email(text)).starts_with("email "), "{text:?}");
        }
    }
}
