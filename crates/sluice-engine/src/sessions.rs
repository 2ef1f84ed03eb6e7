//! Sessions of people who sign in to the console: a browser's cookie in place of an API key.

use sluice_infra::{MS_PER_DAY, MS_PER_HOUR};
use sluice_model::SessionToken;
use sluice_store::{
    StoreError,
    sessions::{self, Session},
    users::{self, User},
};

use crate::{Engine, error::EngineError};

/// A session that nobody uses for so long is over.
const LIFETIME_MS: i64 = 14 * MS_PER_DAY;
/// A session that is in use is written down no more often than this.
const NOTED_EVERY_MS: i64 = MS_PER_HOUR;

/// Enough to tell the few servers apart that one host has.
const MARK_LENGTH: usize = 8;

/// Somebody who is signed in.
pub struct SignedIn {
    pub user: User,
    pub expires_at: i64,
}

impl Engine {
    /// A few hexadecimal digits by which a browser tells the sessions of this server from those of others. They come from the
    /// master key, which all nodes of one server share, and from its address, by which copies of a server differ.
    pub fn mark_of_sessions(&self) -> String {
        let address = &self.context.infra.settings.public_url;
        let mut mark = self
            .context
            .infra
            .vault
            .fingerprint(&format!("sessions at {address}"));
        mark.truncate(MARK_LENGTH);
        mark
    }

    /// Begins a session of the user with this API key.
    pub async fn sign_in(
        &self,
        key: &str,
    ) -> Result<Option<(SignedIn, SessionToken)>, EngineError> {
        // Looked up before anything is written, so that guessing costs the server little.
        if self.authenticate(key).await?.is_none() {
            return Ok(None);
        }
        let token = SessionToken::random(&mut rand::rng());
        let key_print = self.context.infra.vault.fingerprint(key);
        let token_print = self.context.infra.vault.fingerprint(token.as_str());
        let now = self.context.infra.clock.now_ms();
        let expires_at = now + LIFETIME_MS;
        let user = self
            .context
            .infra
            .store
            .write(move |c| sessions::begin(c, &key_print, &token_print, now, expires_at))
            .await?;
        Ok(user.map(|user| (SignedIn { user, expires_at }, token)))
    }

    /// Who is signed in with this token, if its session lasts.
    pub async fn signed_in(&self, token: &SessionToken) -> Result<Option<SignedIn>, EngineError> {
        let fingerprint = self.context.infra.vault.fingerprint(token.as_str());
        let now = self.context.infra.clock.now_ms();
        let sought = fingerprint.clone();
        let found = self
            .context
            .infra
            .store
            .read(move |c| {
                let Some(session) = sessions::by_fingerprint(c, &sought, now)? else {
                    return Ok::<_, StoreError>(None);
                };
                let user = users::get(c, &session.user_id)?;
                Ok(user.map(|user| (user, session)))
            })
            .await?;
        let Some((user, session)) = found else {
            return Ok(None);
        };
        let expires_at = self.note_use(fingerprint, &session, now).await;
        Ok(Some(SignedIn { user, expires_at }))
    }

    pub async fn sign_out(&self, token: &SessionToken) -> Result<(), EngineError> {
        let fingerprint = self.context.infra.vault.fingerprint(token.as_str());
        let ended = self
            .context
            .infra
            .store
            .write(move |c| sessions::end(c, &fingerprint));
        Ok(ended.await?)
    }

    /// Puts off the end of a session in use, and answers when that is now. A store that cannot be written to ends nobody's
    /// session.
    async fn note_use(&self, fingerprint: String, session: &Session, now: i64) -> i64 {
        let used_before = now - NOTED_EVERY_MS;
        if session.used_at > used_before {
            return session.expires_at;
        }
        let expires_at = now + LIFETIME_MS;
        let noted = self
            .context
            .infra
            .store
            .write(move |c| sessions::touch(c, &fingerprint, used_before, now, expires_at))
            .await;
        match noted {
            Ok(()) => expires_at,
            Err(error) => {
                tracing::warn!(%error, "the use of a session could not be noted");
                session.expires_at
            }
        }
    }
}
