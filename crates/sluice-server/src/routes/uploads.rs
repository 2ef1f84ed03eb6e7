//! Files of requests to endpoints. The unguessable address is the permission to read.
//!
//! The content is untrusted, so browsers must save it and not display it.

use axum::{
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use http::{
    HeaderValue,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};
use sluice_infra::Infra;
use sluice_store::uploads;

use crate::{error::ApiError, ingress::confinement::confine};

const UNKNOWN_TYPE: HeaderValue = HeaderValue::from_static("application/octet-stream");

pub(crate) async fn get(
    State(infra): State<Infra>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(ApiError::NotFound("upload"));
    }
    let found = infra.store.read(move |c| uploads::get(c, &id)).await?;
    let upload = found.ok_or(ApiError::NotFound("upload"))?;
    let disposition = format!("attachment; filename=\"{}\"", upload.filename);
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::try_from(upload.mimetype).unwrap_or(UNKNOWN_TYPE),
        ),
        (
            CONTENT_DISPOSITION,
            HeaderValue::try_from(disposition)
                .unwrap_or_else(|_| HeaderValue::from_static("attachment")),
        ),
    ];
    let mut response = (headers, upload.content).into_response();
    confine(response.headers_mut());
    Ok(response)
}
