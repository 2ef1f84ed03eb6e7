//! Finding out what an account's `$auth` is now, and renewing tokens before they expire.
//!
//! One renewal is under way for each account: in this process by the slot's turn, among nodes by a claim in the store. New
//! tokens are stored before anyone sees them, because the old refresh token may be void from then on.

use std::{sync::Arc, time::Duration};

use sluice_model::AppAuth;
use sluice_store::{
    StoreError,
    accounts::{self, Account, Health, Renewal},
    apps::{self, App},
};

use super::{
    Accounts,
    credentials::{Credentials, Tokens},
    oauth::{OauthError, Registration, TokenAnswer},
    slot::{Auth, Finding, PutOff, Slot},
};

/// How long what the store says is believed: other nodes change accounts too.
const BELIEVED_MS: i64 = 10_000;
/// Whatever lifetimes a provider gives, it is not asked more often than this.
const SHORTEST_BELIEF_MS: i64 = 1_000;
/// Longer than a renewal can take, with all its tries.
const CLAIM_MS: i64 = 60_000;
const FIRST_BACKOFF_MS: i64 = 1_000;
const LONGEST_BACKOFF_MS: i64 = 60_000;
/// Tries of a renewal without which nothing can run.
const TRIES: u32 = 3;
const TRY_PAUSE: Duration = Duration::from_millis(500);
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(200);
const MOST_WAITS: u32 = 25;
const STORE_TRIES: u32 = 20;
const STORE_PAUSE: Duration = Duration::from_millis(250);

/// An account as it was read, with tokens that should be renewed.
struct Due<'a> {
    account: &'a Account,
    app: &'a App,
    tokens: &'a Tokens,
    /// Whether the old access token can still be used.
    usable_until: Option<i64>,
}

impl Accounts {
    /// Finds out what components may use now, and renews it when that is due, unless it is known. Those who ask at once
    /// wait for the same answer.
    async fn find_out(&self, slot: &Slot) -> Result<(), StoreError> {
        let _turn = slot.turn.lock().await;
        while slot.answer(self.clock.now_ms()).is_none() {
            let changes = slot.changes();
            let mut finding = self.find(slot).await?;
            let soonest = self.clock.now_ms() + SHORTEST_BELIEF_MS;
            finding.until = finding.until.max(soonest);
            slot.learn(changes, finding);
        }
        Ok(())
    }

    /// The same for several, so that a check made right afterwards knows them all.
    pub(crate) async fn find_out_all(&self, slots: &[Arc<Slot>]) -> Result<(), StoreError> {
        for slot in slots {
            self.find_out(slot).await?;
        }
        Ok(())
    }

    async fn find(&self, slot: &Slot) -> Result<Finding, StoreError> {
        for _ in 0..MOST_WAITS {
            if let Some(finding) = self.try_find(slot).await? {
                return Ok(finding);
            }
            tokio::time::sleep(WAIT_FOR_OTHERS).await;
        }
        Ok(self.refused(
            format!(
                "the credentials of {} are still being renewed",
                slot.account
            ),
            FIRST_BACKOFF_MS,
        ))
    }

