//! Apps of the store and of the catalogue as one. An app of the catalogue gets a row when an account or an import needs one.

use std::collections::HashSet;

use sha2::{Digest, Sha256};
use sluice_catalogue::CatalogueApp;
use sluice_model::{AppAuth, AppId};
use sluice_store::{
    Conn, StoreError,
    apps::{self, App, Origin},
};

/// Of 62 letters and digits, enough that no two slugs have the same.
const ID_LENGTH: usize = 12;
const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

pub(crate) fn by_slug(c: &mut dyn Conn, slug: &str) -> Result<Option<App>, StoreError> {
    let stored = apps::by_slug(c, slug)?;
    Ok(stored.or_else(|| sluice_catalogue::find(slug).map(of_catalogue)))
}

pub(crate) fn by_slug_or_id(c: &mut dyn Conn, slug_or_id: &str) -> Result<Option<App>, StoreError> {
    let stored = apps::by_slug_or_id(c, slug_or_id)?;
    Ok(stored.or_else(|| in_catalogue(slug_or_id)))
}

/// Those of the slugs that have an app. Takes one query at most.
pub(crate) fn among(
    c: &mut dyn Conn,
    slugs: &HashSet<&str>,
) -> Result<HashSet<String>, StoreError> {
    let (listed, others): (Vec<&str>, Vec<&str>) = slugs
        .iter()
        .copied()
        .partition(|slug| sluice_catalogue::find(slug).is_some());
    let mut known: HashSet<String> = listed.into_iter().map(str::to_owned).collect();
    if !others.is_empty() {
        known.extend(apps::slugs_among(c, &others)?);
    }
    Ok(known)
}

/// Gives an app a row, unless its slug has one. Returns the stored app.
pub(crate) fn stored(c: &mut dyn Conn, app: App, now: i64) -> Result<App, StoreError> {
    if let Some(stored) = apps::by_slug(c, &app.slug)? {
        return Ok(stored);
    }
    let app = App {
        created_at: now,
        updated_at: now,
        ..app
    };
    apps::upsert(c, &app)?;
    Ok(app)
}

/// An app of the catalogue that has no row. It is older than every row.
pub(crate) fn of_catalogue(app: &CatalogueApp) -> App {
    App {
        id: id_of(&app.slug),
        slug: app.slug.clone(),
        name: app.name.clone(),
        description: app.description.clone(),
        auth: app.auth.clone().unwrap_or(AppAuth::None),
        secret_sealed: None,
        origin: Origin::Program,
        created_at: 0,
        updated_at: 0,
    }
}

fn in_catalogue(slug_or_id: &str) -> Option<App> {
    if let Some(app) = sluice_catalogue::find(slug_or_id) {
        return Some(of_catalogue(app));
    }
    let id = AppId::parse(slug_or_id)?;
    let mut apps = sluice_catalogue::apps().iter();
    apps.find(|app| id_of(&app.slug) == id).map(of_catalogue)
}

/// The same on every server.
fn id_of(slug: &str) -> AppId {
    let digest = Sha256::digest(slug);
    let letters = digest.iter().take(ID_LENGTH);
    let letters = letters.map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]));
    let id = format!("{}{}", AppId::PREFIX, letters.collect::<String>());
    AppId::parse(&id).expect("letters and digits")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn apps_of_the_catalogue_have_ids_of_their_own() {
        let ids: HashSet<AppId> = sluice_catalogue::apps()
            .iter()
            .map(|app| id_of(&app.slug))
            .collect();
        assert_eq!(ids.len(), sluice_catalogue::apps().len());
    }

    #[test]
    fn an_app_of_the_catalogue_is_found_by_slug_and_id() {
        let by_slug = in_catalogue("github").expect("it is in the catalogue");
        let by_id = in_catalogue(by_slug.id.as_str()).expect("it has an id");
        assert_eq!(by_slug, by_id);
        assert_eq!(in_catalogue("no_such_app"), None);
    }
}
