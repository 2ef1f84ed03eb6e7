//! The apps of imported components: those that this server does not know are registered, with the fields that the code reads
//! of their accounts.

use std::collections::{BTreeMap, BTreeSet};

use sluice_code::AuthFields;
use sluice_model::{AppAuth, AppId, ComponentShape, KeyField, is_app_slug};
use sluice_store::{
    Conn, StoreError,
    apps::{self, App},
    registry::Publication,
};

/// The names of the fields that accounts have, by the slugs of the apps.
#[derive(Default)]
pub(super) struct FieldsOfApps(BTreeMap<String, BTreeSet<String>>);

impl FieldsOfApps {
    /// Adds what one component and the apps in its code read.
    pub(super) fn add(&mut self, shape: &ComponentShape, read: AuthFields) {
        for (app, fields) in read.of_apps {
            self.0.entry(app).or_default().extend(fields);
        }
        for (prop, fields) in read.of_props {
            let app = shape.props.iter().find(|def| def.name == prop);
            if let Some(app) = app.and_then(|def| def.app()) {
                self.0.entry(app.to_owned()).or_default().extend(fields);
            }
        }
    }

    /// Registers the app of a component, unless it is known. True when it was not.
    pub(super) fn register(
        &self,
        c: &mut dyn Conn,
        publication: &Publication,
        now: i64,
    ) -> Result<bool, StoreError> {
        let Some(slug) = publication.app.as_deref().filter(|slug| is_app_slug(slug)) else {
            return Ok(false);
        };
        if apps::by_slug(c, slug)?.is_some() {
            return Ok(false);
        }
        let app = App {
            id: AppId::random(&mut rand::rng()),
            slug: slug.to_owned(),
            name: title(slug),
            description: None,
            auth: self.auth(slug),
            secret_sealed: None,
            created_at: now,
            updated_at: now,
        };
        apps::upsert(c, &app)?;
        Ok(true)
    }

    fn auth(&self, slug: &str) -> AppAuth {
        let names = self.0.get(slug).into_iter().flatten();
        let fields: Vec<KeyField> = names.map(|name| key_field(name)).collect();
        if fields.is_empty() {
            AppAuth::None
        } else {
            AppAuth::Keys { fields }
        }
    }
}

/// What is told plainly; anything else may be a secret.
const PLAIN: [&str; 12] = [
    "url",
    "uri",
    "domain",
    "host",
    "port",
    "region",
    "email",
    "username",
    "subdomain",
    "instance",
    "workspace",
    "account_id",
];

fn key_field(name: &str) -> KeyField {
    let is_plain = PLAIN.iter().any(|word| {
        let before = name.strip_suffix(word);
        before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
    });
    KeyField {
        name: name.to_owned(),
        label: None,
        description: None,
        default: None,
        optional: false,
        kind: (!is_plain).then(|| "password".to_owned()),
    }
}

/// `google_sheets` is called Google Sheets.
fn title(slug: &str) -> String {
    let words = slug.split(['_', '-']).filter(|word| !word.is_empty());
    let capitalised = words.map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        format!("{}{rest}", first.to_uppercase())
    });
    capitalised.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_may_be_a_secret_is_asked_for_as_one() {
        let kind = |name| key_field(name).kind;
        for name in [
            "api_key",
            "oauth_access_token",
            "password",
            "secret",
            "code",
        ] {
            assert_eq!(kind(name).as_deref(), Some("password"), "{name}");
        }
        for name in ["api_url", "subdomain", "region", "username"] {
            assert_eq!(kind(name), None, "{name}");
        }
    }

    #[test]
    fn a_slug_becomes_a_title() {
        assert_eq!(title("google_sheets"), "Google Sheets");
        assert_eq!(title("two-words"), "Two Words");
        assert_eq!(title("http"), "Http");
    }
}
