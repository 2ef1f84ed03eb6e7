//! Sessions of console users: a browser's cookie replaces the API key.

use std::{net::IpAddr, time::Duration};

use sluice_engine::EngineError;
use sluice_infra::{Infra, MS_PER_DAY, MS_PER_HOUR};
use sluice_model::{SessionId, SessionToken, UserId};
use sluice_store::{
    Page, StoreError,
    audit::{Action, Credential, TargetKind},
    sessions::{self, NewSession, Session},
    users::{self, User},
};

use crate::{
    api_keys::ApiKeys,
    audit::{Actor, Change, FailedSignIns, Target},
    listing::Listing,
};

/// An unused session expires after this.
const LIFETIME_MS: i64 = 14 * MS_PER_DAY;
/// A session ends after this, however much it is used.
const LONGEST_MS: i64 = 90 * MS_PER_DAY;
/// [`LONGEST_MS`] as the lifetime of a cookie.
pub const LONGEST_SESSION: Duration = Duration::from_millis(LONGEST_MS.unsigned_abs());
/// The expiry of a session in use is extended at most this often.
const EXTENDED_EVERY_MS: i64 = MS_PER_HOUR;

/// Enough to distinguish the few servers of one host.
const SERVER_MARK_LENGTH: usize = 8;

/// An active session.
pub struct ActiveSession {
    pub id: SessionId,
    pub user: User,
    pub expires_at: i64,
}

/// The browser that signs in.
pub struct Client {
    /// As it describes itself.
    pub user_agent: String,
    pub address: IpAddr,
}

/// The result of a sign-in with a key.
pub enum SignIn {
    Started(ActiveSession, SessionToken),
    /// A named key cannot sign in: a session may do more than the key.
    NamedKey,
}

/// Signs users in and out.
#[derive(Clone)]
pub struct Sessions {
    infra: Infra,
    api_keys: ApiKeys,
    failures: FailedSignIns,
}

