//! Raw bytes over TCP, for requests that HTTP clients cannot send.

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

/// Sends `bytes` to `addr` (`host:port`) and returns the response, until the server closes the connection or five seconds
/// pass. A request with `Connection: close` returns at once.
pub async fn raw_http(addr: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = match TcpStream::connect(addr).await {
        Ok(stream) => stream,
        Err(error) => panic!("cannot connect to {addr}: {error}"),
    };
    let mut answer = Vec::new();
    let exchange = async {
        // A server may respond and close before it has read the whole request.
        let _ = stream.write_all(bytes).await;
        let _ = stream.read_to_end(&mut answer).await;
    };
    // After the deadline, the received part is the response.
    let _ = timeout(READ_DEADLINE, exchange).await;
    answer
}

/// Requests `/healthz` once. Blocking, so that a server can be started outside of a runtime.
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
