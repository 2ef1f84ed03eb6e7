//! Apps: the operator registers how each of them authenticates its users.

use std::collections::HashSet;

use reqwest::Url;
use sluice_engine::{EngineError, process::credentials::Credentials};
use sluice_infra::Infra;
use sluice_model::{AppAuth, AppId, OauthSettings, is_app_slug};
use sluice_store::{
    Page, accounts,
    apps::{self, App},
};

use crate::listing::Listing;

/// An app as the operator describes it.
pub struct NewApp {
    pub slug: String,
    /// Defaults to the slug.
    pub name: Option<String>,
    pub description: Option<String>,
    pub auth: AppAuth,
    /// Defaults to the one it has.
    pub client_secret: Option<String>,
}

/// Manages apps.
#[derive(Clone)]
pub struct Apps {
    infra: Infra,
    credentials: Credentials,
}

impl Apps {
    pub fn new(infra: &Infra, credentials: Credentials) -> Apps {
        Apps {
            infra: infra.clone(),
            credentials,
        }
    }

    /// Registers an app, or replaces the one with the same slug.
    pub async fn register(&self, new: NewApp) -> Result<App, EngineError> {
        let errors = invalid_fields(&new);
        if !errors.is_empty() {
            return Err(EngineError::InvalidRecord {
                field: "app",
                errors,
            });
        }
        let now = self.infra.creation_ms();
        let secret = new.client_secret.as_deref();
        let secret_sealed = secret.map(|secret| {
            let rng = &mut self.infra.ids.rng();
            self.infra.vault.seal(secret.as_bytes(), rng)
        });
        let app = App {
            id: AppId::random(&mut self.infra.ids.rng()),
            name: new.name.unwrap_or_else(|| new.slug.clone()),
            slug: new.slug,
            description: new.description,
            auth: new.auth,
            secret_sealed,
            created_at: now,
            updated_at: now,
        };
        let stored = self.infra.store.write(move |c| {
            let mut app = app;
            if let Some(old) = apps::by_slug(c, &app.slug)? {
                let changes_kind = old.auth.as_str() != app.auth.as_str();
                if changes_kind && accounts::exist_for(c, &old.id)? {
                    return Ok(None);
                }
                if !changes_kind {
                    app.secret_sealed = app.secret_sealed.or(old.secret_sealed);
                }
            }
            apps::upsert(c, &app)?;
            apps::by_slug(c, &app.slug)
        });
        let stored = stored.await?.ok_or_else(|| {
            EngineError::Conflict(
                "the app has accounts, so its kind of authentication cannot change".to_owned(),
            )
        })?;
        self.credentials.forget_all();
        Ok(stored)
    }

    pub async fn delete(&self, slug_or_id: String) -> Result<(), EngineError> {
        let removed = self.infra.store.write(move |c| {
            let Some(app) = apps::by_slug_or_id(c, &slug_or_id)? else {
                return Ok(None);
            };
            if accounts::exist_for(c, &app.id)? {
                return Ok(Some(false));
            }
            apps::remove(c, &app.id).map(Some)
        });
        match removed.await? {
            Some(true) => Ok(()),
            Some(false) => Err(EngineError::Conflict(
                "the app has accounts: delete those first".to_owned(),
            )),
            None => Err(EngineError::NotFound("app")),
        }
    }

    pub async fn get(&self, slug_or_id: String) -> Result<App, EngineError> {
        self.infra
            .store
            .read(move |c| apps::by_slug_or_id(c, &slug_or_id))
            .await?
            .ok_or(EngineError::NotFound("app"))
    }

    /// Apps whose slug or name contains `text`.
    pub async fn list(&self, text: String, page: Page) -> Result<Listing<App>, EngineError> {
        let listing = self.infra.store.read(move |c| {
            let total = apps::count(c, &text)?;
            let rows = apps::list(c, &text, &page)?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }
}

fn invalid_fields(new: &NewApp) -> Vec<String> {
    let mut errors = Vec::new();
    if !is_app_slug(&new.slug) {
        errors.push(
            "name_slug must be lower-case letters, digits, _ and -, at most 100 of them".to_owned(),
        );
    }
    match &new.auth {
        AppAuth::None => {}
        AppAuth::Keys { fields } => {
            let mut seen = HashSet::new();
            if fields.is_empty() {
                errors.push("custom_fields must name at least one field".to_owned());
            }
            for field in fields {
                if field.name.is_empty() {
                    errors.push("custom_fields must have a name each".to_owned());
                } else if !seen.insert(field.name.as_str()) {
                    errors.push(format!("custom_fields name {} twice", field.name));
                }
            }
        }
        AppAuth::Oauth(settings) => errors.extend(oauth_errors(settings)),
    }
    errors
}

fn oauth_errors(settings: &OauthSettings) -> Vec<String> {
    let mut errors = Vec::new();
    if settings.client_id.is_empty() {
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