impl Sessions {
    pub fn new(infra: &Infra, api_keys: ApiKeys) -> Sessions {
        Sessions {
            infra: infra.clone(),
            api_keys,
            failures: FailedSignIns::default(),
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
    pub async fn sign_in(&self, key: &str, client: Client) -> Result<Option<SignIn>, EngineError> {
        let address = Some(client.address);
        // A read before the write keeps guessed keys cheap.
        let owner = match self.api_keys.look_up(key).await? {
            None => {
                self.record_failure(client.address).await;
                return Ok(None);
            }
            Some(known) if known.owner.named.is_some() => return Ok(Some(SignIn::NamedKey)),
            Some(known) => known.owner.user,
        };
        let actor = Actor::new(&owner, Credential::Key, address);
        let key_print = self.infra.vault.fingerprint(key);
        let (session, token) = self.new_session(&client);
        let signed_in = self.change(&actor, Action::SessionSignIn, Some(&session.id));
        let row = session.clone();
        let user = self
            .infra
            .store
            .write(move |c| {
                let user = sessions::begin(c, &key_print, &row)?;
                if user.is_some() {
                    signed_in.record(c)?;
                }
                Ok(user)
            })
            .await?;
        Ok(user.map(|user| SignIn::Started(active(session, user), token)))
    }

    /// Starts a session for a user who was recognized by other means than the API key. `None` if the user was removed meanwhile.
    pub async fn sign_in_user(
        &self,
        user: &UserId,
        client: Client,
    ) -> Result<Option<(ActiveSession, SessionToken)>, EngineError> {
        let (session, token) = self.new_session(&client);
        let (row, id, sessions) = (session.clone(), user.clone(), self.clone());
        let user = self
            .infra
            .store
            .write(move |c| {
                let user = sessions::begin_of(c, &id, &row)?;
                if let Some(user) = &user {
                    let actor = Actor::new(user, Credential::Oidc, Some(client.address));
                    let signed_in = sessions.change(&actor, Action::SessionSignIn, Some(&row.id));
                    signed_in.record(c)?;
                }
                Ok(user)
            })
            .await?;
        Ok(user.map(|user| (active(session, user), token)))
    }

    /// Records a failed sign-in.
    pub(crate) async fn record_failure(&self, address: IpAddr) {
        self.failures.record(&self.infra, Some(address)).await;
    }

    fn new_session(&self, client: &Client) -> (NewSession, SessionToken) {
        let token = SessionToken::random(&mut self.infra.ids.rng());
        let session = NewSession {
            id: SessionId::random(&mut self.infra.ids.rng()),
            token_fingerprint: self.infra.vault.fingerprint(token.as_str()),
            user_agent: client.user_agent.clone(),
            address: client.address.to_string(),
            created_at: self.infra.creation_ms(),
            expires_at: self.infra.now_ms() + LIFETIME_MS,
        };
        (session, token)
    }

    /// The valid sessions of a user, newest first.
    pub async fn list(&self, user: &UserId, page: Page) -> Result<Listing<Session>, EngineError> {
        let (user, now) = (user.clone(), self.infra.now_ms());
        let listing = self.infra.store.read(move |c| {
            Ok(Listing {
                total: sessions::count(c, &user, now)?,
                rows: sessions::page(c, &user, now, &page)?,
            })
        });
        Ok(listing.await?)
    }

    /// Ends one session of a user.
    pub async fn end(&self, actor: &Actor, session: &SessionId) -> Result<(), EngineError> {
        let change = self.change(actor, Action::SessionEnd, Some(session));
        let (user, session) = (actor.user_id.clone(), session.clone());
        let ended = self
            .infra
            .store
            .write(move |c| {
                let ended = sessions::end_of_user(c, &user, &session)?;
                if ended {
                    change.record(c)?;
                }
                Ok(ended)
            })
            .await?;
        ended.then_some(()).ok_or(EngineError::NotFound("session"))
    }

    /// Ends the sessions of a user, except this one if there is one.
    pub async fn end_others(
        &self,
        actor: &Actor,
        kept: Option<SessionId>,
    ) -> Result<(), EngineError> {
        let change = self.change(actor, Action::SessionEnd, None);
        let user = actor.user_id.clone();
        let ended = self.infra.store.write(move |c| {
            let ended = sessions::end_others(c, &user, kept.as_ref())?;
            change.with("sessions", ended).record(c)
        });
        Ok(ended.await?)
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
        Ok(Some(ActiveSession {
            id: session.id,
            user,
            expires_at,
        }))
    }

    pub async fn sign_out(&self, actor: &Actor, token: &SessionToken) -> Result<(), EngineError> {
        let signed_out = self.change(actor, Action::SessionSignOut, None);
        let fingerprint = self.infra.vault.fingerprint(token.as_str());
        let ended = self.infra.store.write(move |c| {
            sessions::end(c, &fingerprint)?;
            signed_out.record(c)
        });
        Ok(ended.await?)
    }

    /// Ends a session that a new one replaces. The new one is recorded.
    pub async fn replace(&self, token: &SessionToken) -> Result<(), EngineError> {
        let fingerprint = self.infra.vault.fingerprint(token.as_str());
        let ended = self
            .infra
            .store
            .write(move |c| sessions::end(c, &fingerprint));
        Ok(ended.await?)
    }

    fn change(&self, actor: &Actor, action: Action, session: Option<&SessionId>) -> Change {
        let id = session.map_or("", SessionId::as_str);
        let target = Target::new(TargetKind::Session, id, "");
        Change::new(&self.infra, actor, action, target)
    }

    /// Extends a session in use; returns its expiry. A session survives a store that cannot be written to.
    async fn extend(&self, fingerprint: String, session: &Session, now: i64) -> i64 {
        let used_before = now - EXTENDED_EVERY_MS;
        if session.used_at > used_before {
            return session.expires_at;
        }
        let expires_at = (now + LIFETIME_MS).min(session.created_at + LONGEST_MS);
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

fn active(session: NewSession, user: User) -> ActiveSession {
    ActiveSession {
        id: session.id,
        user,
        expires_at: session.expires_at,
    }
}
