//! A field of accounts on the command line: `NAME[:LABEL][:optional][:secret]`.

use sluice_api::CustomField;

/// The form fields of secrets hide their text.
const HIDDEN: &str = "password";

/// Parses a field. The parts after the name may come in any order.
pub(super) fn parse_field(text: &str) -> Result<CustomField, String> {
    let mut parts = text.split(':').map(str::trim);
    let name = parts.next().unwrap_or_default();
    if name.is_empty() {
        return Err("a field needs a name: NAME[:LABEL][:optional][:secret]".to_owned());
    }
    let mut field = CustomField {
        name: name.to_owned(),
        label: None,
        description: None,
        default: None,
        optional: false,
        kind: None,
    };
    for part in parts {
        match part {
            "optional" => field.optional = true,
            "secret" => field.kind = Some(HIDDEN.to_owned()),
            "" => return Err("a part after : is empty".to_owned()),
            label if field.label.is_none() => field.label = Some(label.to_owned()),
            label => {
                return Err(format!(
                    "{label} is a second label: a field has one, besides optional and secret"
                ));
            }
        }
    }
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_enough() {
        let field = parse_field("api_key").unwrap();
        assert_eq!(field.name, "api_key");
        assert_eq!(
            (field.label, field.optional, field.kind),
            (None, false, None)
        );
    }

    #[test]
    fn label_optional_and_secret_come_in_any_order() {
        for text in ["k:My key:optional:secret", "k:secret:My key:optional"] {
            let field = parse_field(text).unwrap();
            assert_eq!(field.label.as_deref(), Some("My key"), "{text}");
            assert!(field.optional, "{text}");
            assert_eq!(field.kind.as_deref(), Some("password"), "{text}");
        }
    }

    #[test]
    fn incomplete_fields_are_errors() {
        for text in ["", ":label", "k:", "k:one:two"] {
            assert!(parse_field(text).is_err(), "{text}");
        }
    }
}
