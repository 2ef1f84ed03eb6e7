//! TLS for clients: the certificate is replaced while connections are open.

use std::{fs, path::Path, sync::Arc, time::Duration};

use rcgen::{CertificateParams, KeyPair};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use sluice_server::{Tls, TlsFiles};
use sluice_testkit::wait_for;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::{server::TestServer, support::PATIENCE};

struct Pair {
    certificate: String,
    key: String,
}

fn pair() -> Pair {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["sluice.test".to_owned()]).unwrap();
    Pair {
        certificate: params.self_signed(&key).unwrap().pem(),
        key: key.serialize_pem(),
    }
}

fn write(folder: &Path, pair: &Pair) -> TlsFiles {
    let files = TlsFiles {
        certificate: folder.join("cert.pem"),
        key: folder.join("key.pem"),
    };
    fs::write(&files.certificate, &pair.certificate).unwrap();
    fs::write(&files.key, &pair.key).unwrap();
    files
}

struct Secured {
    server: Arc<TestServer>,
    tls: Arc<Tls>,
    folder: TempDir,
}

impl Secured {
    async fn start(pair: &Pair) -> Secured {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let tls = Tls::load(write(folder.path(), pair)).unwrap();
        let server = TestServer::secured(|_| {}, Some(Arc::clone(&tls))).await;
        Secured {
            server,
            tls,
            folder,
        }
    }

    async fn plain(&self) -> TcpStream {
        let address = self.server.url().strip_prefix("http://").unwrap();
        TcpStream::connect(address).await.unwrap()
    }

    /// A connection to the server that has this certificate.
    async fn connect(&self, trusted: &Pair) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_slice(trusted.certificate.as_bytes()).unwrap();
        roots.add(certificate).unwrap();
        let config = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = TlsConnector::from(Arc::new(config));
        let name = ServerName::try_from("sluice.test").unwrap();
        connector.connect(name, self.plain().await).await
    }
}

/// One request; the connection stays open.
async fn livez(stream: &mut TlsStream<TcpStream>) -> String {
    let request = b"GET /livez HTTP/1.1\r\nhost: sluice.test\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut response = Vec::new();
    while !response.ends_with(b"ok") {
        assert_ne!(stream.read_buf(&mut response).await.unwrap(), 0);
    }
    String::from_utf8(response).unwrap()
}

#[tokio::test]
async fn a_new_certificate_serves_new_connections_and_drops_no_old_one() {
    let (first, second) = (pair(), pair());
    let secured = Secured::start(&first).await;
    let mut old = secured.connect(&first).await.unwrap();
    assert!(livez(&mut old).await.starts_with("HTTP/1.1 200"));
    assert!(secured.connect(&second).await.is_err());

    // The server looks at its files.
    write(secured.folder.path(), &second);
    let mut new = wait_for(PATIENCE, "the new certificate", async || {
        secured.connect(&second).await.ok()
    })
    .await;
    assert!(livez(&mut new).await.starts_with("HTTP/1.1 200"));
    assert!(livez(&mut old).await.starts_with("HTTP/1.1 200"));
    assert!(secured.connect(&first).await.is_err());
}

#[tokio::test]
async fn files_that_do_not_fit_leave_the_certificate_as_it_is() {
    let (first, second) = (pair(), pair());
    let secured = Secured::start(&first).await;
    let mismatch = Pair {
        certificate: second.certificate.clone(),
        key: first.key.clone(),
    };
    let broken = Pair {
        certificate: "no certificate".to_owned(),
        key: second.key.clone(),
    };
    for bad in [mismatch, broken] {
        write(secured.folder.path(), &bad);
        secured.tls.reload();
        secured.connect(&first).await.unwrap();
    }
    write(secured.folder.path(), &second);
    secured.tls.reload();
    secured.connect(&second).await.unwrap();
}

#[test]
fn the_first_certificate_has_to_be_right() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let error = |pair: &Pair| {
        Tls::load(write(folder.path(), pair))
            .err()
            .unwrap()
            .to_string()
    };
    let (first, second) = (pair(), pair());
    let no_key = Pair {
        certificate: first.certificate.clone(),
        key: String::new(),
    };
    assert!(error(&no_key).contains("key.pem has no private key"));
    let no_certificate = Pair {
        certificate: String::new(),
        key: first.key.clone(),
    };
    assert!(error(&no_certificate).contains("cert.pem has no certificate"));
    let mismatch = Pair {
        certificate: first.certificate,
        key: second.key,
    };
    assert!(error(&mismatch).contains("cannot be used"));
    let files = TlsFiles {
        certificate: folder.path().join("missing.pem"),
        key: folder.path().join("missing.key"),
    };
    let missing = Tls::load(files).err().unwrap().to_string();
    assert!(missing.contains("cannot read"), "{missing}");
}

#[tokio::test]
async fn a_client_that_does_not_shake_hands_is_disconnected() {
    let secured = Secured::start(&pair()).await;
    let mut silent = secured.plain().await;
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(20), silent.read_to_end(&mut rest));
    assert!(closed.await.is_ok(), "still open");

    let mut plain = secured.plain().await;
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let closed = tokio::time::timeout(PATIENCE, plain.read_to_end(&mut rest));
    assert!(closed.await.is_ok(), "still open");
    assert!(!rest.starts_with(b"HTTP"), "{rest:?}");
}

#[tokio::test]
async fn handshakes_count_as_connections_and_idle_ones_make_room() {
    let pair = pair();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let tls = Tls::load(write(folder.path(), &pair)).unwrap();
    let server = TestServer::secured(|settings| settings.max_connections = 4, Some(tls.clone()));
    let secured = Secured {
        server: server.await,
        tls,
        folder,
    };
    // Of four connections, one address has three.
    let mut first = secured.plain().await;
    let _others = [secured.plain().await, secured.plain().await];
    secured.connect(&pair).await.unwrap();
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(5), first.read_to_end(&mut rest));
    assert!(closed.await.is_ok(), "the oldest handshake is still open");
}
