//! Standby: until the database is available, every request is answered with 503 and `Retry-After`.
//!
//! A database that opens at once is no reason for an error, after which an `EventSource` would never reconnect. So clients wait
//! for a moment first.

use std::convert::Infallible;

use http::{
    Response, StatusCode,
    header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER},
};
use http_body_util::Full;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Duration, sleep},
};

const BODY: &[u8] = br#"{"error":"the database is unavailable: try again later"}"#;
const RETRY_AFTER_SECONDS: &str = "5";
/// A client must send its request within this time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after a failed accept, usually for want of a file descriptor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long connections wait before they are answered.
const PATIENCE: Duration = Duration::from_secs(3);

/// Answers requests until it is dropped. It never completes.
pub async fn stand_by(listener: &TcpListener) -> Infallible {
    sleep(PATIENCE).await;
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(refuse(stream));
                }
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn refuse(stream: TcpStream) {
    let service = service_fn(|_| async { Ok::<_, Infallible>(unavailable()) });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "connection failed");
    }
}

fn unavailable() -> Response<Full<&'static [u8]>> {
    let mut response = Response::new(Full::new(BODY));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "application/json"),
        (RETRY_AFTER, RETRY_AFTER_SECONDS),
        (CONNECTION, "close"),
    ] {
        headers.insert(name, http::HeaderValue::from_static(value));
    }
    response
}
