//! The apps of imported components. Unknown apps are registered, with the account fields that the code reads.

use std::collections::{BTreeMap, BTreeSet};

use sluice_code::AuthFields;
use sluice_infra::Ids;
use sluice_model::{AppAuth, AppId, ComponentShape, KeyField, is_app_slug};
use sluice_store::{
    Conn, StoreError,
    apps::{self, App},
    registry::Publication,
};

/// Names of account fields, by the slugs of their apps.
#[derive(Default)]
pub(super) struct AppFields(BTreeMap<String, BTreeSet<String>>);

impl AppFields {
    /// Adds the fields that one component and the apps in its code read.
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

    /// Registers the app of a component; false when it exists.
    pub(super) fn register(
        &self,
        c: &mut dyn Conn,
        publication: &Publication,
        ids: &Ids,
        now: i64,
    ) -> Result<bool, StoreError> {
        let Some(slug) = publication.app.as_deref().filter(|slug| is_app_slug(slug)) else {
            return Ok(false);
        };
        if apps::by_slug(c, slug)?.is_some() {
            return Ok(false);
        }
        let app = App {
            id: AppId::random(&mut ids.rng()),
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

/// Fields that are no secrets. Any other may be one.
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

/// `google_sheets` becomes Google Sheets.
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
    fn every_field_that_may_be_a_secret_is_a_password() {
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
