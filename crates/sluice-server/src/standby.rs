//! Standby: until the server has started, every request is answered with 503, `Retry-After` and the reason. A start that takes
//! a moment is no reason for an error, so clients wait for a moment first.
//!
//! An `EventSource` never reconnects after an error. It gets an empty stream, after which it does.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

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

const STARTING: &[u8] = br#"{"error":"the server is starting: try again later"}"#;
const WAITING_FOR_DATABASE: &[u8] =
    br#"{"error":"the server is starting and waits for the database: try again later"}"#;
const INSTALLING_DENO: &[u8] =
    br#"{"error":"the server is starting and installs Deno: try again later"}"#;
const WAITING_FOR_ANSWER: &[u8] = br#"{"error":"the server is starting and waits for an answer in its terminal: try again later"}"#;
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

/// The steps of a start that can take long. Those that have not ended are the reason of a 503.
#[derive(Debug, Default)]
pub struct StartProgress {
    database_is_open: AtomicBool,
    deno_is_installing: AtomicBool,
    answer_is_pending: AtomicBool,
}

impl StartProgress {
    pub fn opened_database(&self) {
        self.database_is_open.store(true, Ordering::Relaxed);
    }

    pub fn installing_deno(&self, installing: bool) {
        self.deno_is_installing.store(installing, Ordering::Relaxed);
    }

    /// Whether a question in the terminal has no answer yet.
    pub fn waiting_for_answer(&self, waiting: bool) {
        self.answer_is_pending.store(waiting, Ordering::Relaxed);
    }

    /// The body of the response. Opening the database and installing Deno run at the same time. The database comes first: a person
    /// may have to help it, while an installation ends by itself.
    fn body(&self) -> &'static [u8] {
        if !self.database_is_open.load(Ordering::Relaxed) {
            WAITING_FOR_DATABASE
        } else if self.deno_is_installing.load(Ordering::Relaxed) {
            INSTALLING_DENO
        } else if self.answer_is_pending.load(Ordering::Relaxed) {
            WAITING_FOR_ANSWER
        } else {
            STARTING
        }
    }
}

/// Answers requests until it is dropped. It never completes.
pub async fn stand_by(
    listener: &TcpListener,
    tls: Option<&Arc<Tls>>,
    progress: &Arc<StartProgress>,
) -> Infallible {
    sleep(PATIENCE).await;
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(refuse(stream, tls.cloned(), Arc::clone(progress)));
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

async fn refuse(stream: TcpStream, tls: Option<Arc<Tls>>, progress: Arc<StartProgress>) {
    let Some(tls) = tls else {
        return answer(stream, &progress).await;
    };
    match tls.accept(stream).await {
        Ok(stream) => answer(stream, &progress).await,
        Err(error) => tracing::debug!(%error, "TLS handshake failed"),
    }
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin, progress: &StartProgress) {
    let service = service_fn(async |request: Request<Incoming>| {
        Ok::<_, Infallible>(if request.uri().path() == LIVENESS_PATH {
            alive()
        } else if wants_stream(request.headers()) {
            empty_stream()
        } else {
            unavailable(progress.body())
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

/// The process works. A restart would not make the start faster.
fn alive() -> Response<Full<&'static [u8]>> {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CONNECTION, "close"),
    ];
    response(StatusCode::OK, b"ok", &headers)
}

fn unavailable(body: &'static [u8]) -> Response<Full<&'static [u8]>> {
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (RETRY_AFTER, RETRY_AFTER_SECONDS),
        (CONNECTION, "close"),
    ];
    response(StatusCode::SERVICE_UNAVAILABLE, body, &headers)
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// The response to a GET.
    async fn get(path: &str, progress: &StartProgress) -> String {
        let (mut client, server) = duplex(4096);
        let exchange = async move {
            let request = format!("GET {path} HTTP/1.1\r\nhost: s\r\n\r\n");
            client.write_all(request.as_bytes()).await.unwrap();
            let mut response = String::new();
            client.read_to_string(&mut response).await.unwrap();
            response
        };
        tokio::join!(exchange, answer(server, progress)).0
    }

    #[tokio::test]
    async fn a_refusal_has_the_reason_of_the_moment() {
        let progress = StartProgress::default();
        let assert_waits = async |reason: &str| {
            let response = get("/readyz", &progress).await;
            assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
            assert!(response.contains("retry-after: 5\r\n"), "{response}");
            let body = format!(r#"{{"error":"the server is starting{reason}: try again later"}}"#);
            assert!(response.ends_with(&body), "{response}");
        };
        progress.installing_deno(true);
        assert_waits(" and waits for the database").await;
        progress.opened_database();
        assert_waits(" and installs Deno").await;
        progress.installing_deno(false);
        assert_waits("").await;
        progress.waiting_for_answer(true);
        assert_waits(" and waits for an answer in its terminal").await;
        let alive = get(LIVENESS_PATH, &progress).await;
        assert!(alive.starts_with("HTTP/1.1 200 "), "{alive}");
    }
}
