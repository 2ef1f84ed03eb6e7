//! The fields of an account: from `--field`, or from prompts.

use std::{path::Path, sync::Arc};

use anyhow::Context;
use serde_json::{Map, Value};
use sluice_api::{App, AuthType, CustomField};

use crate::commands::{
    ask,
    output::sanitized,
    prompt::{self, Check, Question},
    prop_args::pair,
    secret_file::read_secret,
};

/// Parses `--field`: `NAME=VALUE`, or `NAME=@FILE` for the text of a file.
pub(super) fn parse_fields(flags: &[String]) -> anyhow::Result<Map<String, Value>> {
    let fields = flags.iter().map(|flag| {
        let (name, text) = pair(flag, "--field", "NAME=VALUE")?;
        let value = match text.strip_prefix('@') {
            Some(path) => {
                read_secret(Path::new(path)).with_context(|| format!("--field {name}"))?
            }
            None => text.to_owned(),
        };
        Ok((name.to_owned(), value.into()))
    });
    fields.collect()
}

/// Asks for missing fields on a terminal. Otherwise the server reports them.
pub(crate) async fn prompt_fields(
    app: &App,
    mut values: Map<String, Value>,
    json: bool,
) -> anyhow::Result<Map<String, Value>> {
    if !ask::is_interactive(json) {
        return Ok(values);
    }
    let fields: Vec<CustomField> = serde_json::from_str(&app.custom_fields_json).context(
        "cannot read the fields of this app: check that server and command have the same version",
    )?;
    let missing = fields
        .into_iter()
        .filter(|field| !values.contains_key(&field.name) && is_asked(app.auth_type, field));
    let missing: Vec<CustomField> = missing.collect();
    for field in missing {
        let value = prompt_field(&field).await?;
        if !value.is_empty() {
            values.insert(field.name, value.into());
        }
    }
    Ok(values)
}

/// A provider of OAuth may return optional fields with the tokens, and the operator sets defaults. So users enter only the rest.
fn is_asked(auth_type: AuthType, field: &CustomField) -> bool {
    match auth_type {
        AuthType::Keys => true,
        AuthType::Oauth => !field.optional && field.default.is_none(),
        AuthType::None => false,
    }
}

async fn prompt_field(field: &CustomField) -> anyhow::Result<String> {
    let is_optional = field.optional;
    let label = sanitized(field.label.as_ref().unwrap_or(&field.name));
    let question = Question {
        message: if is_optional {
            format!("{label} (optional)")
        } else {
            label
        },
        help: field.description.as_deref().map(sanitized),
        default: field.default.clone(),
    };
    let check: Check =
        Arc::new(move |text| (text.is_empty() && !is_optional).then(|| "is required".to_owned()));
    if field.kind.as_deref() == Some("password") {
        prompt::hidden(question, check).await
    } else {
        prompt::text(question, check).await
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn parse(flags: &[&str]) -> anyhow::Result<Value> {
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        parse_fields(&flags).map(Value::from)
    }

    #[test]
    fn a_value_is_text_or_the_text_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "s3cret\n").unwrap();
        let from_file = format!("api_key=@{}", path.display());
        assert_eq!(
            parse(&["region=e=u", &from_file]).unwrap(),
            json!({ "region": "e=u", "api_key": "s3cret" })
        );
        for wrong in ["region", "=x", "key=@no-such-file"] {
            assert!(parse(&[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn users_of_oauth_apps_enter_only_required_fields_without_a_default() {
        let field = |optional, default: Option<&str>| CustomField {
            name: "region".to_owned(),
            label: None,
            description: None,
            default: default.map(str::to_owned),
            optional,
            kind: None,
        };
        assert!(is_asked(AuthType::Oauth, &field(false, None)));
        assert!(!is_asked(AuthType::Oauth, &field(true, None)));
        assert!(!is_asked(AuthType::Oauth, &field(false, Some("eu"))));
        assert!(is_asked(AuthType::Keys, &field(true, Some("eu"))));
    }
}
