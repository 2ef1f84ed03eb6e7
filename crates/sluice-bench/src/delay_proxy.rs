//! A TCP proxy that delays every byte, as a network does. It has threads of its own, because timers of the runtime are too
//! coarse for delays below a millisecond.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;

const CHUNK: usize = 64 * 1024;

/// A chunk, and when it arrives.
type Delayed = (Instant, Vec<u8>);

/// Starts a proxy in front of the server of `url`, a `postgres://user@host:port/name`, and returns the URL through it. Each round
/// trip takes longer by `round_trip`, half of it in each direction. The proxy runs until the program ends.
pub(crate) fn before_database(url: &str, round_trip: Duration) -> anyhow::Result<String> {
    let (user, rest) = url.split_once('@').context("the URL has no user")?;
    let (server, name) = rest.split_once('/').context("the URL has no database")?;
    let proxy = start(server.to_owned(), round_trip / 2)?;
    Ok(format!("{user}@{proxy}/{name}"))
}

fn start(server: String, delay: Duration) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            // The client sees a closed connection, as it would without the proxy.
            let _ = connect(client, &server, delay);
        }
    });
    Ok(address)
}

fn connect(client: TcpStream, server: &str, delay: Duration) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    forward(client.try_clone()?, server.try_clone()?, delay);
    forward(server, client, delay);
    Ok(())
}

/// Forwards one direction until its sender closes it. Reading goes on while chunks wait, so the delay does not limit the rate.
fn forward(from: TcpStream, to: TcpStream, delay: Duration) {
    let (chunks, delayed) = mpsc::channel();
    thread::spawn(move || read(from, &chunks, delay));
    thread::spawn(move || write(to, &delayed));
}

fn read(mut from: TcpStream, chunks: &mpsc::Sender<Delayed>, delay: Duration) {
    let mut buffer = vec![0; CHUNK];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let chunk = (Instant::now() + delay, buffer[..length].to_vec());
        if chunks.send(chunk).is_err() {
            return;
        }
    }
}

fn write(mut to: TcpStream, delayed: &mpsc::Receiver<Delayed>) {
    for (due, chunk) in delayed {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&chunk).is_err() {
            break;
        }
    }
    // Fails if the peer has closed it already.
    let _ = to.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_TRIP: Duration = Duration::from_millis(20);

    /// Returns whatever the first connection sends.
    fn echo() -> io::Result<SocketAddr> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        thread::spawn(move || {
            let (mut stream, _) = listener.accept()?;
            io::copy(&mut stream.try_clone()?, &mut stream)
        });
        Ok(address)
    }

    #[test]
    fn a_round_trip_takes_as_long_as_it_should() -> anyhow::Result<()> {
        let url = format!("postgres://user@{}/name", echo()?);
        let proxied = before_database(&url, ROUND_TRIP)?;
        let address = proxied.trim_start_matches("postgres://user@");
        let address = address.strip_suffix("/name").context("the name is kept")?;
        let mut stream = TcpStream::connect(address)?;
        let start = Instant::now();
        stream.write_all(b"ping")?;
        let mut reply = [0; 4];
        stream.read_exact(&mut reply)?;
        assert_eq!(&reply, b"ping");
        assert!(start.elapsed() >= ROUND_TRIP);
        Ok(())
    }

    #[test]
    fn a_closed_connection_is_closed_on_the_other_side() -> anyhow::Result<()> {
        let mut stream = TcpStream::connect(start(echo()?.to_string(), Duration::ZERO)?)?;
        stream.shutdown(Shutdown::Write)?;
        assert_eq!(stream.read(&mut [0; 1])?, 0);
        Ok(())
    }
}
