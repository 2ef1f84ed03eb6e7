//! With an egress proxy everything goes through it, and nothing past it.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use serde_json::json;
use sluice_testkit::Server;

use super::attempt;
use crate::support::own_server;

/// A proxy that writes down what it is asked for, answers plain requests itself and refuses tunnels.
#[derive(Clone, Default)]
struct Proxy {
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let proxy = self.clone();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(stream.try_clone().expect("a handle")).lines();
                let request = lines.next().and_then(Result::ok).unwrap_or_default();
                for line in lines.map_while(Result::ok) {
                    if line.is_empty() {
                        break;
                    }
                }
                let answer: &[u8] = if request.starts_with("CONNECT") {
                    b"HTTP/1.1 502 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                } else {
                    b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nproxied!\n"
                };
                let mut asked = proxy.asked.lock().unwrap_or_else(PoisonError::into_inner);
                asked.push(request);
                let _ = stream.write_all(answer);
            }
        });
        port
    }
}

#[tokio::test]
async fn http_goes_through_the_proxy_and_everything_else_nowhere() {
    let proxy = Proxy::default();
    let url = format!("http://localhost:{}", proxy.start());
    let server = Server::start(own_server().arg("--egress-proxy").arg(url)).await;
    let expressions = [
        "fetch('http://one.example.test/a').then((answer) => answer.text())",
        "new Promise((done, fail) => require('http').get('http://two.example.test/b', (answer) => answer.toArray().then((all) => done(Buffer.concat(all)))).on('error', fail))",
        "fetch('https://three.example.test/c')",
        "new Promise((done, fail) => require('https').get('https://four.example.test/d', done).on('error', fail))",
        // Addresses of no machine: where they are not refused, they do not answer either.
        "Deno.connect({ hostname: '192.88.99.1', port: 80 })",
        "new Promise((done, fail) => require('net').connect(443, '192.88.99.1', done).on('error', fail))",
        "new Promise((done, fail) => require('dgram').createSocket('udp4').on('error', fail).send('x', 53, '192.88.99.1', (error) => error ? fail(error) : done()))",
        "fetch('http://10.0.0.1/')",
    ];
    let outcomes = attempt(&server.api(), &expressions, json!({})).await;
    let through = json!(["allowed", "proxied!\n"]);
    assert_eq!(outcomes[..2], [through.clone(), through]);
    for (expression, outcome) in expressions.iter().zip(&outcomes).skip(2) {
        assert!(!outcome.is_array(), "{expression}: {outcome}");
    }
    assert_eq!(outcomes[4..], ["refused"; 4]);
    let asked = proxy.asked.lock().unwrap_or_else(PoisonError::into_inner);
    let first_words = [
        "GET http://one.example.test/a ",
        "GET http://two.example.test/b ",
        "CONNECT three.example.test:443 ",
        "CONNECT four.example.test:443 ",
    ];
    for (request, words) in asked.iter().zip(first_words) {
        assert!(request.starts_with(words), "{asked:#?}");
    }
}

#[tokio::test]
async fn the_proxy_s_certificates_are_handed_to_components() {
    let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let ca = folder.path().join("ca.pem");
    std::fs::write(&ca, "").expect("a file");
    let options = own_server()
        .arg("--egress-proxy")
        .arg("http://127.0.0.1:9")
        .arg("--egress-ca")
        .arg(&ca);
    let server = Server::start(options).await;
    let outcomes = attempt(&server.api(), &["1 + 1"], json!({})).await;
    assert_eq!(outcomes, [json!(["allowed", "2"])]);
}
