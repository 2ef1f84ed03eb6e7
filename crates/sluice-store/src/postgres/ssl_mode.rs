//! `sslmode` of a connection string. The parser of the driver knows three of its values.

use std::borrow::Cow;

use crate::error::{Result, StoreError};

const NAME: &str = "sslmode=";
const KNOWN: [&str; 3] = ["disable", "prefer", "require"];
/// `require` checks the certificate and the name of the host already.
const STRICT: [&str; 2] = ["verify-ca", "verify-full"];

/// The connection string with a value that the driver knows. `verify-ca` and `verify-full` become `require`.
pub(super) fn normalized(url: &str) -> Result<Cow<'_, str>> {
    // Of a URL the user and the password come before the parameters.
    let start = if url.contains("://") {
        url.find('?').unwrap_or(url.len())
    } else {
        0
    };
    let parameters = &url[start..];
    let is_separator = |c: char| c.is_whitespace() || c == '?' || c == '&';
    let found = parameters.match_indices(NAME).map(|(at, _)| at);
    let mut starts = found.filter(|at| {
        parameters[..*at]
            .chars()
            .next_back()
            .is_none_or(is_separator)
    });
    let Some(at) = starts.next() else {
        return Ok(url.into());
    };
    let (before, rest) = url.split_at(start + at + NAME.len());
    let end = rest.find(is_separator).unwrap_or(rest.len());
    let value = rest[..end].trim_matches('\'');
    if STRICT.contains(&value) {
        return Ok(format!("{before}require{}", &rest[end..]).into());
    }
    if KNOWN.contains(&value) {
        return Ok(url.into());
    }
    Err(StoreError::Unusable(
        "bad database address: sslmode must be disable, prefer, require, verify-ca or verify-full"
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_modes_become_require() {
        for (given, expected) in [
            (
                "postgres://h/d?sslmode=verify-full",
                "postgres://h/d?sslmode=require",
            ),
            (
                "postgres://h/d?a=b&sslmode=verify-ca&c=d",
                "postgres://h/d?a=b&sslmode=require&c=d",
            ),
            (
                "host=h sslmode='verify-full' dbname=d",
                "host=h sslmode=require dbname=d",
            ),
            (
                "postgres://h/d?sslmode=prefer",
                "postgres://h/d?sslmode=prefer",
            ),
            ("postgres://u:sslmode=x@h/d", "postgres://u:sslmode=x@h/d"),
            ("host=h password=xsslmode=y", "host=h password=xsslmode=y"),
        ] {
            assert_eq!(normalized(given).unwrap(), expected);
        }
    }

    #[test]
    fn other_modes_are_refused_with_those_that_exist() {
        for given in ["postgres://h/d?sslmode=allow", "host=h sslmode="] {
            let error = normalized(given).unwrap_err().to_string();
            assert!(error.contains("verify-full"), "{error}");
        }
    }
}
