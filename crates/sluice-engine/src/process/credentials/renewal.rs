//! Refreshing the cached credentials of an account, and renewing OAuth tokens before they expire.
//!
//! One renewal runs at a time for each account: in this process by the entry's lock, among nodes by a claim in the store.
//! New tokens are stored before they are used, because the provider may have voided the old refresh token.

use std::{sync::Arc, time::Duration};

use sluice_infra::Backoff;
use sluice_model::{AppAuth, ConnectionError, ConnectionErrorCode};
use sluice_store::{
    StoreError,
    accounts::{self, Account, Health, Renewal},
    apps::{self, App},
};

use super::{
    Credentials,
    entry::{AccountEntry, Auth, CachedAuth, PostponedRenewal},
    oauth::{Registration, TokenAnswer},
    stored::{StoredCredentials, Tokens},
};

/// Lifetime of a cached result. Other nodes change accounts too.
const CACHED_MS: i64 = 10_000;
/// Shortest lifetime of a cached result, whatever lifetime a provider gives its tokens.
const MIN_CACHED_MS: i64 = 1_000;
/// Longer than all attempts of a renewal together.
const CLAIM_MS: i64 = 60_000;
const FIRST_BACKOFF_MS: i64 = 1_000;
const LONGEST_BACKOFF_MS: i64 = 60_000;
/// Attempts of a renewal when the old token has expired.
const ATTEMPTS: u32 = 3;
const ATTEMPT_PAUSE: Duration = Duration::from_millis(500);
/// Pause before an account that another node is renewing is read again.
const CONFLICT_PAUSE: Duration = Duration::from_millis(200);
const MAX_CONFLICTS: u32 = 25;

/// An account whose tokens are due for renewal.
struct Due<'a> {
    account: &'a Account,
    app: &'a App,
    tokens: &'a Tokens,
    /// Expiry of the old access token, if it is still valid.
    usable_until: Option<i64>,
}

impl Credentials {
    /// Refreshes entries, so that a check right afterwards knows them all.
    pub async fn refresh_all(&self, entries: &[Arc<AccountEntry>]) -> Result<(), StoreError> {
        for entry in entries {
            self.refresh(entry).await?;
        }
        Ok(())
    }

    /// Reads the account and renews its tokens when they are due. Concurrent callers share one result.
    async fn refresh(&self, entry: &AccountEntry) -> Result<(), StoreError> {
        let _guard = entry.refresh.lock().await;
        while entry.result(self.now()).is_none() {
            let generation = entry.generation();
            let mut cached = self.find(entry).await?;
            cached.until = cached.until.max(self.now() + MIN_CACHED_MS);
            entry.cache(generation, cached);
        }
        Ok(())
    }

    fn now(&self) -> i64 {
        self.0.infra.now_ms()
    }

    async fn find(&self, entry: &AccountEntry) -> Result<CachedAuth, StoreError> {
        for _ in 0..MAX_CONFLICTS {
            if let Some(cached) = self.try_find(entry).await? {
                return Ok(cached);
            }
            tokio::time::sleep(CONFLICT_PAUSE).await;
        }
        Ok(self.refused(
            format!(
                "the credentials of {} are still being renewed",
                entry.account
            ),
            FIRST_BACKOFF_MS,
        ))
    }

    /// None when another node is changing the account: it is read again.
    async fn try_find(&self, entry: &AccountEntry) -> Result<Option<CachedAuth>, StoreError> {
        let (user, id) = (entry.user.clone(), entry.account.clone());
        let found = self.0.infra.store.read(move |c| {
            let Some(account) = accounts::get(c, &user, &id)? else {
                return Ok(None);
            };
            let app = apps::get(c, &account.app_id)?;
            Ok(app.map(|app| (account, app)))
        });
        let Some((account, app)) = found.await? else {
            let message = format!(
                "the account {} does not exist any more: configure another one",
                entry.account
            );
            return Ok(Some(self.refused(message, CACHED_MS)));
        };
        if let Health::Dead(reason) = &account.health {
            return Ok(Some(self.refused(reason.clone(), CACHED_MS)));
        }
        let credentials = match StoredCredentials::open(&self.0.infra.vault, &account) {
            Ok(credentials) => credentials,
            Err(why) => {
                let message = format!("the credentials of {} cannot be read: {why}", account.name);
                return Ok(Some(self.refused(message, CACHED_MS)));
            }
        };
        let now = self.now();
        let fresh = now + CACHED_MS;
        let StoredCredentials::Oauth(tokens) = &credentials else {
            return Ok(Some(granted(&app, &credentials, fresh)));
        };
        match tokens.renew_at() {
            Some(renew_at) if renew_at <= now => {
                let due = Due {
                    account: &account,
                    app: &app,
                    tokens,
                    usable_until: tokens.expires_at.filter(|expires_at| now < *expires_at),
                };
                self.renew(entry, due).await
            }
            renew_at => {
                let until = renew_at.map_or(fresh, |renew_at| fresh.min(renew_at));
                Ok(Some(granted(&app, &credentials, until)))
            }
        }
    }

