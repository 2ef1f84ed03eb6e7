//! A small TCP load balancer. It gives new connections to healthy servers in turn.

use std::{
    fmt, io,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
};

use crate::raw::is_healthy;

const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A balancer that runs until it is dropped, on a thread of its own. It asks each server for `/healthz` and leaves out those that
/// do not answer 200.
pub struct Balancer {
    url: String,
    servers: Arc<Servers>,
    /// Its tasks end with it.
    runtime: Option<Runtime>,
}

#[derive(Default)]
struct Servers {
    all: Mutex<Vec<Arc<Upstream>>>,
    next: AtomicUsize,
}

struct Upstream {
    address: String,
    is_healthy: AtomicBool,
}

impl Balancer {
    /// Listens on a free port, without servers.
    pub fn start() -> io::Result<Balancer> {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build()?;
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let servers = Arc::<Servers>::default();
        runtime.spawn(accept(listener, Arc::clone(&servers)));
        Ok(Balancer {
            url,
            servers,
            runtime: Some(runtime),
        })
    }

    /// `http://127.0.0.1:<port>`, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Adds a server, a host with a port. It gets connections once it is healthy.
    pub fn add(&self, address: &str) {
        let upstream = Arc::new(Upstream {
            address: address.to_owned(),
            is_healthy: AtomicBool::new(false),
        });
        let watched = Arc::downgrade(&upstream);
        thread::spawn(move || watch(&watched));
        self.servers.all.lock().push(upstream);
    }

    /// How many servers are healthy.
    pub fn healthy(&self) -> usize {
        let servers = self.servers.all.lock();
        let healthy = servers
            .iter()
            .filter(|upstream| upstream.is_healthy.load(Ordering::SeqCst));
        healthy.count()
    }
}

impl fmt::Debug for Balancer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Balancer")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        // A runtime must not wait for its tasks inside another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn watch(upstream: &Weak<Upstream>) {
    while let Some(upstream) = upstream.upgrade() {
        let is_healthy = is_healthy(&upstream.address);
        upstream.is_healthy.store(is_healthy, Ordering::SeqCst);
        drop(upstream);
        thread::sleep(CHECK_INTERVAL);
    }
}

async fn accept(listener: TcpListener, servers: Arc<Servers>) {
    loop {
        // An error affects one connection only, and its client sees it too.
        if let Ok((client, _)) = listener.accept().await {
            tokio::spawn(forward(client, Arc::clone(&servers)));
        }
    }
}

/// The client sees a closed connection when no server takes it.
async fn forward(mut client: TcpStream, servers: Arc<Servers>) {
    for upstream in servers.in_turn() {
        if let Ok(mut server) = TcpStream::connect(&upstream.address).await {
            // Either side may end the connection at any time.
            let _ = copy_bidirectional(&mut client, &mut server).await;
            return;
        }
    }
}

impl Servers {
    /// The healthy servers. Each call begins with another one.
    fn in_turn(&self) -> Vec<Arc<Upstream>> {
        let mut healthy = self.all.lock().clone();
        healthy.retain(|upstream| upstream.is_healthy.load(Ordering::SeqCst));
        if !healthy.is_empty() {
            let first = self.next.fetch_add(1, Ordering::Relaxed) % healthy.len();
            healthy.rotate_left(first);
        }
        healthy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        raw_http,
        receiver::{Answer, Receiver},
        wait_for,
    };

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    fn upstream(health: u16) -> Receiver {
        Receiver::start(move |request| match &*request.path {
            "/healthz" => Answer::status(health),
            _ => Answer::status(204),
        })
    }

    fn requests(receiver: &Receiver) -> usize {
        let requests = receiver.requests();
        requests
            .iter()
            .filter(|request| request.path == "/")
            .count()
    }

    #[tokio::test]
    async fn healthy_servers_take_turns_and_others_get_nothing() {
        let servers = [upstream(200), upstream(503), upstream(200)];
        let balancer = Balancer::start().expect("a free port");
        for server in &servers {
            balancer.add(server.url("").trim_start_matches("http://"));
        }
        wait_for(Duration::from_mins(1), "two healthy servers", async || {
            (balancer.healthy() == 2).then_some(())
        })
        .await;
        let address = balancer.url().trim_start_matches("http://");
        for _ in 0..4 {
            let answer = raw_http(address, REQUEST).await;
            assert!(answer.starts_with(b"HTTP/1.1 204"), "{answer:?}");
        }
        assert_eq!(servers.each_ref().map(requests), [2, 0, 2]);
    }
}
