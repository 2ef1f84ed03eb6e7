//! The apps of imported components. Unknown apps are registered, with the account fields that the code reads. Fields that
//! other components read are added later.

use std::collections::{BTreeMap, BTreeSet};

use sluice_code::{AuthFields, FieldUses};
use sluice_infra::Ids;
use sluice_model::{AppAuth, AppId, ComponentShape, KeyField, is_app_slug};
use sluice_store::{
    Conn, StoreError, accounts,
    apps::{self, App, Origin},
};

use super::tree::{AppField, CheckedApp};
use crate::{apps::known, components::apps_of};

/// The account fields that code reads, by the slugs of their apps.
#[derive(Debug, Clone, Default)]
pub(super) struct AppFields(BTreeMap<String, FieldUses>);

impl AppFields {
    /// The fields that one component and the apps in its code read.
    pub(super) fn of(shape: &ComponentShape, read: &AuthFields) -> AppFields {
        let mut found = AppFields(read.of_apps.clone());
        let apps: BTreeSet<&str> = apps_of(shape).collect();
        for (name, fields) in &read.by_name {
            let prop = shape.props.iter().find(|def| def.name == *name);
            // A variable of another name holds the app if there is only one.
            let only = apps.first().copied().filter(|_| apps.len() == 1);
            if let Some(app) = prop.and_then(|def| def.app()).or(only) {
                found.0.entry(app.to_owned()).or_default().extend(fields);
            }
        }
        found
    }

    /// The slugs of the apps, with the name of each field and whether the code works without it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        let apps = self.0.iter();
        apps.flat_map(|(app, uses)| {
            let fields = uses.iter();
            fields.map(|(name, optional)| (app.as_str(), name, optional))
        })
    }

    pub(super) fn merge(&mut self, other: &AppFields) {
        for (app, fields) in &other.0 {
            self.0.entry(app.clone()).or_default().extend(fields);
        }
    }

    /// The fields of each app, and whether accounts can have them after an import.
    pub(super) fn check(&self, c: &mut dyn Conn) -> Result<Vec<CheckedApp>, StoreError> {
        let mut checked = Vec::with_capacity(self.0.len());
        for (slug, uses) in &self.0 {
            // An import adds fields to apps that the operator did not describe.
            let described = known::by_slug(c, slug)?.filter(|app| app.origin == Origin::Operator);
            let is_registered = |field: &str| {
                is_app_slug(slug)
                    && described
                        .as_ref()
                        .is_none_or(|app| app.auth.has_field(field))
            };
            let fields = uses.iter().map(|(name, optional)| AppField {
                name: name.to_owned(),
                optional,
                registered: is_registered(name),
            });
            checked.push(CheckedApp {
                slug: slug.clone(),
                fields: fields.collect(),
            });
        }
        Ok(checked)
    }

    /// Registers an app, or adds fields that it does not have yet. Returns whether anything changed.
    pub(super) fn register(
        &self,
        c: &mut dyn Conn,
        slug: &str,
        ids: &Ids,
        now: i64,
    ) -> Result<bool, StoreError> {
        if !is_app_slug(slug) {
            return Ok(false);
        }
        let Some(mut app) = known::by_slug(c, slug)? else {
            apps::upsert(c, &self.new_app(slug, ids, now))?;
            return Ok(true);
        };
        if app.origin == Origin::Operator {
            return Ok(false);
        }
        let mut fields = self.key_fields(slug);
        if accounts::exist_for(c, &app.id)? {
            // Accounts without the new fields must stay valid.
            for field in &mut fields {
                field.optional = true;
            }
        }
        let has_row = app.created_at > 0;
        if !app.auth.add_fields(fields) && has_row {
            return Ok(false);
        }
        if !has_row {
            app.created_at = now;
        }
        app.updated_at = now;
        apps::upsert(c, &app)?;
        Ok(true)
    }

    fn new_app(&self, slug: &str, ids: &Ids, now: i64) -> App {
        let mut auth = AppAuth::None;
        auth.add_fields(self.key_fields(slug));
        App {
            id: AppId::random(&mut ids.rng()),
            slug: slug.to_owned(),
            name: title(slug),
            description: None,
            auth,
            secret_sealed: None,
            origin: Origin::Program,
            created_at: now,
            updated_at: now,
        }
    }

    fn key_fields(&self, slug: &str) -> Vec<KeyField> {
        let read = self.0.get(slug).into_iter().flat_map(FieldUses::iter);
        read.map(|(name, is_optional)| key_field(name, is_optional))
            .collect()
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

fn key_field(name: &str, is_optional: bool) -> KeyField {
    let is_plain = PLAIN.iter().any(|word| {
        let before = name.strip_suffix(word);
        before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
    });
    KeyField {
        name: name.to_owned(),
        label: None,
        description: None,
        default: None,
        optional: is_optional,
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
        let kind = |name| key_field(name, false).kind;
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
