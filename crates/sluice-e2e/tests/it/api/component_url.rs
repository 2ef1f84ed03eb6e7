//! Code by its address: fetched under a guard, and everything that can go wrong on the way.

use std::collections::HashMap;

use serde_json::json;
use sluice_testkit::{Api, Plan};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::fixtures::{IDLE, SMALL_API_BODY, idle_source, limited_server, refused, text};
use crate::support::{new_user, unique_name};

/// Serves whole HTTP answers by path, on loopback, until the test ends.
struct CodeServer {
    url: String,
}

impl CodeServer {
    async fn start(answers: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let answers: HashMap<&str, Vec<u8>> = answers.into_iter().collect();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serve(stream, &answers).await;
            }
        });
        Self { url }
    }

    async fn serving(code: &str) -> Self {
        Self::start([("/code.js", ok(code.as_bytes()))]).await
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

async fn serve(mut stream: TcpStream, answers: &HashMap<&str, Vec<u8>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
    // The client may hang up before it has read everything, as it does when the code is too large.
    let _ = stream
        .write_all(answers.get(path).unwrap_or(&missing))
        .await;
}

fn ok(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn redirect(location: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .into_bytes()
}

/// A user of a server that may reach loopback.
async fn insider() -> Api {
    limited_server().user(&unique_name(), Plan::Free).await
}

async fn assert_not_fetched(api: &Api, url: &str) -> String {
    let error = refused(
        api.post("/components", &json!({ "component_url": url }))
            .await,
        422,
    );
    assert!(
        error.starts_with("component_url could not be fetched"),
        "{url}: {error}"
    );
    error
}

#[tokio::test]
async fn a_component_is_made_from_the_code_at_a_url() {
    let (api, server) = (insider().await, CodeServer::serving(IDLE).await);
    let body = json!({ "component_url": server.at("/code.js") });
    let component = api.post("/components", &body).await.ok();
    assert_eq!(
        (&component["code"], &component["name"]),
        (&json!(IDLE), &json!("Idle"))
    );
}

#[tokio::test]
async fn a_source_is_made_from_the_code_at_a_url() {
    let (api, server) = (insider().await, CodeServer::serving(IDLE).await);
    let source = api
        .post(
            "/sources",
            &json!({ "component_url": server.at("/code.js") }),
        )
        .await
        .ok();
    let path = format!("/components/{}", text(&source["component_id"]));
    assert_eq!(api.get(&path).await.ok()["code"], IDLE);
}

#[tokio::test]
async fn a_source_is_updated_to_the_code_at_a_url() {
    let (api, server) = (insider().await, CodeServer::serving(IDLE).await);
    let source = idle_source(&api).await;
    let body = json!({ "component_url": server.at("/code.js") });
    let updated = api.put(&source.path(""), &body).await.ok();
    assert_ne!(updated["component_id"], source.source["component_id"]);
}

#[tokio::test]
async fn redirects_are_followed() {
    let server = CodeServer::start([
        ("/code.js", ok(IDLE.as_bytes())),
        ("/moved", redirect("/code.js")),
    ]);
    let (api, server) = (insider().await, server.await);
    let body = json!({ "component_url": server.at("/moved") });
    assert_eq!(api.post("/components", &body).await.ok()["code"], IDLE);
}

#[tokio::test]
async fn redirects_end_somewhere_and_stay_with_http() {
    let answers = [
        ("/loop", redirect("/loop")),
        ("/file", redirect("file:///etc/passwd")),
    ];
    let (api, server) = (insider().await, CodeServer::start(answers).await);
    assert_not_fetched(&api, &server.at("/loop")).await;
    assert_not_fetched(&api, &server.at("/file")).await;
}

#[tokio::test]
async fn an_address_that_gives_no_code_is_422() {
    let answers = [
        ("/binary", ok(b"\xff\xfe")),
        ("/large", ok(&vec![b' '; SMALL_API_BODY + 1])),
        ("/garbage", b"not HTTP at all\r\n\r\n".to_vec()),
    ];
    let (api, server) = (insider().await, CodeServer::start(answers).await);
    for path in ["/missing", "/binary", "/large", "/garbage"] {
        assert_not_fetched(&api, &server.at(path)).await;
    }
    assert_not_fetched(&api, "http://127.0.0.1:1/").await;
}

#[tokio::test]
async fn fetched_code_that_does_not_load_is_422_with_its_faults() {
    let (api, server) = (insider().await, CodeServer::serving("oops(").await);
    let body = json!({ "component_url": server.at("/code.js") });
    let refusal = api.post("/components", &body).await.expect(422);
    assert!(refusal["details"]["component_code"].is_array(), "{refusal}");
}

#[tokio::test]
async fn without_the_flag_private_addresses_are_refused_in_every_spelling() {
    let (api, server) = (new_user().await, CodeServer::serving(IDLE).await);
    let port = server.url.rsplit(':').next().expect("a port");
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "10.0.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "user:password@127.0.0.1",
    ] {
        let error = assert_not_fetched(&api, &format!("http://{host}:{port}/code.js")).await;
        assert!(error.contains("private"), "{host}: {error}");
    }
}

#[tokio::test]
async fn a_url_that_is_not_http_or_https_is_400() {
    let api = new_user().await;
    for url in [
        "",
        "code.js",
        "//host/code.js",
        "ftp://host/code.js",
        "file:///etc/passwd",
        "http://",
        "http:",
    ] {
        for path in ["/components", "/sources"] {
            let error = refused(api.post(path, &json!({ "component_url": url })).await, 400);
            assert!(error.contains("component_url"), "{url}: {error}");
        }
    }
}
