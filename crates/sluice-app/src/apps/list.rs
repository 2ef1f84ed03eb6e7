//! The list of apps: those of the store, and the rest of the catalogue.

use std::collections::{HashMap, HashSet};

use sluice_engine::EngineError;
use sluice_store::{
    Page,
    apps::{self, App},
    registry::{self, AppComponents},
};

use super::{known, service::Apps};
use crate::listing::Listing;

/// Which apps are listed. Only components of the server's registry count.
#[derive(Debug, Clone, Default)]
pub struct AppFilter {
    /// Part of the slug or the name.
    pub text: String,
    pub has_components: Option<bool>,
    pub has_sources: Option<bool>,
    pub has_actions: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AppOrder {
    /// Newest first.
    #[default]
    Age,
    /// Best known first.
    Popularity,
}

/// An app, with the number of its components.
pub struct ListedApp {
    pub app: App,
    pub components: AppComponents,
    /// Its position in the order of the list.
    pub rank: i64,
}

impl Apps {
    /// A page of the apps. Its cursor is the rank and the id.
    pub async fn list(
        &self,
        filter: AppFilter,
        order: AppOrder,
        page: Page,
    ) -> Result<Listing<ListedApp>, EngineError> {
        let listing = self.infra.store.read(move |c| {
            let mut components = registry::components_by_app(c)?;
            let stored = apps::all(c)?;
            let mut listed: Vec<ListedApp> = with_catalogue(stored)
                .into_iter()
                .map(|app| listed(app, &mut components, order))
                .filter(|listed| filter.admits(listed))
                .collect();
            listed.sort_by(|a, b| (b.rank, &b.app.id).cmp(&(a.rank, &a.app.id)));
            Ok(Listing {
                total: listed.len() as u64,
                rows: page.of(listed, |listed| (listed.rank, listed.app.id.as_str())),
            })
        });
        Ok(listing.await?)
    }
}

fn with_catalogue(stored: Vec<App>) -> Vec<App> {
    let slugs: HashSet<String> = stored.iter().map(|app| app.slug.clone()).collect();
    let others = sluice_catalogue::apps().iter();
    let others = others.filter(|app| !slugs.contains(&app.slug));
    let others: Vec<App> = others.map(known::of_catalogue).collect();
    stored.into_iter().chain(others).collect()
}

fn listed(app: App, components: &mut HashMap<String, AppComponents>, order: AppOrder) -> ListedApp {
    let components = components.remove(&app.slug).unwrap_or_default();
    let rank = match order {
        AppOrder::Age => app.created_at,
        AppOrder::Popularity => popularity(&app, components),
    };
    ListedApp {
        app,
        components,
        rank,
    }
}

/// The weight of the catalogue comes first, then the number of components.
fn popularity(app: &App, components: AppComponents) -> i64 {
    let weight = sluice_catalogue::find(&app.slug).map_or(0, |app| app.weight);
    let number = components.sources.saturating_add(components.actions);
    weight * 1_000_000 + i64::try_from(number).unwrap_or(i64::MAX).min(999_999)
}

impl AppFilter {
    fn admits(&self, listed: &ListedApp) -> bool {
        let ListedApp {
            app, components, ..
        } = listed;
        let AppComponents { sources, actions } = *components;
        let is_as_wanted =
            |wanted: Option<bool>, has: bool| wanted.is_none_or(|wanted| wanted == has);
        is_as_wanted(self.has_components, sources + actions > 0)
            && is_as_wanted(self.has_sources, sources > 0)
            && is_as_wanted(self.has_actions, actions > 0)
            && self.has_text(app)
    }

    fn has_text(&self, app: &App) -> bool {
        let text = self.text.to_lowercase();
        app.slug.contains(&text) || app.name.to_lowercase().contains(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(text: &str) -> Vec<&'static str> {
        let filter = AppFilter {
            text: text.to_owned(),
            ..AppFilter::default()
        };
        let apps = [
            ("github", "The GitHub"),
            ("google_drive", "The Drive"),
            ("googlexdrive", "Übung"),
        ];
        let found = apps.into_iter().filter(|(slug, name)| {
            let described = sluice_catalogue::CatalogueApp {
                slug: (*slug).to_owned(),
                name: (*name).to_owned(),
                description: None,
                icon: None,
                weight: 0,
                auth: None,
            };
            filter.has_text(&known::of_catalogue(&described))
        });
        found.map(|(slug, _)| slug).collect()
    }

    #[test]
    fn apps_are_found_by_a_part_of_slug_or_name_in_any_case() {
        assert_eq!(finds(""), ["github", "google_drive", "googlexdrive"]);
        assert_eq!(finds("HUB"), ["github"]);
        assert_eq!(finds("the g"), ["github"]);
        assert_eq!(finds("e_d"), ["google_drive"]);
        assert_eq!(finds("ÜB"), ["googlexdrive"]);
        assert!(finds("%").is_empty() && finds("!").is_empty());
    }
}
