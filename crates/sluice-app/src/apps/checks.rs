//! Errors in the description of an app.

use std::collections::HashSet;

use reqwest::Url;
use sluice_model::{AppAuth, KeyField, OauthSettings, is_app_slug};

use super::input::NewApp;

pub(super) fn invalid_fields(new: &NewApp) -> Vec<String> {
    let mut errors = Vec::new();
    if !is_app_slug(&new.slug) {
        errors.push(
            "name_slug must be lower-case letters, digits, _ and -, at most 100 of them".to_owned(),
        );
    }
    match &new.auth {
        AppAuth::None => {}
        AppAuth::Keys { fields } => {
            if fields.is_empty() {
                errors.push("custom_fields must name at least one field".to_owned());
            }
            errors.extend(field_errors("custom_fields", fields));
        }
        AppAuth::Oauth(settings) => {
            errors.extend(oauth_errors(settings));
            errors.extend(field_errors("oauth.fields", &settings.fields));
        }
    }
    errors
}

fn field_errors(parameter: &str, fields: &[KeyField]) -> Vec<String> {
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for field in fields {
        if field.name.is_empty() {
            errors.push(format!("{parameter} must have a name each"));
        } else if !seen.insert(field.name.as_str()) {
            errors.push(format!("{parameter} name {} twice", field.name));
        }
    }
    errors
}

fn oauth_errors(settings: &OauthSettings) -> Vec<String> {
    let mut errors = Vec::new();
    if settings.client_id.as_ref().is_none_or(String::is_empty) {
        errors.push("oauth.client_id is required".to_owned());
    }
    let addresses = [
        ("authorization_url", Some(&settings.authorization_url)),
        ("token_url", Some(&settings.token_url)),
        ("revocation_url", settings.revocation_url.as_ref()),
        ("userinfo_url", settings.userinfo_url.as_ref()),
    ];
    for (name, address) in addresses {
        let is_web = |address: &String| {
            Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
        };
        if address.is_some_and(|address| !is_web(address)) {
            errors.push(format!("oauth.{name} must be an http or https address"));
        }
    }
    errors
}
