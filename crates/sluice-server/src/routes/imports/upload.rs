//! The body of a request as a blocking reader, for an archive that is unpacked while it arrives.

use std::{
    io::{self, Read},
    time::Duration,
};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use tokio_util::io::{StreamReader, SyncIoBridge};

/// The largest archive.
const MAX_BYTES: usize = 512 << 20;
/// How long a client may take to send more.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// To be read in a blocking task.
pub(super) fn reader(body: Body) -> impl Read + Send + 'static {
    let chunks = Box::pin(chunks(body.into_data_stream()));
    SyncIoBridge::new(StreamReader::new(chunks))
}

fn chunks(body: BodyDataStream) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold((body, 0), |(mut body, read)| async move {
        let next = tokio::time::timeout(IDLE_TIMEOUT, body.next());
        let next = next
            .await
            .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "it did not arrive in time"))?;
        let Some(chunk) = next else { return Ok(None) };
        let chunk = chunk.map_err(io::Error::other)?;
        let read = read + chunk.len();
        if read > MAX_BYTES {
            let limit = MAX_BYTES >> 20;
            return Err(io::Error::other(format!("it has more than {limit} MiB")));
        }
        Ok(Some((chunk, (body, read))))
    })
}
