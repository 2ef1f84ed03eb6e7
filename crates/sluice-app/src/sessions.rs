//! Sessions of console users: a browser's cookie replaces the API key.

use sluice_engine::EngineError;
use sluice_infra::{Infra, MS_PER_DAY, MS_PER_HOUR};
use sluice_model::{SessionToken, UserId};
use sluice_store::{
    StoreError,
    sessions::{self, Session},
    users::{self, User},
};

use crate::users::Users;

/// An unused session expires after this.
const LIFETIME_MS: i64 = 14 * MS_PER_DAY;
/// The expiry of a session in use is extended at most this often.
const EXTENDED_EVERY_MS: i64 = MS_PER_HOUR;

/// Enough to distinguish the few servers of one host.
const SERVER_MARK_LENGTH: usize = 8;

/// An active session.
pub struct ActiveSession {
    pub user: User,
    pub expires_at: i64,
}

/// Signs users in and out.
#[derive(Clone)]
pub struct Sessions {
    infra: Infra,
    users: Users,
}

impl Sessions {
    pub fn new(infra: &Infra, users: Users) -> Sessions {
        Sessions {
            infra: infra.clone(),
            users,
        }
    }

    /// A few hexadecimal digits that distinguish the cookies of this server from those of others on the same host. They
    /// are derived from the data key, which all nodes of a server share, and from the address, which differs between
    /// copies of a server.
    pub fn server_mark(&self) -> String {
        let address = &self.infra.settings.public_url;
        let mut mark = self
            .infra
            .vault
            .fingerprint(&format!("sessions at {address}"));
        mark.truncate(SERVER_MARK_LENGTH);
        mark
    }

    /// Starts a session for the user with this API key.
    pub async fn sign_in(
        &self,
        key: &str,
    ) -> Result<Option<(ActiveSession, SessionToken)>, EngineError> {
        // A read before the write keeps guessed keys cheap.
        if self.users.authenticate(key).await?.is_none() {
            return Ok(None);
        }
        let token = SessionToken::random(&mut self.infra.ids.rng());
        let key_print = self.infra.vault.fingerprint(key);
        let token_print = self.infra.vault.fingerprint(token.as_str());
        let now = self.infra.now_ms();
        let expires_at = now + LIFETIME_MS;
        let user = self
            .infra
            .store
            .write(move |c| sessions::begin(c, &key_print, &token_print, now, expires_at))
            .await?;
        Ok(user.map(|user| (ActiveSession { user, expires_at }, token)))
    }

    /// Starts a session for a user who was recognized by other means than the API key. `None` if the user was removed meanwhile.
    pub async fn sign_in_user(
        &self,
        user: &UserId,
    ) -> Result<Option<(ActiveSession, SessionToken)>, EngineError> {
        let token = SessionToken::random(&mut self.infra.ids.rng());
        let token_print = self.infra.vault.fingerprint(token.as_str());
        let now = self.infra.now_ms();
        let expires_at = now + LIFETIME_MS;
        let user = user.clone();
        let begun = self
            .infra
            .store
            .write(move |c| sessions::begin_of(c, &user, &token_print, now, expires_at))
            .await?;
        Ok(begun.map(|user| (ActiveSession { user, expires_at }, token)))
    }

    /// The session with this token, unless it has expired.
    pub async fn find(&self, token: &SessionToken) -> Result<Option<ActiveSession>, EngineError> {
        let fingerprint = self.infra.vault.fingerprint(token.as_str());
        let now = self.infra.now_ms();
        let wanted = fingerprint.clone();
        let found = self
            .infra
            .store
            .read(move |c| {
                let Some(session) = sessions::by_fingerprint(c, &wanted, now)? else {
                    return Ok::<_, StoreError>(None);
                };
                let user = users::get(c, &session.user_id)?;
                Ok(user.map(|user| (user, session)))
            })
            .await?;
        let Some((user, session)) = found else {
            return Ok(None);
        };
        let expires_at = self.extend(fingerprint, &session, now).await;
        Ok(Some(ActiveSession { user, expires_at }))
    }

    pub async fn sign_out(&self, token: &SessionToken) -> Result<(), EngineError> {
        let fingerprint = self.infra.vault.fingerprint(token.as_str());
        let ended = self
            .infra
            .store
            .write(move |c| sessions::end(c, &fingerprint));
        Ok(ended.await?)
    }

    /// Extends a session in use; returns its expiry. A session survives a store that cannot be written to.
    async fn extend(&self, fingerprint: String, session: &Session, now: i64) -> i64 {
        let used_before = now - EXTENDED_EVERY_MS;
        if session.used_at > used_before {
            return session.expires_at;
        }
        let expires_at = now + LIFETIME_MS;
        let extended = self
            .infra
            .store
            .write(move |c| sessions::touch(c, &fingerprint, used_before, now, expires_at))
            .await;
        match extended {
            Ok(()) => expires_at,
            Err(error) => {
                tracing::warn!(user = %session.user_id, %error, "cannot extend session");
                session.expires_at
            }
        }
    }
}
