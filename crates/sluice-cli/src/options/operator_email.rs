//! The address of the first user.

use sluice_model::is_mail_address;

/// An address without spaces around it. Empty text is left as it is.
pub(crate) fn parse(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || is_mail_address(text) {
        Ok(text.to_owned())
    } else {
        Err("it must have the form name@example.com".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_around_the_address_are_removed() {
        for text in ["ada@example.com", " ada@example.com\n", ""] {
            assert_eq!(parse(text).as_deref(), Ok(text.trim()));
        }
        for text in ["ada", "a da@example.com"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
