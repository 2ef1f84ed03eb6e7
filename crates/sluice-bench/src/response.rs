//! Finds the end of an HTTP/1.1 response in a buffer: only as much of the protocol as a load generator needs.

use anyhow::{Context, bail};

/// A complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Its length in bytes.
    pub(crate) length: usize,
}

/// Parses the response at the start of `buffer`. `None` when it is not complete.
pub(crate) fn parse(buffer: &[u8]) -> anyhow::Result<Option<Response>> {
    let Some(head_length) = find(buffer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = str::from_utf8(&buffer[..head_length]).context("the head is not text")?;
    let mut lines = head.split("\r\n");
    let status = status_of(lines.next().unwrap_or_default())?;
    let body = &buffer[head_length + 4..];
    let body_length = match framing_of(lines)? {
        Framing::Length(length) => (body.len() >= length).then_some(length),
        Framing::Chunked => chunked_length(body)?,
    };
    Ok(body_length.map(|length| Response {
        status,
        length: head_length + 4 + length,
    }))
}

enum Framing {
    Length(usize),
    Chunked,
}

fn status_of(line: &str) -> anyhow::Result<u16> {
    let status = line
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    let status = status.with_context(|| format!("not a status line: {line:?}"))?;
    Ok(status.parse()?)
}

fn framing_of<'a>(headers: impl Iterator<Item = &'a str>) -> anyhow::Result<Framing> {
    for header in headers {
        let Some((name, value)) = header.split_once(':') else {
            bail!("not a header: {header:?}");
        };
        if name.eq_ignore_ascii_case("content-length") {
            return Ok(Framing::Length(value.trim().parse()?));
        }
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return Ok(Framing::Chunked);
        }
    }
    Ok(Framing::Length(0))
}

/// The length of a chunked body. `None` before its last chunk. Trailers are not supported.
fn chunked_length(body: &[u8]) -> anyhow::Result<Option<usize>> {
    let mut position = 0;
    loop {
        let Some(line_length) = find(&body[position..], b"\r\n") else {
            return Ok(None);
        };
        let line = str::from_utf8(&body[position..position + line_length])?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).context("not the size of a chunk")?;
        position += line_length + 2 + size + 2;
        if position > body.len() {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some(position));
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Complete at its full length and at no shorter length.
    fn assert_whole(bytes: &[u8], status: u16) {
        for length in 0..bytes.len() {
            assert_eq!(
                parse(&bytes[..length]).expect("it parses"),
                None,
                "whole at {length}"
            );
        }
        let whole = Response {
            status,
            length: bytes.len(),
        };
        assert_eq!(parse(bytes).expect("it parses"), Some(whole));
    }

    #[test]
    fn a_body_of_known_length() {
        assert_whole(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200);
    }

    #[test]
    fn a_chunked_body() {
        assert_whole(
            b"HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n",
            503,
        );
    }

    #[test]
    fn no_body_at_all() {
        assert_whole(b"HTTP/1.1 204 No Content\r\nVary: Accept\r\n\r\n", 204);
    }

    #[test]
    fn anything_else_is_an_error() {
        assert!(parse(b"SSH-2.0\r\n\r\n").is_err());
        assert!(parse(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n").is_err());
    }
}
