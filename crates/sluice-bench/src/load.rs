//! A closed-loop load generator: each connection sends the same request again as soon as it has the response.
//!
//! It waits for the response of every request, also past the deadline, so that the number of accepted requests is exact and
//! can be compared with the number of stored events.

use std::{
    slice,
    time::{Duration, Instant},
};

use anyhow::bail;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};

use crate::{histogram::Histogram, response};

/// The timeout of one response.
const ANSWER_DEADLINE: Duration = Duration::from_mins(1);
const READ_BUFFER: usize = 16 * 1024;

/// The request, its target, and the number of connections.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    /// `host:port`.
    pub(crate) addr: String,
    /// The whole request, head and body.
    pub(crate) request: Vec<u8>,
    pub(crate) connections: usize,
    pub(crate) duration: Duration,
}

/// The result of a load.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Responses with a 2xx status.
    pub(crate) accepted: u64,
    /// Responses with any other status.
    pub(crate) rejected: u64,
    /// Connections that were closed or broke the protocol. Each is removed from the load.
    pub(crate) errors: Vec<String>,
    pub(crate) latencies: Histogram,
    pub(crate) elapsed: Duration,
}

impl Tally {
    pub(crate) fn responses_per_second(&self) -> f64 {
        let answers = u32::try_from(self.accepted + self.rejected).unwrap_or(u32::MAX);
        f64::from(answers) / self.elapsed.as_secs_f64()
    }

    fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.errors.extend(other.errors);
        self.latencies.merge(&other.latencies);
    }
}

/// Builds a keep-alive POST of a JSON body.
pub(crate) fn post_json(addr: &str, path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

pub(crate) async fn run(load: &Load) -> Tally {
    run_all(slice::from_ref(load)).await
}

/// Runs several loads at the same time, and adds up their results.
pub(crate) async fn run_all(loads: &[Load]) -> Tally {
    let start = Instant::now();
    let mut connections = JoinSet::new();
    for load in loads {
        for _ in 0..load.connections {
            connections.spawn(drive_connection(
                load.addr.clone(),
                load.request.clone(),
                start + load.duration,
            ));
        }
    }
    let mut total = Tally::default();
    while let Some(tally) = connections.join_next().await {
        total.add(tally.expect("a connection's task does not panic"));
    }
    total.elapsed = start.elapsed();
    total
}

async fn drive_connection(addr: String, request: Vec<u8>, deadline: Instant) -> Tally {
    let mut tally = Tally::default();
    if let Err(error) = exchange_until(&addr, &request, deadline, &mut tally).await {
        tally.errors.push(format!("{error:#}"));
    }
    tally
}

async fn exchange_until(
    addr: &str,
    request: &[u8],
    deadline: Instant,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let mut connection = Connection::open(addr).await?;
    while Instant::now() < deadline {
        let sent = Instant::now();
        let status = connection.exchange(request).await?;
        tally.latencies.record(sent.elapsed());
        match status {
            200..300 => tally.accepted += 1,
            _ => tally.rejected += 1,
        }
    }
    Ok(())
}

/// One keep-alive connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(addr: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(addr).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(READ_BUFFER),
        })
    }

    /// Sends a whole request and returns the status of its response.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<u16> {
        self.stream.write_all(request).await?;
        timeout(ANSWER_DEADLINE, self.read_answer()).await?
    }

    async fn read_answer(&mut self) -> anyhow::Result<u16> {
        self.buffer.clear();
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if let Some(response) = response::parse(&self.buffer)? {
                if response.length != self.buffer.len() {
                    bail!("the server sent more than one response");
                }
                return Ok(response.status);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// Responds to the first request of every connection with 200 and to the second with 503, and then closes it.
    async fn serve(listener: TcpListener) {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                for status in ["200 OK", "503 Unavailable"] {
                    let mut request = [0; 1024];
                    let _ = stream.read(&mut request).await;
                    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nok");
                    let _ = stream.write_all(answer.as_bytes()).await;
                }
            });
        }
    }

    #[tokio::test]
    async fn answers_are_counted_by_kind() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("it is bound").to_string();
        tokio::spawn(serve(listener));
        let load = Load {
            request: post_json(&addr, "/", "{}"),
            addr,
            connections: 3,
            duration: Duration::from_secs(5),
        };
        let tally = run(&load).await;
        assert_eq!(
            (tally.accepted, tally.rejected, tally.errors.len()),
            (3, 3, 3)
        );
        assert!(
            tally.elapsed < load.duration,
            "a closed connection is not opened again"
        );
    }
}