    /// None when somebody else is changing the account: it is to be read again.
    async fn try_find(&self, slot: &Slot) -> Result<Option<Finding>, StoreError> {
        let (user, id) = (slot.user.clone(), slot.account.clone());
        let found = self.store.read(move |c| {
            let Some(account) = accounts::get(c, &user, &id)? else {
                return Ok(None);
            };
            let app = apps::get(c, &account.app_id)?;
            Ok(app.map(|app| (account, app)))
        });
        let Some((account, app)) = found.await? else {
            let message = format!(
                "the account {} does not exist any more: configure another one",
                slot.account
            );
            return Ok(Some(self.refused(message, BELIEVED_MS)));
        };
        if let Health::Dead(reason) = &account.health {
            return Ok(Some(self.refused(reason.clone(), BELIEVED_MS)));
        }
        let credentials = match Credentials::open(&self.vault, &account) {
            Ok(credentials) => credentials,
            Err(why) => {
                let message = format!("the credentials of {} cannot be read: {why}", account.name);
                return Ok(Some(self.refused(message, BELIEVED_MS)));
            }
        };
        let now = self.clock.now_ms();
        let believed = now + BELIEVED_MS;
        let Credentials::Oauth(tokens) = &credentials else {
            return Ok(Some(granted(&app, &credentials, believed)));
        };
        match tokens.renew_at() {
            Some(renew_at) if renew_at <= now => {
                let due = Due {
                    account: &account,
                    app: &app,
                    tokens,
                    usable_until: tokens.expires_at.filter(|expires_at| now < *expires_at),
                };
                self.renew(slot, due).await
            }
            renew_at => {
                let until = renew_at.map_or(believed, |renew_at| believed.min(renew_at));
                Ok(Some(granted(&app, &credentials, until)))
            }
        }
    }

    async fn renew(&self, slot: &Slot, due: Due<'_>) -> Result<Option<Finding>, StoreError> {
        let (AppAuth::Oauth(settings), Some(refresh_token)) =
            (&due.app.auth, &due.tokens.refresh_token)
        else {
            return match due.usable_until {
                Some(expires_at) => Ok(Some(due.as_it_is(expires_at))),
                None => self.bury(&due, "it cannot be renewed").await,
            };
        };
        let (id, version) = (due.account.id.clone(), due.account.version);
        let now = self.clock.now_ms();
        let claim = move |c: &mut dyn sluice_store::Conn| {
            accounts::claim_renewal(c, &id, version, now, now + CLAIM_MS)
        };
        if !self.store.write(claim).await? {
            if due.usable_until.is_some() {
                return Ok(Some(due.as_it_is(now)));
            }
            // When it is this node that has put it off, the reason is known.
            let waits = slot.waits(version, now);
            return Ok(waits.map(|PutOff { until, why, .. }| Finding {
                answer: Err(why),
                until,
            }));
        }
        let secret = match self.client_secret(due.app) {
            Ok(secret) => secret,
            Err(why) => return self.failed(slot, &due, &why).await,
        };
        let registration = Registration {
            settings: settings.as_ref(),
            secret,
        };
        let tries = if due.usable_until.is_some() { 1 } else { TRIES };
        match self.try_refresh(&registration, refresh_token, tries).await {
            Ok(answer) => self.renewed(slot, &due, answer).await,
            Err(OauthError::InvalidGrant(why)) => self.bury(&due, &why).await,
            Err(error) => self.failed(slot, &due, &error.to_string()).await,
        }
    }

    async fn try_refresh(
        &self,
        registration: &Registration<'_>,
        refresh_token: &str,
        tries: u32,
    ) -> Result<TokenAnswer, OauthError> {
        let mut pause = TRY_PAUSE;
        for _ in 1..tries {
            match self.provider.refresh(registration, refresh_token).await {
                Err(OauthError::Passing(_)) => tokio::time::sleep(pause).await,
                settled => return settled,
            }
            pause *= 4;
        }
        self.provider.refresh(registration, refresh_token).await
    }

    async fn renewed(
        &self,
        slot: &Slot,
        due: &Due<'_>,
        answer: TokenAnswer,
    ) -> Result<Option<Finding>, StoreError> {
        slot.succeeded();
        let now = self.clock.now_ms();
        let tokens = due.tokens.renewed(answer, now);
        let until = tokens
            .renew_at()
            .map_or(now + BELIEVED_MS, |at| at.min(now + BELIEVED_MS));
        let credentials = Credentials::Oauth(tokens);
        let renewal = credentials.seal(&self.vault, now);
        let stored = self.store_renewal(due.account, renewal).await?;
        tracing::debug!(account = %due.account.id, "tokens renewed");
        Ok(stored.then(|| granted(due.app, &credentials, until)))
    }

