//! Signals and options of `sluice serve` that take effect only in the whole server: TLS, proxies and the address of the operator.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use rcgen::{CertificateParams, KeyPair};
use reqwest::{Certificate, Client};
use serde_json::{Value, json};
use sluice_testkit::{Method, Server, scratch_folder, unique_hex, wait_for};

use crate::support::{PATIENCE, deploy, own_server};

/// The server looks at its files this often, and takes a pair that it has seen twice.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);
const ECHO: &str = r#"export default {
  name: "Echo", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event); },
};"#;

/// Writes a new pair. Returns the certificate.
fn write_pair(folder: &Path) -> String {
    let key = KeyPair::generate().expect("a key");
    let names = vec!["127.0.0.1".to_owned()];
    let params = CertificateParams::new(names).expect("a name");
    let certificate = params.self_signed(&key).expect("a certificate").pem();
    fs::write(folder.join("cert.pem"), &certificate).expect("a file");
    fs::write(folder.join("key.pem"), key.serialize_pem()).expect("a file");
    certificate
}

/// The status of the server for a client that trusts only this certificate.
async fn status(server: &Server, certificate: &str) -> Option<u16> {
    let root = Certificate::from_pem(certificate.as_bytes()).expect("a certificate");
    let client = Client::builder().tls_certs_only([root]).no_proxy();
    let client = client.build().expect("a client");
    let response = client.get(format!("{}/readyz", server.url())).send().await;
    Some(response.ok()?.status().as_u16())
}

async fn becomes_ready(server: &Server, certificate: &str) {
    wait_for(PATIENCE, "the certificate to be in use", async || {
        (status(server, certificate).await == Some(200)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn sighup_loads_a_new_certificate_at_once() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = scratch_folder();
    let first = write_pair(folder.path());
    let options = own_server()
        .arg("--tls-cert")
        .arg(folder.path().join("cert.pem"))
        .arg("--tls-key")
        .arg(folder.path().join("key.pem"));
    let server = Server::start(options).await;
    assert!(server.url().starts_with("https://"), "{}", server.url());
    becomes_ready(&server, &first).await;

    // Without the signal it takes more than one interval. On a busy machine, so may one of the attempts with it.
    let mut attempts = 0;
    loop {
        let begun = Instant::now();
        let next = write_pair(folder.path());
        server.hang_up();
        becomes_ready(&server, &next).await;
        if begun.elapsed() < WATCH_INTERVAL {
            break;
        }
        attempts += 1;
        assert!(attempts < 5, "the signal has no effect: {}", server.logs());
    }
    assert_eq!(status(&server, &first).await, None);
}

#[tokio::test]
async fn sighup_is_ignored_without_a_certificate() {
    let server = Server::start(own_server()).await;
    server.hang_up();
    wait_for(PATIENCE, "the log line", async || {
        server.logs().contains("SIGHUP ignored").then_some(())
    })
    .await;
    server.api().get("/users/me").await.expect(200);
}

#[tokio::test]
async fn events_have_the_address_that_a_trusted_proxy_names() {
    let trusting = own_server().args(["--trusted-proxies", "127.0.0.1,10.0.0.0/8"]);
    for (options, expected) in [(trusting, "203.0.113.7"), (own_server(), "127.0.0.1")] {
        let server = Server::start(options).await;
        let source = deploy(&server.api(), ECHO).await;
        let request = source.api.absolute(Method::POST, source.endpoint());
        let request = request.header("x-forwarded-for", "203.0.113.7, 10.0.0.9");
        request.json(&json!({})).send().await.expect(200);
        assert_eq!(source.events(1).await[0]["client_ip"], expected);
    }
}

async fn email_of_operator(server: &Server) -> Value {
    server.api().get("/users/me").await.ok()["email"].clone()
}

#[tokio::test]
async fn the_operator_gets_an_address_at_the_first_start_or_later() {
    let with = |email: &str| own_server().args(["--operator-email", email]);
    let server = Server::start(with("ada@example.com")).await;
    assert_eq!(email_of_operator(&server).await, "ada@example.com");

    let (folder, key) = (scratch_folder(), unique_hex());
    for (options, expected) in [
        (own_server(), "operator@localhost"),
        (with("ada@example.com"), "ada@example.com"),
        // Only the placeholder is replaced.
        (with("bob@example.com"), "ada@example.com"),
    ] {
        let server = Server::start(options.data_dir(folder.path()).api_key(&key)).await;
        assert_eq!(email_of_operator(&server).await, expected);
    }
}
