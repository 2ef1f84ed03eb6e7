//! Text that a client sends and a database column will hold.

use serde::{Deserialize, Deserializer, de::Error};

/// Deserialises an optional string, and refuses NUL characters, which PostgreSQL cannot store.
pub(crate) fn optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    if text.as_deref().is_some_and(|text| text.contains('\0')) {
        return Err(D::Error::custom("must not contain NUL characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use crate::CreateComponent;

    #[test]
    fn nul_characters_are_refused_and_null_is_absent() {
        let parse = serde_json::from_str::<CreateComponent>;
        assert!(parse(r#"{"component_code": "a\u0000b"}"#).is_err());
        assert_eq!(
            parse(r#"{"component_code": null}"#).unwrap(),
            CreateComponent::default()
        );
        assert!(parse(r#"{"component_code": 5}"#).is_err());
    }
}
