//! Accepts connections, and lets them finish when the server shuts down.

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
use http::Request;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::{
    cause_chain::CauseChain,
    connections::{Connection, Connections},
    front::Front,
    node_link::NodeLink,
    sse::Endless,
    state::ServerState,
    tls::Tls,
};

/// How long a client may take to send the head of a request, and may leave its connection idle.
const HEAD_TIMEOUT: Duration = Duration::from_mins(1);
/// Pause after a failed accept. The usual cause, no free file descriptor, takes a moment to pass.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long shutdown waits for a response beyond the longest invocation.
const DRAIN_GRACE: Duration = Duration::from_secs(10);
/// How long shutdown waits for a client to read the end of a stream.
const STREAM_GRACE: Duration = Duration::from_secs(1);
/// How long an idle connection that makes room has to send the end of its last response.
const CLOSE_GRACE: Duration = Duration::from_millis(100);
/// A client that acknowledges no data for so long is disconnected.
const SEND_TIMEOUT: Duration = Duration::from_mins(1);

/// Where the server listens.
pub struct Listeners {
    pub clients: TcpListener,
    /// Without it, clients are served in the clear.
    pub tls: Option<Arc<Tls>>,
    /// For other nodes.
    pub nodes: Option<TcpListener>,
}

/// Serves until `shutdown` is cancelled, and returns when the requests in progress are answered.
///
/// Requests that wait for a component get the time of an invocation. Then their connections are closed.
pub async fn serve(
    listeners: Listeners,
    state: ServerState,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let drain_timeout = state.infra.settings.invocation_timeout + DRAIN_GRACE;
    let open = Connections::new(state.infra.settings.max_connections);
    let (infra, replies) = (state.infra.clone(), state.replies.clone());
    let streams = state.streams.clone();
    let front = Arc::new(Front::new(&state));
    let Listeners {
        clients: listener,
        tls,
        nodes,
    } = listeners;
    let _watch = tls
        .clone()
        .map(|tls| AbortOnDropHandle::new(tokio::spawn(tls.watch())));
    // Until all clients are answered: replies come through it.
    let _nodes = nodes.map(|listener| {
        let link = NodeLink {
            infra,
            replies,
            streams,
            front: Arc::clone(&front),
        };
        AbortOnDropHandle::new(tokio::spawn(Arc::new(link).serve(listener)))
    });
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // Without room it is closed at once.
                    if let Some(connection) = open.open(peer.ip(), &shutdown) {
                        let client = Client { ip: peer.ip(), connection };
                        let tls = tls.clone();
                        let (front, shutdown) = (Arc::clone(&front), shutdown.clone());
                        connections.spawn(serve_client(stream, tls, client, front, shutdown));
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            // Ended connections are removed at once, so that the set does not grow.
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(drain_timeout, drained).await.is_err() {
        let count = connections.len();
        tracing::warn!(count, "closing connections that did not finish");
    }
    Ok(())
}

struct Client {
    ip: IpAddr,
    connection: Connection,
}

/// Serves one connection, after a handshake with TLS.
async fn serve_client(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    client: Client,
    front: Arc<Front>,
    shutdown: CancellationToken,
) {
    if let Err(error) = set_options(&stream) {
        tracing::debug!(%error, "connection closed before its first request");
        return;
    }
    let Some(tls) = tls else {
        return serve_connection(stream, client, front, shutdown).await;
    };
    // Until then the connection counts as idle, and may have to make room.
    let handshake = tokio::select! {
        handshake = tls.accept(stream) => handshake,
        () = client.connection.closed() => return,
    };
    match handshake {
        // On the heap: most connections are not encrypted here, and their future would be as large.
        Ok(stream) => Box::pin(serve_connection(stream, client, front, shutdown)).await,
        Err(error) => tracing::debug!(%error, "TLS handshake failed"),
    }
}

/// Serves one connection until either side closes it.
async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    client: Client,
    front: Arc<Front>,
    shutdown: CancellationToken,
) {
    let Client {
        ip,
        connection: open,
    } = client;
    let open = Arc::new(open);
    let streaming = Arc::new(AtomicBool::new(false));
    let (is_streaming, requests) = (Arc::clone(&streaming), Arc::clone(&open));
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let (front, is_streaming) = (Arc::clone(&front), Arc::clone(&is_streaming));
        let busy = requests.begin_request();
        async move {
            is_streaming.store(false, Ordering::Relaxed);
            let response = front.respond_to_peer(request.map(Body::new), ip).await;
            let endless = response.extensions().get::<Endless>().is_some();
            is_streaming.store(endless, Ordering::Relaxed);
            Ok::<_, Infallible>(response.map(|body| busy.until_sent(body)))
        }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service)
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = open.closed() => {
            connection.as_mut().graceful_shutdown();
            let ends = shutdown.is_cancelled();
            let streams = || streaming.load(Ordering::Relaxed);
            if ends && !streams() {
                connection.await
            } else {
                // Streams end themselves now. Shutdown does not wait for a client that reads nothing.
                let grace = if ends { STREAM_GRACE } else { CLOSE_GRACE };
                match tokio::time::timeout(grace, connection.as_mut()).await {
                    Ok(ended) => ended,
                    // A request arrived in the meantime. A client whose stream begins only now connects again.
                    Err(_) if open.is_busy() && !streams() => connection.await,
                    Err(_) => return,
                }
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = %CauseChain(&error), "connection failed");
    }
}

fn set_options(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    SockRef::from(stream).set_tcp_user_timeout(Some(SEND_TIMEOUT))
}
