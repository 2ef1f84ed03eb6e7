//! Bytes over TCP, for what no well-behaved client would send.

use std::{
    io::{self, Read, Write},
    net::TcpStream as BlockingStream,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

const READ_DEADLINE: Duration = Duration::from_secs(5);
const HEALTH_DEADLINE: Duration = Duration::from_secs(2);

/// Sends `bytes` to `addr` (`host:port`) and returns what comes back until the server closes or five seconds pass.
/// Ask for `Connection: close` to have the answer at once.
pub async fn raw_http(addr: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = match TcpStream::connect(addr).await {
        Ok(stream) => stream,
        Err(error) => panic!("cannot connect to {addr}: {error}"),
    };
    let mut answer = Vec::new();
    let exchange = async {
        // A server may refuse, answer and close before it has read everything; the answer is what counts.
        let _ = stream.write_all(bytes).await;
        let _ = stream.read_to_end(&mut answer).await;
    };
    // Past the deadline, what has come so far is the answer.
    let _ = timeout(READ_DEADLINE, exchange).await;
    answer
}

/// Asks `/healthz` once. Blocking, so that a server can be started outside any runtime.
pub(crate) fn is_healthy(addr: &str) -> bool {
    let ask = || -> io::Result<bool> {
        let mut stream = BlockingStream::connect(addr)?;
        stream.set_read_timeout(Some(HEALTH_DEADLINE))?;
        write!(
            stream,
            "GET /healthz HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n"
        )?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(&status == b"HTTP/1.1 200")
    };
    ask().unwrap_or(false)
}
