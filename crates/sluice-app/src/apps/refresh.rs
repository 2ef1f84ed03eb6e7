//! Brings stored apps up to the catalogue of this program, at its start. Apps of the operator stay as they are.

use sluice_catalogue::CatalogueApp;
use sluice_engine::process::credentials::Credentials;
use sluice_infra::{Backoff, Infra};
use sluice_model::AppAuth;
use sluice_store::{
    Conn, StoreError, accounts,
    apps::{self, App, Origin},
};

/// Runs once, and again only while the store is unavailable.
pub(crate) async fn run(infra: Infra, credentials: Credentials) {
    let mut backoff = Backoff::store();
    while !infra.shutdown.is_draining() {
        match refresh(&infra).await {
            Ok(true) => return credentials.forget_all(),
            Ok(false) => return,
            Err(error) => tracing::warn!(%error, "apps not updated from the catalogue; retrying"),
        }
        backoff.sleep().await;
    }
}

/// Updates the rows that differ from the catalogue. Returns whether there were any.
async fn refresh(infra: &Infra) -> Result<bool, StoreError> {
    let now = infra.now_ms();
    let stored = infra.store.read(apps::all).await?;
    let outdated: Vec<String> = stored
        .into_iter()
        .filter(|app| renewed(app).is_some())
        .map(|app| app.slug)
        .collect();
    if outdated.is_empty() {
        return Ok(false);
    }
    infra
        .store
        .write(move |c| {
            for slug in &outdated {
                renew(c, slug, now)?;
            }
            Ok(true)
        })
        .await
}

fn renew(c: &mut dyn Conn, slug: &str, now: i64) -> Result<(), StoreError> {
    let Some(old) = apps::by_slug(c, slug)? else {
        return Ok(());
    };
    let Some(mut app) = renewed(&old) else {
        return Ok(());
    };
    let changes_kind = old.auth.as_str() != app.auth.as_str();
    if changes_kind && accounts::exist_for(c, &old.id)? {
        app.auth = old.auth;
    }
    app.updated_at = now;
    apps::upsert(c, &app)
}

/// The app as the catalogue describes it now; `None` if nothing changes.
fn renewed(stored: &App) -> Option<App> {
    let described = sluice_catalogue::find(&stored.slug)?;
    if stored.origin == Origin::Operator {
        return None;
    }
    let app = merged(stored, described);
    (app != *stored).then_some(app)
}

fn merged(stored: &App, described: &CatalogueApp) -> App {
    let mut auth = described.auth.clone().unwrap_or(AppAuth::None);
    if let (AppAuth::Oauth(new), AppAuth::Oauth(old)) = (&mut auth, &stored.auth)
        && old.client_id.is_some()
    {
        new.client_id.clone_from(&old.client_id);
        new.scopes.clone_from(&old.scopes);
        for field in &mut new.fields {
            let before = old.fields.iter().find(|before| before.name == field.name);
            let default = before.and_then(|before| before.default.clone());
            field.default = default.or(field.default.take());
        }
    }
    // Fields that components read and the catalogue does not know.
    auth.add_fields(stored.auth.key_fields().iter().cloned());
    App {
        name: described.name.clone(),
        description: described.description.clone(),
        auth,
        ..stored.clone()
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::KeyField;

    use super::*;
    use crate::apps::known;

    fn github() -> App {
        let described = sluice_catalogue::find("github").expect("it is in the catalogue");
        known::of_catalogue(described)
    }

    fn field(name: &str) -> KeyField {
        KeyField {
            name: name.to_owned(),
            label: None,
            description: None,
            default: None,
            optional: false,
            kind: None,
        }
    }

    #[test]
    fn an_app_keeps_its_client_and_the_fields_of_components() {
        let mut stored = App {
            name: "old".to_owned(),
            ..github()
        };
        let AppAuth::Oauth(settings) = &mut stored.auth else {
            panic!("GitHub uses OAuth");
        };
        settings.client_id = Some("c".to_owned());
        settings.scopes = vec!["mine".to_owned()];
        settings.token_url = "https://old.test".to_owned();
        stored.auth.add_fields([field("extra")]);
        let app = renewed(&stored).expect("it is outdated");
        assert_eq!(app.name, "GitHub");
        let AppAuth::Oauth(settings) = &app.auth else {
            panic!("it still uses OAuth");
        };
        assert_eq!(settings.client_id.as_deref(), Some("c"));
        assert_eq!(settings.scopes, ["mine"]);
        assert_ne!(settings.token_url, "https://old.test");
        assert!(app.auth.has_field("extra"));
        assert_eq!(renewed(&app), None, "a second time nothing changes");
    }

    #[test]
    fn an_app_of_the_operator_stays() {
        let stored = App {
            name: "Mine".to_owned(),
            origin: Origin::Operator,
            ..github()
        };
        assert_eq!(renewed(&stored), None);
    }
}
