//! The form of an email address.

/// The longest address that mail servers take.
const MAX_LENGTH: usize = 254;

/// An address without spaces around it. Empty text is left as it is.
pub(crate) fn parse(text: &str) -> Result<String, String> {
    let text = text.trim();
    let has_form = text
        .rsplit_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty());
    let is_plain = text.chars().all(|c| !c.is_whitespace() && !c.is_control());
    if text.is_empty() || (has_form && is_plain && text.len() <= MAX_LENGTH) {
        Ok(text.to_owned())
    } else {
        Err("it must have the form name@example.com".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_two_parts_without_spaces() {
        for text in ["ada@example.com", " ada@example.com\n", "a@b", ""] {
            assert_eq!(parse(text).as_deref(), Ok(text.trim()));
        }
        let long = format!("{}@example.com", "a".repeat(250));
        for text in ["ada", "@example.com", "ada@", "a da@example.com", &long] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
