//! Text that a client sends and the database stores.

use serde::{Deserialize, Deserializer, de::Error};
use sluice_model::TextChange;

/// Deserialises an optional string, and rejects NUL characters, which PostgreSQL cannot store.
pub(crate) fn optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    if text.as_deref().is_some_and(|text| text.contains('\0')) {
        return Err(D::Error::custom("must not contain NUL characters"));
    }
    Ok(text)
}

/// As [`optional`], where null has another meaning than an absent field.
pub(crate) fn change<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TextChange, D::Error> {
    let text = optional(deserializer)?;
    Ok(text.map_or(TextChange::Clear, TextChange::Set))
}

/// As [`optional`], and accepts a number, because times are sent as either.
pub(crate) fn text_or_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(i64),
        Text(String),
    }

    let given = Option::<Either>::deserialize(deserializer)
        .map_err(|_| D::Error::custom("must be text or a whole number"))?;
    Ok(given.map(|given| match given {
        Either::Number(number) => number.to_string(),
        Either::Text(text) => text,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CreateComponent, ReplayDeliveries, UpdateWebhook};

    #[test]
    fn nul_characters_are_rejected_and_null_is_absent() {
        let parse = serde_json::from_str::<CreateComponent>;
        assert!(parse(r#"{"component_code": "a\u0000b"}"#).is_err());
        assert_eq!(
            parse(r#"{"component_code": null}"#).unwrap(),
            CreateComponent::default()
        );
        assert!(parse(r#"{"component_code": 5}"#).is_err());
    }

    #[test]
    fn null_differs_from_absent_where_it_removes() {
        let parse = |text| serde_json::from_str::<UpdateWebhook>(text).unwrap().name;
        assert_eq!(parse("{}"), TextChange::Keep);
        assert_eq!(parse(r#"{"name": null}"#), TextChange::Clear);
        assert_eq!(parse(r#"{"name": ""}"#), TextChange::Set(String::new()));
    }

    #[test]
    fn times_are_text_or_numbers() {
        let parse = |text| {
            serde_json::from_str::<ReplayDeliveries>(text)
                .map(|replay| replay.since)
                .map_err(|error| error.to_string())
        };
        assert_eq!(parse(r#"{"since": 5}"#), Ok(Some("5".to_owned())));
        assert_eq!(parse(r#"{"since": "5"}"#), Ok(Some("5".to_owned())));
        assert_eq!(parse(r#"{"since": null}"#), Ok(None));
        assert!(parse(r#"{"since": 1.5}"#).is_err_and(|error| error.starts_with("must be text")));
    }
}
