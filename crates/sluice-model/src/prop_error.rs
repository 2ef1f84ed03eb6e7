//! Errors of prop values, as data: the prop, a code for programs and a reason for people.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why the value of a prop is rejected. Clients decide by the code, never by the text.
///
/// - `required`: the prop has no value, or an app prop has no account.
/// - `wrong_type`: the value is not of the declared type.
/// - `out_of_range`: a number is below `min` or above `max`.
/// - `not_an_option`: the value is not among the declared `options`.
/// - `invalid_value`: the type is right and the content is not, such as a request without a `url`.
/// - `invalid_schedule`: a timer has no valid interval or cron expression, or an unknown time zone.
/// - `unknown_prop`: the component declares no prop of this name.
/// - `unknown_account`: an app prop names an account that does not exist.
/// - `wrong_app`: an app prop names an account of another app.
/// - `unreadable_secret`: the stored secret was encrypted with another key. A new value replaces it.
/// - `invalid_default`: the default or fixed value that the component declares is not valid.
/// - `invalid_declaration`: the component declares the prop in a way that is not valid.
/// - `invalid_expression`: in a workflow step, an expression is not valid JavaScript.
/// - `expression_not_allowed`: in a workflow step, a value that must be known before the step runs has an expression.
/// - `secret_in_document`: in a workflow step, the value of a secret prop is written in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PropErrorCode {
    Required,
    WrongType,
    OutOfRange,
    NotAnOption,
    InvalidValue,
    InvalidSchedule,
    UnknownProp,
    UnknownAccount,
    WrongApp,
    UnreadableSecret,
    InvalidDefault,
    InvalidDeclaration,
    InvalidExpression,
    ExpressionNotAllowed,
    SecretInDocument,
}

/// One error of one prop. The displayed text is a whole sentence: "url is required".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropError {
    /// Empty when the error is about no single prop.
    pub prop: String,
    pub code: PropErrorCode,
    /// Continues after the name of the prop: "is required".
    pub reason: String,
}

impl PropError {
    pub fn new(prop: impl Into<String>, code: PropErrorCode, reason: impl Into<String>) -> Self {
        PropError {
            prop: prop.into(),
            code,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for PropError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.prop.as_str(), self.code) {
            ("", _) => f.write_str(&self.reason),
            (prop, PropErrorCode::InvalidDeclaration) => write!(f, "prop {prop}: {}", self.reason),
            (prop, _) => write!(f, "{prop} {}", self.reason),
        }
    }
}

impl std::error::Error for PropError {}

/// The error of a value before it is known which prop it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueError {
    pub(crate) code: PropErrorCode,
    pub(crate) reason: String,
}

impl ValueError {
    pub(crate) fn new(code: PropErrorCode, reason: impl Into<String>) -> Self {
        ValueError {
            code,
            reason: reason.into(),
        }
    }

    pub(crate) fn wrong_type(reason: impl Into<String>) -> Self {
        Self::new(PropErrorCode::WrongType, reason)
    }

    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::new(PropErrorCode::InvalidValue, reason)
    }

    /// The value is the component's own: `origin` is "default" or "static".
    pub(crate) fn declared_as(self, origin: &str) -> Self {
        Self::new(
            PropErrorCode::InvalidDefault,
            format!("{origin} {}", self.reason),
        )
    }

    pub(crate) fn of(self, prop: &str) -> PropError {
        PropError::new(prop, self.code, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_as_a_sentence() {
        for (prop, code, reason, sentence) in [
            (
                "url",
                PropErrorCode::Required,
                "is required",
                "url is required",
            ),
            (
                "count",
                PropErrorCode::InvalidDeclaration,
                "type is required",
                "prop count: type is required",
            ),
            (
                "",
                PropErrorCode::InvalidDeclaration,
                "there are more than 1000 props",
                "there are more than 1000 props",
            ),
        ] {
            assert_eq!(PropError::new(prop, code, reason).to_string(), sentence);
        }
    }

    #[test]
    fn codes_are_snake_case() {
        let text = serde_json::to_string(&PropErrorCode::NotAnOption).unwrap();
        assert_eq!(text, r#""not_an_option""#);
        assert_eq!(
            serde_json::from_str::<PropErrorCode>(&text).unwrap(),
            PropErrorCode::NotAnOption
        );
    }
}
