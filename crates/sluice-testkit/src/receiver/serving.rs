//! The HTTP server of the receiver: keep-alive connections on one thread.

use std::{collections::BTreeMap, future, io, net::SocketAddr, sync::Arc, time::Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    runtime::{Builder, Runtime},
    sync::oneshot,
};

use super::{
    answer::{Answer, Reply},
    record::{Delivery, Script, Shared},
};

/// A server with a thousand webhooks opens a thousand connections at once.
const BACKLOG: u32 = 4096;

/// Any error makes hyper close the connection.
type ServiceError = Box<dyn std::error::Error + Send + Sync>;

pub(super) fn listen() -> io::Result<(Runtime, TcpListener)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let listener = socket.listen(BACKLOG)?;
    drop(inside);
    Ok((runtime, listener))
}

pub(super) async fn serve(
    listener: TcpListener,
    shared: Arc<Shared>,
    stopped: oneshot::Receiver<()>,
) {
    let accept = async {
        loop {
            // An error affects one connection only, and its sender sees it too.
            if let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connection(stream, Arc::clone(&shared)));
            }
        }
    };
    tokio::select! {
        () = accept => {}
        _ = stopped => {}
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| shared.answer(request));
    // Errors of a connection are ignored: received requests are recorded.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

impl Shared {
    async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, ServiceError> {
        match &self.script {
            Some(script) => self.answer_by(script, request).await,
            None => self.count(request).await,
        }
    }

    async fn count(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, ServiceError> {
        let mut body = request.into_body();
        while let Some(frame) = body.frame().await {
            frame?;
        }
        let mut log = self.log.lock();
        log.count += 1;
        log.last_at = Some(Instant::now());
        Ok(Response::default())
    }

    async fn answer_by(
        &self,
        script: &Script,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, ServiceError> {
        let delivery = self.keep(read(request).await?);
        match script(&delivery) {
            Answer::Reply(reply) => {
                tokio::time::sleep(reply.after).await;
                // Not reached when the sender has disconnected.
                self.log.lock().requests[delivery.number - 1].answered = Some(reply.status);
                response(reply)
            }
            Answer::Hang => future::pending().await,
            Answer::Close => Err("the script closes this connection".into()),
        }
    }

    /// Numbers the request and records it.
    fn keep(&self, mut delivery: Delivery) -> Delivery {
        let mut log = self.log.lock();
        log.count += 1;
        log.last_at = Some(delivery.received_at);
        delivery.number = log.count;
        log.requests.push(delivery.clone());
        delivery
    }
}

async fn read(request: Request<Incoming>) -> Result<Delivery, ServiceError> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in &head.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|values| *values = format!("{values}, {value}"))
            .or_insert_with(|| value.into_owned());
    }
    Ok(Delivery {
        number: 0,
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        received_at: Instant::now(),
        answered: None,
    })
}

fn response(reply: Reply) -> Result<Response<Full<Bytes>>, ServiceError> {
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    Ok(response.body(Full::from(reply.body))?)
}