    async fn renew(
        &self,
        entry: &AccountEntry,
        due: Due<'_>,
    ) -> Result<Option<CachedAuth>, StoreError> {
        let (AppAuth::Oauth(settings), Some(refresh_token)) =
            (&due.app.auth, &due.tokens.refresh_token)
        else {
            return match due.usable_until {
                Some(expires_at) => Ok(Some(due.unchanged(expires_at))),
                None => self.revoked(&due, "it cannot be renewed").await,
            };
        };
        let (id, version) = (due.account.id.clone(), due.account.version);
        let now = self.now();
        let claim = move |c: &mut dyn sluice_store::Conn| {
            accounts::claim_renewal(c, &id, version, now, now + CLAIM_MS)
        };
        if !self.0.infra.store.write(claim).await? {
            if due.usable_until.is_some() {
                return Ok(Some(due.unchanged(now)));
            }
            // This node knows the reason when it postponed the renewal itself.
            let waits = entry.postponed(version, now);
            return Ok(
                waits.map(|PostponedRenewal { until, reason, .. }| CachedAuth {
                    result: Err(reason),
                    until,
                }),
            );
        }
        let registration = self.client_secret(due.app);
        let registration =
            registration.and_then(|secret| Registration::new(settings, &due.tokens.extra, secret));
        let registration = match registration {
            Ok(registration) => registration,
            Err(why) => return self.failed(entry, &due, &why).await,
        };
        let attempts = if due.usable_until.is_some() {
            1
        } else {
            ATTEMPTS
        };
        match self
            .try_refresh(&registration, refresh_token, attempts)
            .await
        {
            Ok(answer) => self.renewed(entry, &due, answer).await,
            Err(error) if error.code == ConnectionErrorCode::InvalidGrant => {
                self.revoked(&due, &error.message).await
            }
            Err(error) => self.failed(entry, &due, &error.message).await,
        }
    }

    async fn try_refresh(
        &self,
        registration: &Registration,
        refresh_token: &str,
        attempts: u32,
    ) -> Result<TokenAnswer, ConnectionError> {
        let mut pause = ATTEMPT_PAUSE;
        for _ in 1..attempts {
            match self.0.provider.refresh(registration, refresh_token).await {
                Err(error) if error.code == ConnectionErrorCode::TemporarilyUnavailable => {
                    tokio::time::sleep(pause).await;
                }
                settled => return settled,
            }
            pause *= 4;
        }
        self.0.provider.refresh(registration, refresh_token).await
    }

    async fn renewed(
        &self,
        entry: &AccountEntry,
        due: &Due<'_>,
        answer: TokenAnswer,
    ) -> Result<Option<CachedAuth>, StoreError> {
        entry.succeeded();
        let now = self.now();
        let tokens = due.tokens.renewed(answer, now);
        let until = tokens
            .renew_at()
            .map_or(now + CACHED_MS, |at| at.min(now + CACHED_MS));
        let credentials = StoredCredentials::Oauth(tokens);
        let infra = &self.0.infra;
        let renewal = credentials.seal(&infra.vault, &mut infra.ids.rng(), now);
        let stored = self.store_renewal(due.account, renewal).await?;
        tracing::debug!(account = %due.account.id, "tokens renewed");
        Ok(stored.then(|| granted(due.app, &credentials, until)))
    }

