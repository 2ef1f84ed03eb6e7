//! Deleting an account.

use sluice_engine::{
    EngineError,
    process::credentials::{StoredCredentials, Tokens, oauth::Registration},
};
use sluice_model::{AccountId, AppAuth, UserId};
use sluice_store::{accounts, audit::Action};

use super::manage::{AccountView, Accounts};
use crate::audit::Actor;

impl Accounts {
    /// Deletes an account and revokes its tokens at the provider. Sources that use it log an error at their next run.
    pub async fn delete(&self, actor: &Actor, id: &AccountId) -> Result<(), EngineError> {
        self.delete_of(&actor.user_id, actor, id).await
    }

    /// As [`Accounts::delete`], for an account of any user.
    pub(crate) async fn delete_of(
        &self,
        user: &UserId,
        actor: &Actor,
        id: &AccountId,
    ) -> Result<(), EngineError> {
        let view = self.get(user, id).await?;
        let change = self.recorded(actor, Action::AccountDelete, &view.account, &view.app);
        let change = change.of_account(user);
        let (owner, account) = (user.clone(), id.clone());
        let removed = self.infra.store.write(move |c| {
            let removed = accounts::remove(c, &owner, &account)?;
            if removed {
                change.record(c)?;
            }
            Ok(removed)
        });
        if !removed.await? {
            return Err(EngineError::NotFound("account"));
        }
        self.credentials.forget(user, id);
        let accounts = self.clone();
        self.infra
            .shutdown
            .spawn(async move { accounts.revoke(&view).await });
        Ok(())
    }

    async fn revoke(&self, AccountView { account, app }: &AccountView) {
        let (AppAuth::Oauth(settings), Ok(StoredCredentials::Oauth(tokens)), Ok(secret)) = (
            &app.auth,
            StoredCredentials::open(&self.infra.vault, account),
            self.credentials.client_secret(app),
        ) else {
            return;
        };
        let Ok(registration) = Registration::new(settings, &tokens.extra, secret) else {
            return;
        };
        let Tokens {
            access_token,
            refresh_token,
            ..
        } = tokens;
        let token = refresh_token.unwrap_or(access_token);
        let provider = self.credentials.provider();
        if let Err(error) = provider.revoke(&registration, &token).await {
            tracing::info!(account = %account.id, app = app.slug, %error, "provider did not revoke tokens");
        }
    }
}
