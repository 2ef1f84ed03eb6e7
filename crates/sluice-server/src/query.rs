//! Typed parameters of the query string. A value of the wrong type is 400, and the message names the parameter.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// The parameters of `T`. Unknown parameters are ignored.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|axum::extract::Query(parameters)| Query(parameters))
            .map_err(|rejection| ApiError::BadRequest(rejection.body_text()))
    }
}
