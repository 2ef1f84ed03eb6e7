//! Who is asking: the API key in the `Authorization` header or, where there is no such header, the console's cookie.
//!
//! Handlers name one of these extractors first, so that nothing else about a request is looked at before its key.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::{HeaderMap, Method, header::AUTHORIZATION, request::Parts};
use sluice_engine::{Engine, SignedIn};
use sluice_model::SessionToken;
use sluice_store::users::User;

use crate::{error::ApiError, same_origin, session_cookie::SessionCookie};

const SCHEME: &str = "bearer";

/// Who is asking, and how they have shown it.
pub(crate) struct Caller {
    pub(crate) user: User,
    pub(crate) proof: Proof,
}

pub(crate) enum Proof {
    Key,
    Session {
        token: SessionToken,
        expires_at: i64,
    },
}

/// The user who is asking, however they have shown it.
pub(crate) struct AuthUser(pub(crate) User);

/// The same, where only an operator may ask; for everyone else the path does not exist.
pub(crate) struct Operator(pub(crate) User);

impl FromRequestParts<Arc<Engine>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        engine: &Arc<Engine>,
    ) -> Result<Self, Self::Rejection> {
        if parts.headers.contains_key(AUTHORIZATION) {
            let key = bearer_key(&parts.headers).ok_or(ApiError::Unauthorized)?;
            let user = engine.authenticate(key).await?;
            return Ok(Caller {
                user: user.ok_or(ApiError::Unauthorized)?,
                proof: Proof::Key,
            });
        }
        let token = SessionCookie::of(engine).token(&parts.headers);
        let token = token.ok_or(ApiError::Unauthorized)?;
        if !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS) {
            same_origin::check(&parts.headers, &engine.settings().public_url)?;
        }
        let signed_in = engine.signed_in(&token).await?;
        let SignedIn { user, expires_at } = signed_in.ok_or(ApiError::Unauthorized)?;
        Ok(Caller {
            user,
            proof: Proof::Session { token, expires_at },
        })
    }
}

impl FromRequestParts<Arc<Engine>> for AuthUser {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        engine: &Arc<Engine>,
    ) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, engine).await?;
        Ok(AuthUser(caller.user))
    }
}

impl FromRequestParts<Arc<Engine>> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        engine: &Arc<Engine>,
    ) -> Result<Self, Self::Rejection> {
        let AuthUser(user) = AuthUser::from_request_parts(parts, engine).await?;
        if user.operator {
            Ok(Operator(user))
        } else {
            Err(ApiError::UnknownPath)
        }
    }
}

fn bearer_key(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case(SCHEME) && !key.is_empty()).then_some(key)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn key_in(value: &'static [u8]) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        bearer_key(&headers).map(str::to_owned)
    }

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        assert_eq!(key_in(b"Bearer abc").as_deref(), Some("abc"));
        assert_eq!(key_in(b"bEARER  abc ").as_deref(), Some("abc"));
    }

    #[test]
    fn everything_else_is_no_key() {
        for value in [
            &b"Basic abc"[..],
            b"Bearer",
            b"Bearer ",
            b"abc",
            b"Bearer \xff",
        ] {
            assert_eq!(key_in(value), None, "{value:?}");
        }
        assert_eq!(bearer_key(&HeaderMap::new()), None);
    }
}
