//! Authentication: by the API key in the `Authorization` header or, without one, by the session cookie of the console.
//!
//! A named key must also have the scope of the path. Handlers list one of these extractors first, so that a request is authenticated before anything else is parsed.

use axum::extract::FromRequestParts;
use http::{Extensions, HeaderMap, Method, header::AUTHORIZATION, request::Parts};
use sluice_app::{ActiveSession, App};
use sluice_engine::EngineError;
use sluice_model::{Scope, SessionId, SessionToken};
use sluice_store::{
    api_keys::{KeyOwner, NamedKey},
    users::User,
};

use crate::{
    error::ApiError, request_span, same_origin, scopes, session_cookie::SessionCookie,
    state::ServerState, wrong_keys::ClientAddress,
};

const SCHEME: &str = "bearer";

/// The authenticated user, and the credential that was used.
pub(crate) struct Caller {
    pub(crate) user: User,
    pub(crate) credential: Credential,
}

pub(crate) enum Credential {
    MainKey(String),
    NamedKey {
        text: String,
        key: NamedKey,
    },
    Session {
        token: SessionToken,
        id: SessionId,
        expires_at: i64,
    },
}

impl Credential {
    /// Whether it is still valid: keys are rotated, deleted and expire, sessions end, and users are deleted.
    pub(crate) async fn is_valid(&self, app: &App) -> Result<bool, EngineError> {
        Ok(match self {
            Credential::MainKey(text) | Credential::NamedKey { text, .. } => {
                app.api_keys.authenticate(text).await?.is_some()
            }
            Credential::Session { token, .. } => app.sessions.find(token).await?.is_some(),
        })
    }

    /// Fails if it is a named key without this scope.
    pub(crate) fn require(&self, scope: Scope) -> Result<(), ApiError> {
        match self {
            Credential::NamedKey { key, .. } => scopes::require(key.scopes, scope),
            Credential::MainKey(_) | Credential::Session { .. } => Ok(()),
        }
    }

    /// The named key, if it is one.
    pub(crate) fn named_key(&self) -> Option<&NamedKey> {
        match self {
            Credential::NamedKey { key, .. } => Some(key),
            Credential::MainKey(_) | Credential::Session { .. } => None,
        }
    }

    /// The id of the session, if it is one.
    pub(crate) fn session(&self) -> Option<&SessionId> {
        match self {
            Credential::Session { id, .. } => Some(id),
            Credential::MainKey(_) | Credential::NamedKey { .. } => None,
        }
    }
}

/// The authenticated user.
pub(crate) struct AuthUser(pub(crate) User);

/// The authenticated operator. For other users the path does not exist.
pub(crate) struct Operator;

impl Caller {
    /// The owner of the API key in the header; none if there is no such header. Scopes are not checked.
    pub(crate) async fn by_key(
        parts: &Parts,
        state: &ServerState,
    ) -> Result<Option<Caller>, ApiError> {
        let Some(key) = bearer(&parts.headers) else {
            return Ok(None);
        };
        let address = client_address(&parts.extensions)?;
        let found = state.app.api_keys.look_up(key);
        let found = state.wrong_keys.check(address, key, &state.infra, found);
        let known = found.await?.ok_or(ApiError::Unauthorized)?;
        if known.is_expired {
            return Err(ApiError::ExpiredKey);
        }
        let KeyOwner { user, named } = known.owner;
        request_span::record_user(&user.id);
        let text = key.to_owned();
        let credential = match named {
            None => Credential::MainKey(text),
            Some(key) => Credential::NamedKey { text, key },
        };
        Ok(Some(Caller { user, credential }))
    }
}

impl FromRequestParts<ServerState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        if let Some(caller) = Caller::by_key(parts, state).await? {
            if let Some(key) = caller.credential.named_key() {
                scopes::check(parts, key.scopes)?;
            }
            return Ok(caller);
        }
        let token = SessionCookie::of(&state.app, &state.infra.settings).token(&parts.headers);
        let token = token.ok_or(ApiError::Unauthorized)?;
        if !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS) {
            same_origin::check(&parts.headers, &state.infra.settings.public_url)?;
        }
        let signed_in = state.app.sessions.find(&token).await?;
        let ActiveSession {
            id,
            user,
            expires_at,
        } = signed_in.ok_or(ApiError::Unauthorized)?;
        request_span::record_user(&user.id);
        let credential = Credential::Session {
            token,
            id,
            expires_at,
        };
        Ok(Caller { user, credential })
    }
}

impl FromRequestParts<ServerState> for AuthUser {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        Ok(AuthUser(caller.user))
    }
}

impl FromRequestParts<ServerState> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Self::Rejection> {
        let AuthUser(user) = AuthUser::from_request_parts(parts, state).await?;
        if user.operator {
            Ok(Operator)
        } else {
            Err(ApiError::UnknownPath)
        }
    }
}

/// The address that `front` gave to the request.
fn client_address(extensions: &Extensions) -> Result<ClientAddress, ApiError> {
    let address = extensions.get().copied();
    address.ok_or_else(|| ApiError::internal("a request has no address", "no extension"))
}

/// Whether a request has an API key that was right before, from the same address. It is not looked up again.
pub(crate) fn has_known_key(
    headers: &HeaderMap,
    state: &ServerState,
    address: ClientAddress,
) -> bool {
    bearer(headers).is_some_and(|key| state.wrong_keys.was_right(address, key))
}

/// The key in the header, which may be empty. Other schemes, such as `Basic …`, are for a proxy in front of the server.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?;
    let scheme = value.as_bytes().split(|&byte| byte == b' ').next();
    if !scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME.as_bytes())) {
        return None;
    }
    let key = value.to_str().ok().and_then(|text| text.split_once(' '));
    Some(key.map_or("", |(_, key)| key.trim()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn key_in(value: &'static [u8]) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        for value in [&b"Bearer abc"[..], b"bEARER  abc "] {
            assert_eq!(key_in(value), Some("abc".to_owned()));
        }
    }

    #[test]
    fn a_bearer_header_without_a_key_has_an_empty_key() {
        for value in [&b"Bearer"[..], b"Bearer ", b"Bearer \xff"] {
            assert_eq!(key_in(value), Some(String::new()), "{value:?}");
        }
    }

    #[test]
    fn other_schemes_are_ignored() {
        for value in [&b"Basic abc"[..], b"abc", b"", b"Bearers abc", b"\xff"] {
            assert_eq!(key_in(value), None, "{value:?}");
        }
        assert_eq!(bearer(&HeaderMap::new()), None);
    }
}
