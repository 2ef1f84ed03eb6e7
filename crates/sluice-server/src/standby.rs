//! Standby: until the database is available, every request is answered with 503 and `Retry-After`. A database that opens at
//! once is no reason for an error, so clients wait for a moment first.
//!
//! An `EventSource` never reconnects after an error. It gets an empty stream, after which it does.

use std::{convert::Infallible, sync::Arc};

use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode,
    header::{ACCEPT, CONNECTION, CONTENT_TYPE, RETRY_AFTER},
};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Duration, sleep},
};

use crate::{routes::operations::LIVENESS_PATH, tls::Tls};

const BODY: &[u8] = br#"{"error":"the database is unavailable: try again later"}"#;
const RETRY_AFTER_SECONDS: &str = "5";
const EVENT_STREAM: &str = "text/event-stream";
/// Tells a client to reconnect after five seconds.
const EMPTY_STREAM: &[u8] = b"retry: 5000\n\n";
/// A client must send its request within this time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after a failed accept, usually for want of a file descriptor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long connections wait before they are answered.
const PATIENCE: Duration = Duration::from_secs(3);

/// Answers requests until it is dropped. It never completes.
pub async fn stand_by(listener: &TcpListener, tls: Option<&Arc<Tls>>) -> Infallible {
    sleep(PATIENCE).await;
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(refuse(stream, tls.cloned()));
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

async fn refuse(stream: TcpStream, tls: Option<Arc<Tls>>) {
    let Some(tls) = tls else {
        return answer(stream).await;
    };
    match tls.accept(stream).await {
        Ok(stream) => answer(stream).await,
        Err(error) => tracing::debug!(%error, "TLS handshake failed"),
    }
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin) {
    let service = service_fn(async |request: Request<Incoming>| {
        Ok::<_, Infallible>(if request.uri().path() == LIVENESS_PATH {
            alive()
        } else if wants_stream(request.headers()) {
            empty_stream()
        } else {
            unavailable()
        })
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "connection failed");
    }
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter();
    accepted.any(|value| value.to_str().is_ok_and(|text| text.contains(EVENT_STREAM)))
}

fn empty_stream() -> Response<Full<&'static [u8]>> {
    let headers = [(CONTENT_TYPE, EVENT_STREAM), (CONNECTION, "close")];
    response(StatusCode::OK, EMPTY_STREAM, &headers)
}

/// The process works. A restart would not bring the database back.
fn alive() -> Response<Full<&'static [u8]>> {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CONNECTION, "close"),
    ];
    response(StatusCode::OK, b"ok", &headers)
}

fn unavailable() -> Response<Full<&'static [u8]>> {
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (RETRY_AFTER, RETRY_AFTER_SECONDS),
        (CONNECTION, "close"),
    ];
    response(StatusCode::SERVICE_UNAVAILABLE, BODY, &headers)
}

fn response(
    status: StatusCode,
    body: &'static [u8],
    headers: &[(HeaderName, &'static str)],
) -> Response<Full<&'static [u8]>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    for (name, value) in headers {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}
