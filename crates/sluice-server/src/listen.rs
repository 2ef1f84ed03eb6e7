//! The socket that connections come to.

use std::io;

use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// Connections that wait to be accepted; the kernel has a most of its own, `net.core.somaxconn`. Where thousands connect at once, those that
/// find no room believe that they are connected, try for a while to send, and are reset.
const BACKLOG: u32 = 65_535;

/// Listens on the first address of `address`, a host and a port, that can be had.
pub async fn listen(address: &str) -> io::Result<TcpListener> {
    let mut refused = None;
    for candidate in lookup_host(address).await? {
        let socket = if candidate.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        };
        let listening = socket.and_then(|socket| {
            // A server that starts again need not wait for the connections of the one before.
            socket.set_reuseaddr(true)?;
            socket.bind(candidate)?;
            socket.listen(BACKLOG)
        });
        match listening {
            Ok(listener) => return Ok(listener),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused
        .unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the host has no address")))
}

#[cfg(test)]
mod tests {
    use std::{fs, net::TcpStream, time::Duration};

    use super::*;

    /// More than is kept waiting for a listener that does not ask for room, as far as this machine allows it.
    fn crowd() -> usize {
        let most = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
        let limits = fs::read_to_string("/proc/self/limits").unwrap();
        let files = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max open files"))
            .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
            .unwrap_or(usize::MAX);
        let most: usize = most.trim().parse().unwrap();
        most.min(files / 2).min(1_500)
    }

    #[tokio::test]
    async fn a_crowd_can_connect_before_the_first_is_accepted() {
        let listener = listen("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // Without room, the next would wait for longer than this.
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(30)).unwrap();
        let connected: Vec<TcpStream> = (0..crowd()).map(connect).collect();
        for _ in &connected {
            listener.accept().await.unwrap();
        }
    }

    #[tokio::test]
    async fn an_address_that_is_taken_is_refused() {
        let first = listen("127.0.0.1:0").await.unwrap();
        let address = first.local_addr().unwrap().to_string();
        let error = listen(&address).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(listen("127.0.0.1").await.is_err());
    }
}
