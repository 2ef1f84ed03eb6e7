//! Bytes that no well-behaved client would send: they are refused or dropped, and the server goes on.

use rstest::rstest;
use sluice_testkit::{Backend, Method, raw_http};

use crate::support::{new_user_on, shared_server};

/// The status of the answer; none when the connection was closed without one.
pub(super) fn status(answer: &[u8]) -> Option<u16> {
    let head = answer.strip_prefix(b"HTTP/1.1 ")?;
    std::str::from_utf8(head.get(..3)?).ok()?.parse().ok()
}

/// Asserts that the bytes were refused, by an answer or by closing, and that the server still serves.
async fn assert_refused(backend: Backend, bytes: &[u8]) {
    let server = shared_server(backend);
    let answer = raw_http(server.addr(), bytes).await;
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    match status(&answer) {
        Some(status) => assert!(
            (400..500).contains(&status),
            "{shown:?}: {}",
            String::from_utf8_lossy(&answer)
        ),
        None => assert!(
            answer.is_empty(),
            "{shown:?}: {}",
            String::from_utf8_lossy(&answer)
        ),
    }
    server
        .api()
        .root(Method::GET, "/healthz")
        .send()
        .await
        .expect(200);
}

fn request(line: &str, headers: &str) -> Vec<u8> {
    format!("{line}\r\nHost: x\r\n{headers}Connection: close\r\n\r\n").into_bytes()
}

#[rstest]
#[tokio::test]
async fn malformed_request_lines_are_refused(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    for line in [
        "GET",
        "GET /v1/users/me",
        "GET  /v1/users/me  HTTP/1.1",
        "/v1/users/me GET HTTP/1.1",
        "GET /v1/users/me HTTP/9.9",
        "GET /v1/users/me SMTP/1.1",
        "G\0T /v1/users/me HTTP/1.1",
        "GET /v1/\0users/me HTTP/1.1",
        "GET /v1/users/me\u{7f} HTTP/1.1",
        "GET /%zz HTTP/1.1",
        "GET * HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "CONNECT example.com:443 HTTP/1.1",
        "GET http://example.com/v1/nonsense HTTP/1.1",
        "GET //// HTTP/1.1",
        "GET /v1/sources/../../etc/passwd HTTP/1.1",
        "GET /v1/sources/%2e%2e/%2e%2e HTTP/1.1",
        "GET ?x HTTP/1.1",
        "VERYLONGMETHODNAME /v1/sources HTTP/1.1",
    ] {
        assert_refused(backend, &request(line, "")).await;
    }
    let long = format!("GET /v1/{} HTTP/1.1", "x".repeat(70_000));
    assert_refused(backend, &request(&long, "")).await;
}

#[rstest]
#[tokio::test]
async fn malformed_headers_are_refused(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let key = shared_server(backend).api_key();
    let many = "x: y\r\n".repeat(500);
    let long = format!("x: {}\r\n", "y".repeat(500_000));
    for headers in [
        "no colon\r\n",
        ": no name\r\n",
        "bad name: x\r\n",
        "x: a\0b\r\n",
        " folded\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: ten\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Authorization: Bearer \u{80}\u{ff}\r\n",
        &many,
        &long,
    ] {
        let line = "POST /v1/sources HTTP/1.1";
        assert_refused(backend, &request(line, headers)).await;
        let with_key = format!("Authorization: Bearer {key}\r\n{headers}");
        assert_refused(backend, &request(line, &with_key)).await;
    }
}

#[rstest]
#[tokio::test]
async fn malformed_bodies_are_refused(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let key = shared_server(backend).api_key();
    let headers = format!(
        "Authorization: Bearer {key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    );
    for chunks in [
        "zz\r\n{}\r\n0\r\n\r\n",
        "-1\r\n\r\n",
        "ffffffffffffffffff\r\n{}",
        "2\r\n{}xx\r\n0\r\n\r\n",
        "0\r\n\r\n",
    ] {
        let mut bytes = request("POST /v1/sources HTTP/1.1", &headers);
        bytes.extend_from_slice(chunks.as_bytes());
        assert_refused(backend, &bytes).await;
    }
}

#[rstest]
#[tokio::test]
async fn what_is_not_http_at_all_is_refused(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let tls_hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n";
    let http2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for bytes in [
        &tls_hello[..],
        http2,
        b"\r\n\r\n\r\n\0\0\0\r\n\r\n",
        b"SSH-2.0-x\r\n\r\n",
        b"\xff\xff\xff\xff\r\n\r\n",
    ] {
        assert_refused(backend, bytes).await;
    }
}

#[tokio::test]
async fn a_second_request_on_the_same_connection_is_answered_after_a_refused_first() {
    let api = new_user_on(Backend::Sqlite).await;
    let key = api.key();
    let bytes = format!(
        "POST /v1/sources HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: text/plain\r\n\
         Content-Length: 2\r\n\r\n{{}}\
         GET /v1/users/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
    );
    let answer = raw_http(shared_server(Backend::Sqlite).addr(), bytes.as_bytes()).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 415 "), "{answer}");
    assert!(answer.contains("HTTP/1.1 200 OK"), "{answer}");
}
