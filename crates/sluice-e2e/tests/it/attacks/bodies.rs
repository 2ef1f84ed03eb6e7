//! Clients that send large bodies slowly, to fill the memory of the server.

use serde_json::json;
use sluice_testkit::Server;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use super::megabytes;
use crate::support::{deploy, own_server};

const BODY: usize = 10 * 1024 * 1024;

/// Sends a body without its last byte, as far as the server reads it. Returns the response, if there is one.
async fn send_slowly(address: String, path: String) -> Option<String> {
    let mut stream = TcpStream::connect(&address).await.ok()?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: text/plain\r\ncontent-length: {BODY}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    let body = vec![b'x'; BODY - 1];
    let (mut read, mut write) = stream.split();
    let mut response = vec![0; 4096];
    tokio::select! {
        // Its end is written only when the server has read it all.
        Err(_) = async { write.write_all(&body).await?; std::future::pending::<std::io::Result<()>>().await } => None,
        Ok(length) = read.read(&mut response) => String::from_utf8(response[..length].to_vec()).ok(),
        else => None,
    }
}

#[tokio::test]
async fn large_bodies_that_do_not_end_neither_fill_the_memory_nor_block_others() {
    let code = "module.exports = { name: 'Open', version: '1', props: { http: '$.interface.http' }, run() {} };";
    let server = Server::start(own_server().args(["--body-memory", "200MiB"])).await;
    let api = server.api();
    let (attacked, other) = (deploy(&api, code).await, deploy(&api, code).await);
    let before = megabytes(server.pid());
    let url = attacked.endpoint().to_owned();
    let (address, key) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .expect("an address");
    let mut clients = JoinSet::new();
    for _ in 0..60 {
        clients.spawn(send_slowly(address.to_owned(), format!("/{key}")));
    }
    let mut refused = 0;
    let mut most = 0;
    while refused < 50 {
        let response = clients
            .join_next()
            .await
            .expect("a client")
            .expect("no panic");
        let response = response.unwrap_or_default().to_lowercase();
        if response.starts_with("http/1.1 503") {
            assert!(response.contains("retry-after: "), "{response}");
            refused += 1;
        }
        most = most.max(megabytes(server.pid()));
        other.send(&json!({ "a": 1 })).await.expect(200);
    }
    assert!(most < before + 200, "{before} MB grew to {most} MB");
}
