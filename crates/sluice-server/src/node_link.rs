//! The listener for other nodes: hints, replies, traffic, and requests that they pass on. Every message carries the token that nodes
//! derive from the data key of their database.

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use axum::{
    body::{Body, to_bytes},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use sluice_cluster::{HINTS_PATH, Hint, NODE_HEADER, REPLIES_PATH, TOKEN_HEADER, TRAFFIC_PATH};
use sluice_engine::{owner::Replies, streams::Streams};
use sluice_infra::Infra;
use subtle::ConstantTimeEq;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::{
    front::Front,
    passed_on::PassedOn,
    passing_on::{CLIENT_HEADER, HOPS_HEADER},
};

/// How long a node may take to send the head of a message. Links stay open longer than that between messages.
const HEAD_TIMEOUT: Duration = Duration::from_mins(5);
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Of all nodes together.
const MAX_CONNECTIONS: usize = 1_000;
const MAX_HINTS: usize = 16 * 1024 * 1024;
/// Replies have bodies in base64.
const MAX_MESSAGE: usize = 256 * 1024 * 1024;

pub(crate) struct NodeLink {
    pub(crate) infra: Infra,
    pub(crate) replies: Replies,
    pub(crate) streams: Streams,
    pub(crate) front: Arc<Front>,
}

impl NodeLink {
    /// Serves until the task is ended.
    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    // Without room it is closed at once.
                    Ok((stream, _)) if connections.len() < MAX_CONNECTIONS => {
                        connections.spawn(Arc::clone(&self).serve_connection(stream));
                    }
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(%error, "accepting a node's connection failed");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }

    async fn serve_connection(self: Arc<Self>, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let service = service_fn(move |request: Request<hyper::body::Incoming>| {
            let link = Arc::clone(&self);
            async move { Ok::<_, Infallible>(link.respond(request.map(Body::new)).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection of a node failed");
        }
    }

    async fn respond(&self, request: Request<Body>) -> Response {
        if !self.is_of_a_node(request.headers()) {
            return StatusCode::FORBIDDEN.into_response();
        }
        match request.uri().path() {
            HINTS_PATH => self.take_hints(request).await.into_response(),
            REPLIES_PATH => {
                let replies = |body: &Bytes| self.replies.receive(body);
                take(request, replies).await.into_response()
            }
            TRAFFIC_PATH => {
                let streams = |body: &Bytes| self.streams.receive_traffic(body);
                take(request, streams).await.into_response()
            }
            _ => self.handle(request).await,
        }
    }

    fn is_of_a_node(&self, headers: &HeaderMap) -> bool {
        let expected = self.infra.cluster.token().unwrap_or_default().as_bytes();
        let given = headers.get(TOKEN_HEADER).map(HeaderValue::as_bytes);
        given.is_some_and(|given| !expected.is_empty() && bool::from(given.ct_eq(expected)))
    }

    async fn take_hints(&self, request: Request<Body>) -> StatusCode {
        let from = request.headers().get(NODE_HEADER);
        let from = from.and_then(|name| name.to_str().ok()).map(str::to_owned);
        let (Some(from), Some(body)) = (from, whole(request, MAX_HINTS).await) else {
            return StatusCode::BAD_REQUEST;
        };
        let Some(hints) = Hint::parse_all(&body) else {
            return StatusCode::BAD_REQUEST;
        };
        self.infra.cluster.receive(&from, hints);
        StatusCode::NO_CONTENT
    }

    /// Handles a request that another node passed on.
    async fn handle(&self, mut request: Request<Body>) -> Response {
        let headers = request.headers_mut();
        headers.remove(TOKEN_HEADER);
        headers.remove(NODE_HEADER);
        let hops = headers.remove(HOPS_HEADER);
        let hops = hops.and_then(|hops| hops.to_str().ok()?.parse().ok());
        let client = headers.remove(CLIENT_HEADER);
        let client = client.and_then(|ip| ip.to_str().ok()?.parse::<IpAddr>().ok());
        let Some(client) = client else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        request.extensions_mut().insert(PassedOn(hops.unwrap_or(1)));
        self.front.respond(request, client).await
    }
}

/// Hands a message over; false means that it is not understood.
async fn take(request: Request<Body>, receive: impl FnOnce(&Bytes) -> bool) -> StatusCode {
    let body = whole(request, MAX_MESSAGE).await;
    if body.is_some_and(|body| receive(&body)) {
        StatusCode::NO_CONTENT
    } else {
        StatusCode::BAD_REQUEST
    }
}

async fn whole(request: Request<Body>, limit: usize) -> Option<Bytes> {
    to_bytes(request.into_body(), limit).await.ok()
}
