//! Successful responses with a body: an item or a list of items, with the fields that the client selected.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header::CONTENT_TYPE};
use serde::Serialize;
use sluice_api::{Data, List};

use crate::{error::ApiError, fields::FieldSelection};

/// One item.
pub(crate) fn one<T: Serialize>(data: T, fields: &FieldSelection) -> Response {
    if fields.is_everything() {
        return json(&Data { data });
    }
    match fields.apply(&data) {
        Ok(data) => json(&Data { data }),
        Err(error) => unserialisable(error),
    }
}

/// A page of items.
pub(crate) fn many<T: Serialize>(list: List<T>, fields: &FieldSelection) -> Response {
    if fields.is_everything() {
        return json(&list);
    }
    let items: Result<Vec<_>, _> = list.data.iter().map(|item| fields.apply(item)).collect();
    match items {
        Ok(data) => json(&List {
            page_info: list.page_info,
            data,
        }),
        Err(error) => unserialisable(error),
    }
}

/// All items of a list that has no pages.
pub(crate) fn all<T: Serialize>(data: &[T], fields: &FieldSelection) -> Response {
    if fields.is_everything() {
        return json(&Data { data });
    }
    let items: Result<Vec<_>, _> = data.iter().map(|item| fields.apply(item)).collect();
    match items {
        Ok(data) => json(&Data { data }),
        Err(error) => unserialisable(error),
    }
}

/// A body without an envelope.
pub(crate) fn bare(body: &impl Serialize) -> Response {
    json(body)
}

fn json(body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(body) => {
            let content_type = HeaderValue::from_static("application/json");
            ([(CONTENT_TYPE, content_type)], body).into_response()
        }
        Err(error) => unserialisable(error),
    }
}

fn unserialisable(error: serde_json::Error) -> Response {
    ApiError::internal("the response cannot be serialised", error).into_response()
}
