//! The listening socket.

use std::io;

use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// The longest queue of connections to accept; the kernel limits it to `net.core.somaxconn`. When thousands connect at once
/// and the queue is full, clients believe that they are connected, send for a while, and are reset.
const BACKLOG: u32 = 65_535;

/// Listens on the first available address of `address`, a host and a port.
pub async fn listen(address: &str) -> io::Result<TcpListener> {
    let mut last_error = None;
    for candidate in lookup_host(address).await? {
        let socket = if candidate.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        };
        let listening = socket.and_then(|socket| {
            // A restarted server does not wait for the connections of its predecessor.
            socket.set_reuseaddr(true)?;
            socket.bind(candidate)?;
            socket.listen(BACKLOG)
        });
        match listening {
            Ok(listener) => return Ok(listener),
            Err(error) => last_error = Some(error),
        }
    }
    Err(last_error
        .unwrap_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the host has no address")))
}

#[cfg(test)]
mod tests {
    use std::{fs, net::TcpStream, time::Duration};

    use super::*;

    /// More connections than the default backlog, within the limits of this machine.
    fn connection_count() -> usize {
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
    async fn many_clients_connect_before_the_first_is_accepted() {
        let listener = listen("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // With a full backlog, the next client would wait longer than this.
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(30)).unwrap();
        let connected: Vec<TcpStream> = (0..connection_count()).map(connect).collect();
        for _ in &connected {
            listener.accept().await.unwrap();
        }
    }

    #[tokio::test]
    async fn an_address_in_use_is_an_error() {
        let first = listen("127.0.0.1:0").await.unwrap();
        let address = first.local_addr().unwrap().to_string();
        let error = listen(&address).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(listen("127.0.0.1").await.is_err());
    }
}
