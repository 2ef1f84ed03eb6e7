//! Names of steps and environment values, which code writes without quotes.

/// Whether it is letters, digits and `_`, and does not begin with a digit. `__proto__` is reserved in JavaScript objects.
pub(super) fn is_name(text: &str) -> bool {
    let begins = text
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    begins && plain && text != "__proto__"
}
