//! The form of a mail address.

/// The longest address that mail servers take.
const MAX_LENGTH: usize = 254;

/// Whether text has the form of one address. The mail server judges the rest.
pub fn is_mail_address(text: &str) -> bool {
    let forbidden = |character: char| {
        character.is_whitespace() || character.is_control() || "<>,;:\"\\()".contains(character)
    };
    text.len() <= MAX_LENGTH
        && !text.contains(forbidden)
        && text
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_name_and_a_host() {
        for address in ["a@b.c", "ada+x@example.com", "a@localhost"] {
            assert!(is_mail_address(address), "{address}");
        }
        let long = format!("{}@b.c", "a".repeat(MAX_LENGTH));
        for text in [
            "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b,c@d", "<a@b>", "a@b\r\n", "a@b\0", &long,
        ] {
            assert!(!is_mail_address(text), "{text:?}");
        }
    }
}
