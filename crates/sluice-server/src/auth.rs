//! Who is asking: the API key in the `Authorization` header.
//!
//! Handlers name one of these extractors first, so that nothing else about a request is looked at before its key.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::{HeaderMap, header::AUTHORIZATION, request::Parts};
use sluice_engine::Engine;
use sluice_store::users::User;

use crate::error::ApiError;

const SCHEME: &str = "bearer";

/// The user whose key came with the request.
pub(crate) struct AuthUser(pub(crate) User);

/// The same, where only an operator may ask; for everyone else the path does not exist.
pub(crate) struct Operator(pub(crate) User);

impl FromRequestParts<Arc<Engine>> for AuthUser {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        engine: &Arc<Engine>,
    ) -> Result<Self, Self::Rejection> {
        let key = bearer_key(&parts.headers).ok_or(ApiError::Unauthorized)?;
        let user = engine.authenticate(key).await?;
        user.map(AuthUser).ok_or(ApiError::Unauthorized)
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
