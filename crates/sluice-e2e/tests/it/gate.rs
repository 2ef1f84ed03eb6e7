//! A place where invocations wait until a test lets them go: a component that fetches the gate's address is known to
//! run, and gets its answer when the gate opens. The server needs `--allow-private-network`.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use sluice_testkit::wait_for;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::support::PATIENCE;

pub(crate) const ARGS: [&str; 3] = ["--allow-private-network", "--invocation-timeout", "120s"];

pub(crate) struct Gate {
    url: String,
    open: watch::Sender<bool>,
    arrived: Arc<AtomicUsize>,
}

impl Gate {
    pub(crate) async fn shut() -> Gate {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (open, opened) = watch::channel(false);
        let arrived = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&arrived);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(let_through(stream, Arc::clone(&count), opened.clone()));
            }
        });
        Gate {
            url: format!("http://{address}/"),
            open,
            arrived,
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Waits until this many have come in all.
    pub(crate) async fn arrived(&self, count: usize) {
        wait_for(PATIENCE, &format!("{count} arrivals"), async || {
            (self.count() >= count).then_some(())
        })
        .await;
    }

    /// How many have come.
    pub(crate) fn count(&self) -> usize {
        self.arrived.load(Ordering::SeqCst)
    }

    pub(crate) fn open(&self) {
        self.open.send_replace(true);
    }
}

async fn let_through(
    mut stream: TcpStream,
    count: Arc<AtomicUsize>,
    mut opened: watch::Receiver<bool>,
) {
    let mut request = [0; 4096];
    if stream.read(&mut request).await.is_ok_and(|read| read > 0) {
        count.fetch_add(1, Ordering::SeqCst);
        let _ = opened.wait_for(|open| *open).await;
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        let _ = stream.write_all(answer).await;
    }
}
