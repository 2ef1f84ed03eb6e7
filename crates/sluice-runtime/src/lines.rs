//! Splits a pipe into lines. The writer is not trusted.

use std::io;

use bytes::{Bytes, BytesMut};
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt};

const CHUNK: usize = 64 * 1024;

pub(crate) struct LineReader<R> {
    source: R,
    buffer: BytesMut,
    /// The length of the prefix of `buffer` that has no line break.
    scanned: usize,
    max_line: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(source: R, max_line: usize) -> LineReader<R> {
        LineReader {
            source,
            buffer: BytesMut::new(),
            scanned: 0,
            max_line,
        }
    }

    /// Waits for more input. Returns false at its end. A line beyond the limit is an error.
    pub(crate) async fn fill(&mut self) -> io::Result<bool> {
        if self.buffer.len() > self.max_line {
            return Err(io::Error::other(format!(
                "a line of more than {} bytes",
                self.max_line
            )));
        }
        self.buffer.reserve(CHUNK);
        Ok(self.source.read_buf(&mut self.buffer).await? > 0)
    }

    /// The next complete line in the buffer.
    pub(crate) fn next_line(&mut self) -> Option<Bytes> {
        let Some(offset) = memchr(b'\n', &self.buffer[self.scanned..]) else {
            self.scanned = self.buffer.len();
            return None;
        };
        let mut line = self.buffer.split_to(self.scanned + offset + 1).freeze();
        self.scanned = 0;
        line.truncate(line.len() - 1);
        Some(line)
    }

    /// The length of the text after the last line break.
    pub(crate) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// The text after the last line break.
    pub(crate) fn rest(&mut self) -> Bytes {
        self.scanned = 0;
        self.buffer.split().freeze()
    }
}
