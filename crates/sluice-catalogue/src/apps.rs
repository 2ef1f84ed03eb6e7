//! The apps of the catalogue.

use std::sync::LazyLock;

use serde::Deserialize;
use sluice_model::AppAuth;

const DATA: &str = include_str!("../data/apps.json");

/// An app as the catalogue describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CatalogueApp {
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// The name of its icon.
    pub icon: Option<String>,
    /// How well known it is, from 0 to 1000.
    #[serde(default)]
    pub weight: i64,
    /// None if the code of components has to tell.
    pub auth: Option<AppAuth>,
}

static APPS: LazyLock<Vec<CatalogueApp>> =
    LazyLock::new(|| serde_json::from_str(DATA).expect("a test reads the catalogue"));

/// All apps, by slug.
pub fn apps() -> &'static [CatalogueApp] {
    &APPS
}

/// The app with this slug.
pub fn find(slug: &str) -> Option<&'static CatalogueApp> {
    let found = APPS.binary_search_by(|app| app.slug.as_str().cmp(slug));
    found.ok().map(|index| &APPS[index])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sluice_model::{OauthSettings, is_app_slug};

    use super::*;

    fn oauth_apps() -> impl Iterator<Item = (&'static str, &'static OauthSettings)> {
        apps().iter().filter_map(|app| match &app.auth {
            Some(AppAuth::Oauth(settings)) => Some((app.slug.as_str(), settings.as_ref())),
            _ => None,
        })
    }

    #[test]
    fn apps_are_sorted_and_have_valid_slugs() {
        assert!(apps().is_sorted_by(|a, b| a.slug < b.slug));
        for app in apps() {
            assert!(is_app_slug(&app.slug), "{}", app.slug);
            assert!(!app.name.trim().is_empty(), "{}", app.slug);
        }
    }

    #[test]
    fn the_catalogue_is_as_large_as_promised() {
        assert!(oauth_apps().count() >= 150);
        assert!(apps().iter().filter(|app| app.icon.is_some()).count() >= 1_000);
    }

    #[test]
    fn providers_have_https_addresses() {
        for (slug, settings) in oauth_apps() {
            let addresses = [
                Some(&settings.authorization_url),
                Some(&settings.token_url),
                settings.revocation_url.as_ref(),
                settings.userinfo_url.as_ref(),
                settings.developer_url.as_ref(),
            ];
            for address in addresses.into_iter().flatten() {
                assert!(address.starts_with("https://"), "{slug}: {address}");
            }
            assert_eq!(settings.client_id, None, "{slug}");
        }
    }

    /// The rest is for the operator to set.
    #[test]
    fn users_can_connect_accounts_of_all_but_self_hosted_providers() {
        let self_hosted = ["authentik", "cas", "cognito", "fusionauth", "socrata"];
        for (slug, settings) in oauth_apps() {
            let values = settings.fields.iter().map(|field| {
                let value = field.default.clone();
                (
                    field.name.clone(),
                    value.unwrap_or_else(|| "mine".to_owned()),
                )
            });
            let filled = settings.with_fields(&values.collect());
            assert_eq!(filled.is_ok(), !self_hosted.contains(&slug), "{slug}");
            let addresses = filled.map(|filled| filled.authorization_url + &filled.token_url);
            assert!(!addresses.unwrap_or_default().contains('{'), "{slug}");
        }
    }

    #[test]
    fn fields_have_labels_and_names_of_their_own() {
        for app in apps() {
            let fields = app.auth.iter().flat_map(AppAuth::key_fields);
            let mut names = HashSet::new();
            for field in fields {
                let place = format!("{}: {}", app.slug, field.name);
                assert!(names.insert(&field.name), "{place}");
                assert!(field.label.is_some(), "{place}");
            }
        }
    }
}
