//! Reads the whole body of a request, within limits of size and time.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap,
    header::{CONTENT_LENGTH, EXPECT},
};
use http_body_util::BodyExt;
use hyper::body::Body as _;

use crate::{body_budget::BodyMemory, error::ApiError};

/// How long a client may take to send its body.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// A client that is still sending would not see the error, so this much more is read and discarded.
const MAX_DRAINED: usize = 16 * 1024 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// A body over the limit is an error. With a content length it is found before anything is stored.
pub(crate) async fn read_body(
    headers: &HeaderMap,
    mut body: Body,
    limit: usize,
    memory: &mut BodyMemory<'_>,
) -> Result<Bytes, ApiError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    if announced_length(headers).is_some_and(|length| length > limit as u64) {
        // A client that sent `Expect` waits for permission and sends no body.
        if !headers.contains_key(EXPECT) {
            drain(body).await;
        }
        return Err(too_large(limit));
    }
    let whole = collect(&mut body, limit, memory);
    match tokio::time::timeout(READ_TIMEOUT, whole).await {
        Ok(Err(error @ (ApiError::TooLarge(_) | ApiError::Unavailable(_)))) => {
            drain(body).await;
            Err(error)
        }
        Ok(read) => read,
        Err(_elapsed) => Err(ApiError::RequestTimeout),
    }
}

/// Small chunks are joined as they arrive: each would keep a buffer of the connection.
async fn collect(
    body: &mut Body,
    limit: usize,
    memory: &mut BodyMemory<'_>,
) -> Result<Bytes, ApiError> {
    let mut only = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            ApiError::BadRequest(format!("the body could not be read: {error}"))
        })?;
        let Ok(chunk) = frame.into_data() else {
            continue;
        };
        if only.len() + joined.len() + chunk.len() > limit {
            return Err(too_large(limit));
        }
        memory.grow(chunk.len()).await?;
        if only.is_empty() && joined.is_empty() {
            only = chunk;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut only));
            joined.extend_from_slice(&chunk);
        }
    }
    Ok(if joined.is_empty() {
        only
    } else {
        joined.freeze()
    })
}

async fn drain(mut body: Body) {
    let mut left = MAX_DRAINED;
    let drained = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            let Some(rest) = left.checked_sub(length) else {
                return;
            };
            left = rest;
        }
    };
    // After the timeout the client gets the error as it is.
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, drained).await;
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(limit: usize) -> ApiError {
    ApiError::TooLarge(format!("the body is over the limit of {limit} bytes"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::body_budget::BodyBudget;

    async fn read_body(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, ApiError> {
        let budget = BodyBudget::new(1_000_000, limit);
        super::read_body(headers, body, limit, &mut budget.of_request()).await
    }

    #[tokio::test]
    async fn chunks_are_joined() {
        let chunks = ["a", "", "b", "cd"].map(|chunk| Ok::<_, std::io::Error>(Bytes::from(chunk)));
        let body = Body::from_stream(futures_util::stream::iter(chunks));
        let read = read_body(&HeaderMap::new(), body, 4).await.unwrap();
        assert_eq!(read, "abcd");
    }

    #[tokio::test]
    async fn the_limit_holds_with_and_without_an_announced_length() {
        let none = HeaderMap::new();
        let read = read_body(&none, Body::from("12345"), 5).await.unwrap();
        assert_eq!(read, "12345");
        let over = read_body(&none, Body::from("123456"), 5).await;
        assert!(matches!(over, Err(ApiError::TooLarge(_))), "{over:?}");
        let mut announced = HeaderMap::new();
        announced.insert(CONTENT_LENGTH, HeaderValue::from_static("6"));
        let over = read_body(&announced, Body::from("1"), 5).await;
        assert!(matches!(over, Err(ApiError::TooLarge(_))), "{over:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_arrive_times_out() {
        let stalled = Body::from_stream(futures_util::stream::pending::<std::io::Result<Bytes>>());
        let read = read_body(&HeaderMap::new(), stalled, 5).await;
        assert!(matches!(read, Err(ApiError::RequestTimeout)), "{read:?}");
    }
}
