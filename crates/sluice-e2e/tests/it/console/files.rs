//! The console's files, as they are built.

use std::fs;

use sluice_testkit::{Answer, Method, Server, raw_http, scratch_folder};

use super::fixtures::{build_console, with_console};
use crate::{api::fixtures::refused, support::own_server};

const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const SCRIPT: &str = "/assets/app-1a2b.js";

async fn get(path: &str, accept_encoding: &str) -> Answer {
    let request = with_console().api().root(Method::GET, path);
    let request = match accept_encoding {
        "" => request,
        codings => request.header("accept-encoding", codings),
    };
    request.send().await
}

#[tokio::test]
async fn a_file_has_the_type_of_its_name_and_hashed_ones_are_kept_for_ever() {
    for (path, content, content_type, cache) in [
        (
            SCRIPT,
            "let plain;",
            "text/javascript; charset=utf-8",
            IMMUTABLE,
        ),
        (
            "/assets/app-1a2b.css",
            "a{}",
            "text/css; charset=utf-8",
            IMMUTABLE,
        ),
        ("/assets/font-1a2b.woff2", "font", "font/woff2", IMMUTABLE),
        ("/favicon.svg", "<svg/>", "image/svg+xml", "no-cache"),
    ] {
        let answer = get(path, "").await;
        assert_eq!((answer.status, answer.text.as_str()), (200, content));
        assert_eq!(answer.header("content-type"), Some(content_type));
        assert_eq!(answer.header("cache-control"), Some(cache));
        assert_eq!(answer.header("vary"), Some("accept-encoding"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("content-encoding"), None);
    }
}

#[tokio::test]
async fn a_client_gets_the_smallest_form_it_takes() {
    for (path, accepted, encoding, content) in [
        (SCRIPT, "gzip, deflate, br, zstd", Some("br"), "brotli"),
        (SCRIPT, "gzip", Some("gzip"), "gzip"),
        (SCRIPT, "br;q=0, gzip;q=0.1", Some("gzip"), "gzip"),
        (SCRIPT, "*", Some("br"), "brotli"),
        (SCRIPT, "*;q=0", None, "let plain;"),
        (SCRIPT, "br;q=0, gzip;q=0", None, "let plain;"),
        (SCRIPT, "identity", None, "let plain;"),
        ("/assets/app-1a2b.css", "br, gzip", Some("gzip"), "gzip"),
        ("/favicon.svg", "br, gzip", None, "<svg/>"),
    ] {
        let answer = get(path, accepted).await;
        assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
        assert_eq!(answer.text, content, "{path} {accepted}");
        assert_eq!(answer.header("vary"), Some("accept-encoding"));
    }
}

#[tokio::test]
async fn the_compressed_forms_have_no_address() {
    for path in [
        "/assets/app-1a2b.js.br",
        "/assets/app-1a2b.js.gz",
        "/index.html.br",
    ] {
        refused(get(path, "br, gzip").await, 404);
    }
}

#[tokio::test]
async fn head_tells_of_a_file_without_its_contents() {
    let request = with_console().api().root(Method::HEAD, SCRIPT);
    let answer = request.header("accept-encoding", "br").send().await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    assert_eq!(answer.header("content-encoding"), Some("br"));
    assert_eq!(answer.header("content-length"), Some("6"));
}

#[tokio::test]
async fn files_are_only_read() {
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
        let request = with_console().api().root(method, SCRIPT);
        refused(request.send().await, 404);
    }
}

#[tokio::test]
async fn no_path_leads_out_of_the_folder() {
    let server = with_console();
    for path in [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/..\\secret.txt",
        "//../secret.txt",
        "/./../secret.txt",
        "/link.txt",
        "/assets/app-1a2b.js%00.txt",
        "/assets",
        "/assets/",
    ] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            server.addr()
        );
        let answer = raw_http(server.addr(), request.as_bytes()).await;
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        assert!(!answer.contains("secret"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_folder_is_read_as_it_is_now() {
    let folder = scratch_folder();
    let options = own_server().arg("--console-dir").arg(folder.path());
    let server = Server::start(options).await;
    refused(server.api().root(Method::GET, SCRIPT).send().await, 404);
    build_console(folder.path());
    let answer = server.api().root(Method::GET, SCRIPT).send().await;
    assert_eq!(answer.text, "let plain;");
    fs::write(folder.path().join("assets/app-1a2b.js"), "let other;").expect("a file");
    let answer = server.api().root(Method::GET, SCRIPT).send().await;
    assert_eq!(answer.text, "let other;");
}
