//! Registering, reading and removing apps.

use sluice_engine::{EngineError, process::credentials::Credentials};
use sluice_infra::Infra;
use sluice_model::{AppAuth, AppId};
use sluice_store::{
    accounts,
    apps::{self, App, Origin},
    audit::{Action, TargetKind},
};

use super::{
    checks::invalid_fields,
    input::{NewApp, NewClient},
    known,
};

use crate::audit::{Actor, Change, Target};

/// Manages apps.
#[derive(Clone)]
pub struct Apps {
    pub(super) infra: Infra,
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
    pub async fn register(&self, actor: &Actor, new: NewApp) -> Result<App, EngineError> {
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
            origin: Origin::Operator,
            created_at: now,
            updated_at: now,
        };
        let mut change = self.change(actor, Action::AppRegister, &app);
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
            let stored = apps::by_slug(c, &app.slug)?;
            if let Some(stored) = &stored {
                change.set_target(target(stored));
                change.record(c)?;
            }
            Ok(stored)
        });
        let stored = stored.await?.ok_or_else(|| {
            EngineError::Conflict(
                "the app has accounts, so its kind of authentication cannot change".to_owned(),
            )
        })?;
        self.credentials.forget_all();
        Ok(stored)
    }

    pub async fn delete(&self, actor: &Actor, slug_or_id: String) -> Result<(), EngineError> {
        let unknown = Target::new(TargetKind::App, "", &slug_or_id);
        let mut change = Change::new(&self.infra, actor, Action::AppRemove, unknown);
        let removed = self.infra.store.write(move |c| {
            let Some(app) = apps::by_slug_or_id(c, &slug_or_id)? else {
                return Ok(None);
            };
            if accounts::exist_for(c, &app.id)? {
                return Ok(Some(false));
            }
            let removed = apps::remove(c, &app.id)?;
            if removed {
                change.set_target(target(&app));
                change.record(c)?;
            }
            Ok(Some(removed))
        });
        match removed.await? {
            Some(true) => Ok(()),
            Some(false) => Err(EngineError::Conflict(
                "the app has accounts: delete those first".to_owned(),
            )),
            None => Err(EngineError::NotFound("app")),
        }
    }

    /// The app with a row in the store.
    pub(crate) async fn stored(&self, app: App) -> Result<App, EngineError> {
        if app.created_at > 0 {
            return Ok(app);
        }
        let now = self.infra.creation_ms();
        let stored = self.infra.store.write(move |c| known::stored(c, app, now));
        Ok(stored.await?)
    }

    /// Sets or replaces the client at the provider of an OAuth app. The rest stays as it is.
    pub async fn set_client(
        &self,
        actor: &Actor,
        slug_or_id: String,
        client: NewClient,
    ) -> Result<App, EngineError> {
        let invalid = |error: &str| EngineError::InvalidRecord {
            field: "client",
            errors: vec![error.to_owned()],
        };
        if client.id.trim().is_empty() {
            return Err(invalid("client_id is required"));
        }
        let app = self.get(slug_or_id).await?;
        let mut app = self.stored(app).await?;
        let AppAuth::Oauth(settings) = &mut app.auth else {
            return Err(EngineError::Invalid(format!(
                "{} does not use OAuth: register it with its addresses first",
                app.name
            )));
        };
        settings.client_id = Some(client.id);
        if let Some(scopes) = client.scopes {
            settings.scopes = scopes;
        }
        for (name, value) in client.fields {
            let field = settings.fields.iter_mut().find(|field| field.name == name);
            let field =
                field.ok_or_else(|| invalid(&format!("{name} is not a field of the app")))?;
            field.default = Some(value);
        }
        if let Some(secret) = &client.secret {
            let rng = &mut self.infra.ids.rng();
            app.secret_sealed = Some(self.infra.vault.seal(secret.as_bytes(), rng));
        }
        app.updated_at = self.infra.now_ms();
        let row = app.clone();
        let change = self.change(actor, Action::AppSetOauthClient, &app);
        let written = self.infra.store.write(move |c| {
            apps::upsert(c, &row)?;
            change.record(c)
        });
        written.await?;
        self.credentials.forget_all();
        Ok(app)
    }

    fn change(&self, actor: &Actor, action: Action, app: &App) -> Change {
        Change::new(&self.infra, actor, action, target(app))
    }

    pub async fn get(&self, slug_or_id: String) -> Result<App, EngineError> {
        self.infra
            .store
            .read(move |c| known::by_slug_or_id(c, &slug_or_id))
            .await?
            .ok_or(EngineError::NotFound("app"))
    }
}

fn target(app: &App) -> Target {
    Target::new(TargetKind::App, &app.id, &app.slug)
}
