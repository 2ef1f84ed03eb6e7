//! Many readers of one stream of server-sent events, each with its own connection. They only count events.

use anyhow::{Context, bail, ensure};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
    task::JoinSet,
};

const READ_BUFFER: usize = 16 * 1024;
/// Begins the data of an event. It occurs only once in each event, because JSON escapes line breaks.
const EVENT: &[u8] = b"\ndata:";
const HANDSHAKE: &[u8] = b":sse-handshake";

pub(crate) struct StreamReaders {
    count: usize,
    /// The number of events that a reader has just received.
    received: mpsc::UnboundedReceiver<usize>,
    tasks: JoinSet<anyhow::Result<()>>,
}

impl StreamReaders {
    /// Connects `count` readers and waits for the server's handshake on each.
    pub(crate) async fn open(
        addr: &str,
        path: &str,
        key: &str,
        count: usize,
    ) -> anyhow::Result<StreamReaders> {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nAuthorization: Bearer {key}\r\n\r\n");
        let (sender, received) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        for _ in 0..count {
            let stream = connect(addr, &request).await?;
            tasks.spawn(read(stream, sender.clone()));
        }
        Ok(StreamReaders {
            count,
            received,
            tasks,
        })
    }

    /// Waits until each reader has received `events` more.
    pub(crate) async fn receive(&mut self, events: usize) -> anyhow::Result<()> {
        let mut missing = events * self.count;
        while missing > 0 {
            tokio::select! {
                Some(received) = self.received.recv() => {
                    missing = missing.checked_sub(received).context("received events twice")?;
                }
                Some(ended) = self.tasks.join_next() => {
                    ended??;
                    bail!("a stream ended");
                }
            }
        }
        Ok(())
    }
}

async fn connect(addr: &str, request: &str) -> anyhow::Result<TcpStream> {
    let mut stream = TcpStream::connect(addr).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut head = Vec::new();
    while find(&head, HANDSHAKE).is_none() {
        let read = stream.read_buf(&mut head).await?;
        let so_far = || String::from_utf8_lossy(&head).into_owned();
        ensure!(read > 0, "a stream ended at once: {}", so_far());
        ensure!(head.starts_with(b"HTTP/1.1 200"), "refused: {}", so_far());
    }
    Ok(stream)
}

async fn read(mut stream: TcpStream, sender: mpsc::UnboundedSender<usize>) -> anyhow::Result<()> {
    let mut buffer = Vec::with_capacity(READ_BUFFER);
    while stream.read_buf(&mut buffer).await? > 0 {
        let events = take_events(&mut buffer);
        // The receiver is dropped when the measurement has ended.
        if events > 0 && sender.send(events).is_err() {
            break;
        }
    }
    Ok(())
}

/// Counts the events in the buffer and keeps an incomplete one.
fn take_events(buffer: &mut Vec<u8>) -> usize {
    let mut events = 0;
    let mut position = 0;
    while let Some(found) = find(&buffer[position..], EVENT) {
        events += 1;
        position += found + EVENT.len();
    }
    let kept = position.max(buffer.len().saturating_sub(EVENT.len() - 1));
    buffer.drain(..kept);
    events
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted_wherever_reads_end() {
        let stream =
            b"10\r\nid: 1-0\ndata: {\"a\":\"x\"}\n\n\r\n:sse-handshake\n\nid: 2-0\ndata: 2\n\n";
        for size in 1..stream.len() {
            let mut buffer = Vec::new();
            let mut events = 0;
            for part in stream.chunks(size) {
                buffer.extend_from_slice(part);
                events += take_events(&mut buffer);
            }
            assert_eq!(events, 2, "in parts of {size}");
        }
    }
}
