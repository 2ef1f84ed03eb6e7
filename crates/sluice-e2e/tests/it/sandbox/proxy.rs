//! With an egress proxy everything goes through it, and nothing past it.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;
use sluice_testkit::Server;

use super::{attempt, has_all_walls};
use crate::support::server_as_it_comes;

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
    if !has_all_walls() {
        return;
    }
    let proxy = Proxy::default();
    let url = format!("http://localhost:{}", proxy.start());
    let server = Server::start(server_as_it_comes().arg("--egress-proxy").arg(url)).await;
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

/// A proxy that opens TLS with certificates of its own making, for one host. Gives its port and its authority's certificate.
fn start_opening_proxy(host: &str) -> (u16, String) {
    let mut authority = CertificateParams::new([]).expect("parameters");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().expect("a key");
    let trusted = authority
        .self_signed(&authority_key)
        .expect("a certificate")
        .pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new([host.to_owned()])
        .and_then(|parameters| parameters.signed_by(&key, &issuer))
        .expect("a certificate");
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .expect("versions of TLS")
    .with_no_client_auth()
    .with_single_cert(
        vec![certificate.der().clone()],
        key.serialize_der().try_into().expect("a key"),
    )
    .map(Arc::new)
    .expect("a certificate that fits its key");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that does not trust us hangs up.
            let _ = open_tunnel(stream, Arc::clone(&config));
        }
    });
    (port, trusted)
}

fn open_tunnel(mut stream: TcpStream, config: Arc<rustls::ServerConfig>) -> io::Result<()> {
    let _ = stream.read(&mut [0; 4096])?;
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    let connection = rustls::ServerConnection::new(config).map_err(io::Error::other)?;
    let mut inside = rustls::StreamOwned::new(connection, stream);
    let _ = inside.read(&mut [0; 4096])?;
    inside.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nopened")?;
    inside.conn.send_close_notify();
    inside.flush()
}

#[tokio::test]
async fn components_trust_the_authority_of_a_proxy_that_opens_tls_when_they_are_told_to() {
    let (port, trusted) = start_opening_proxy("example.test");
    let folder = tempfile::tempdir().expect("a folder");
    let ca = folder.path().join("ca.pem");
    fs::write(&ca, trusted).expect("a file");
    let expressions = [
        "fetch('https://example.test/').then((answer) => answer.text())",
        "new Promise((done, fail) => require('https').get('https://example.test/', (answer) => answer.toArray().then((all) => done(Buffer.concat(all)))).on('error', fail))",
    ];
    let proxied = || {
        server_as_it_comes()
            .arg("--egress-proxy")
            .arg(format!("http://127.0.0.1:{port}"))
    };
    let told = Server::start(proxied().arg("--egress-ca").arg(&ca)).await;
    let outcomes = attempt(&told.api(), &expressions, json!({})).await;
    assert_eq!(
        outcomes,
        [json!(["allowed", "opened"]), json!(["allowed", "opened"])]
    );
    let untold = Server::start(proxied()).await;
    for outcome in attempt(&untold.api(), &expressions, json!({})).await {
        assert!(outcome.to_string().contains("certificate"), "{outcome}");
    }
}