    /// The old refresh token may be void, so the new one is not given up while the store may come back.
    async fn store_renewal(&self, account: &Account, renewal: Renewal) -> Result<bool, StoreError> {
        let mut tries = STORE_TRIES;
        loop {
            let (id, version, row) = (account.id.clone(), account.version, renewal.clone());
            let stored = self
                .store
                .write(move |c| accounts::renew(c, &id, version, &row));
            match stored.await {
                Err(error) if error.is_retryable() && tries > 1 => {
                    tracing::warn!(account = %account.id, %error, "renewed tokens could not be stored; trying again");
                    tries -= 1;
                    tokio::time::sleep(STORE_PAUSE).await;
                }
                settled => return settled,
            }
        }
    }

    /// The grant is gone: nobody asks the provider again until the account is connected again.
    async fn bury(&self, due: &Due<'_>, why: &str) -> Result<Option<Finding>, StoreError> {
        let Due { account, app, .. } = due;
        tracing::info!(account = %account.id, why, "an authorization is gone");
        let reason = format!(
            "the authorization of {} ({}) was revoked or has expired: connect the account again ({why})",
            account.name, app.name
        );
        let (id, version, now) = (account.id.clone(), account.version, self.clock.now_ms());
        let words = reason.clone();
        let bury =
            move |c: &mut dyn sluice_store::Conn| accounts::mark_dead(c, &id, version, &words, now);
        let buried = self.store.write(bury).await?;
        Ok(buried.then(|| self.refused(reason, BELIEVED_MS)))
    }

    /// A renewal did not work this time: the provider is left in peace for a while, and the old token serves while it can.
    async fn failed(
        &self,
        slot: &Slot,
        due: &Due<'_>,
        why: &str,
    ) -> Result<Option<Finding>, StoreError> {
        let Due { account, app, .. } = due;
        let backoff = backoff(slot.failed());
        tracing::warn!(account = %account.id, why, "tokens could not be renewed; trying again in {backoff} ms");
        let (id, version) = (account.id.clone(), account.version);
        let message: Arc<str> = Arc::from(format!(
            "the authorization of {} ({}) could not be renewed: {why}",
            account.name, app.name
        ));
        let until = self.clock.now_ms() + backoff;
        slot.put_off(PutOff {
            version,
            until,
            why: Arc::clone(&message),
        });
        let put_off = move |c: &mut dyn sluice_store::Conn| {
            accounts::postpone_renewal(c, &id, version, until)
        };
        self.store.write(put_off).await?;
        Ok(Some(match due.usable_until {
            Some(expires_at) => due.as_it_is(until.min(expires_at)),
            None => Finding {
                answer: Err(message),
                until: self.clock.now_ms() + backoff,
            },
        }))
    }

    /// The client secret of an OAuth app, in clear.
    pub(super) fn client_secret(&self, app: &App) -> Result<Option<String>, String> {
        let open = |sealed: &String| {
            let opened = self.vault.open(sealed).map_err(|error| error.to_string())?;
            String::from_utf8(opened).map_err(|error| error.to_string())
        };
        app.secret_sealed
            .as_ref()
            .map(open)
            .transpose()
            .map_err(|why| format!("the client secret cannot be read: {why}"))
    }

    fn refused(&self, message: String, for_ms: i64) -> Finding {
        Finding {
            answer: Err(Arc::from(message)),
            until: self.clock.now_ms() + for_ms,
        }
    }
}

impl Due<'_> {
    fn as_it_is(&self, until: i64) -> Finding {
        granted(self.app, &Credentials::Oauth(self.tokens.clone()), until)
    }
}

fn granted(app: &App, credentials: &Credentials, until: i64) -> Finding {
    let auth = Auth {
        app_slug: app.slug.clone(),
        fields: credentials.auth(app),
    };
    Finding {
        answer: Ok(Arc::new(auth)),
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