    /// Stores renewed tokens, however long the store is unavailable: the old refresh token may be void, and without the
    /// new one the user would have to reconnect the account.
    async fn store_renewal(&self, account: &Account, renewal: Renewal) -> Result<bool, StoreError> {
        let mut backoff = Backoff::store();
        loop {
            let (id, version, row) = (account.id.clone(), account.version, renewal.clone());
            let write =
                move |c: &mut dyn sluice_store::Conn| accounts::renew(c, &id, version, &row);
            match self.0.infra.store.write(write).await {
                Err(error) if error.is_retryable() => {
                    tracing::warn!(account = %account.id, %error, "renewed tokens not stored; retrying");
                    backoff.sleep().await;
                }
                settled => return settled,
            }
        }
    }

    /// The grant is gone. The provider is not asked again until the account is reconnected.
    async fn revoked(&self, due: &Due<'_>, why: &str) -> Result<Option<CachedAuth>, StoreError> {
        let Due { account, app, .. } = due;
        tracing::info!(account = %account.id, reason = why, "authorization revoked");
        let reason = format!(
            "the authorization of {} ({}) was revoked or has expired: connect the account again ({why})",
            account.name, app.name
        );
        let (id, version, now) = (account.id.clone(), account.version, self.now());
        let words = reason.clone();
        let mark_dead =
            move |c: &mut dyn sluice_store::Conn| accounts::mark_dead(c, &id, version, &words, now);
        let marked = self.0.infra.store.write(mark_dead).await?;
        Ok(marked.then(|| self.refused(reason, CACHED_MS)))
    }

    /// A renewal failed. The next attempt waits for the backoff; the old token is used while it is valid.
    async fn failed(
        &self,
        entry: &AccountEntry,
        due: &Due<'_>,
        why: &str,
    ) -> Result<Option<CachedAuth>, StoreError> {
        let Due { account, app, .. } = due;
        let backoff = backoff(entry.failed());
        tracing::warn!(account = %account.id, error = why, retry_in_ms = backoff, "token renewal failed; retrying");
        let (id, version) = (account.id.clone(), account.version);
        let message: Arc<str> = Arc::from(format!(
            "the authorization of {} ({}) could not be renewed: {why}",
            account.name, app.name
        ));
        let until = self.now() + backoff;
        entry.postpone(PostponedRenewal {
            version,
            until,
            reason: Arc::clone(&message),
        });
        let put_off = move |c: &mut dyn sluice_store::Conn| {
            accounts::postpone_renewal(c, &id, version, until)
        };
        self.0.infra.store.write(put_off).await?;
        Ok(Some(match due.usable_until {
            Some(expires_at) => due.unchanged(until.min(expires_at)),
            None => CachedAuth {
                result: Err(message),
                until: self.now() + backoff,
            },
        }))
    }

    /// The client secret of an OAuth app, opened.
    pub fn client_secret(&self, app: &App) -> Result<Option<String>, String> {
        let open = |sealed: &String| {
            let opened = self
                .0
                .infra
                .vault
                .open(sealed)
                .map_err(|error| error.to_string())?;
            String::from_utf8(opened).map_err(|error| error.to_string())
        };
        app.secret_sealed
            .as_ref()
            .map(open)
            .transpose()
            .map_err(|why| format!("the client secret cannot be read: {why}"))
    }

    fn refused(&self, message: String, for_ms: i64) -> CachedAuth {
        CachedAuth {
            result: Err(Arc::from(message)),
            until: self.now() + for_ms,
        }
    }
}

impl Due<'_> {
    fn unchanged(&self, until: i64) -> CachedAuth {
        granted(
            self.app,
            &StoredCredentials::Oauth(self.tokens.clone()),
            until,
        )
    }
}

fn granted(app: &App, credentials: &StoredCredentials, until: i64) -> CachedAuth {
    let auth = Auth {
        app_slug: app.slug.clone(),
        fields: credentials.auth(app),
    };
    CachedAuth {
        result: Ok(Arc::new(auth)),
        until,
    }
}

fn backoff(failures: u32) -> i64 {
    let doublings = failures.saturating_sub(1).min(16);
    (FIRST_BACKOFF_MS << doublings).min(LONGEST_BACKOFF_MS)
}

#[cfg(test)]
mod tests {
    use super::backoff;

    #[test]
    fn the_pause_after_failures_doubles_up_to_a_minute() {
        let pauses: Vec<i64> = [1, 2, 3, 7, 1000].into_iter().map(backoff).collect();
        assert_eq!(pauses, [1_000, 2_000, 4_000, 60_000, 60_000]);
    }
}
