//! Accepting connections, and letting them finish when the server is told to stop.

use std::{
    convert::Infallible,
    io,
    net::IpAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::body::Body;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{front::Front, sse::Endless, state::ServerState};

/// How long a client may take to send the head of a request, and may leave its connection idle.
const HEAD_TIME: Duration = Duration::from_mins(1);
/// Pause after a failed accept: the usual cause, no free file descriptor, takes a moment to pass.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// What a response may take beyond the longest invocation before a stopping server gives up on it.
const DRAIN_GRACE: Duration = Duration::from_secs(10);

/// What the last words of a stream may take.
const STREAM_GRACE: Duration = Duration::from_secs(1);
/// How long a client may take nothing of what it is sent before its connection is closed.
const TAKE_TIME: Duration = Duration::from_mins(1);

/// Serves until `shutdown` is cancelled, and returns when the requests under way are answered.
///
/// Requests that wait for a component are given the time of an invocation; then their connections are closed.
pub async fn serve(
    listener: TcpListener,
    state: ServerState,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let drain_time = state.infra.settings.invocation_timeout + DRAIN_GRACE;
    let front = Arc::new(Front::new(state, rand::make_rng()));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let connection = converse(stream, peer.ip(), Arc::clone(&front), shutdown.clone());
                    connections.spawn(connection);
                }
                Err(error) => {
                    tracing::warn!("a connection could not be accepted: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            // Ended connections are taken out as they end, so that the set does not grow.
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(drain_time, drained).await.is_err() {
        tracing::warn!(
            "closing {} connections that did not finish",
            connections.len()
        );
    }
    Ok(())
}

/// One connection, until either side closes it.
async fn converse(
    stream: TcpStream,
    client_ip: IpAddr,
    front: Arc<Front>,
    shutdown: CancellationToken,
) {
    if let Err(error) = prepare(&stream) {
        tracing::debug!("a connection is gone already: {error}");
        return;
    }
    let endless = Arc::new(AtomicBool::new(false));
    let is_endless = Arc::clone(&endless);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let (front, is_endless) = (Arc::clone(&front), Arc::clone(&is_endless));
        async move {
            let response = front.handle(request.map(Body::new), client_ip).await;
            let endless = response.extensions().get::<Endless>().is_some();
            is_endless.store(endless, Ordering::Relaxed);
            Ok::<_, Infallible>(response)
        }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .serve_connection(TokioIo::new(stream), service)
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            if endless.load(Ordering::Relaxed) {
                // Streams end by themselves now; one whose client takes nothing is not waited for.
                let Ok(ended) = tokio::time::timeout(STREAM_GRACE, connection).await else {
                    return;
                };
                ended
            } else {
                connection.await
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!("a connection broke: {error}");
    }
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    SockRef::from(stream).set_tcp_user_timeout(Some(TAKE_TIME))
}
