//! TLS for clients, with a certificate that is read again when its files change.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::{Mutex, RwLock};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// Between two looks at the files.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);
/// How long a client may take for the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The PEM files of a certificate with its chain, and of its private key.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot read {}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{} has no {what} in PEM form", path.display())]
    Pem { path: PathBuf, what: &'static str },
    #[error("the certificate in {} and the key in {} cannot be used", files.certificate.display(), files.key.display())]
    Unusable {
        files: TlsFiles,
        #[source]
        cause: rustls::Error,
    },
}

/// Connections that are open keep the certificate that they began with.
pub struct Tls {
    files: TlsFiles,
    config: RwLock<Arc<ServerConfig>>,
    /// The files as they were last tried.
    tried: Mutex<Pem>,
}

/// The content of both files.
#[derive(Clone, PartialEq, Eq)]
struct Pem {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Tls {
    pub fn load(files: TlsFiles) -> Result<Arc<Tls>, TlsError> {
        let pem = read(&files)?;
        let config = RwLock::new(config(&files, &pem)?);
        Ok(Arc::new(Tls {
            files,
            config,
            tried: Mutex::new(pem),
        }))
    }

    /// Reads the files again, if they differ from the last time. When they cannot be used, the certificate before stays.
    pub fn reload(&self) {
        match read(&self.files) {
            Ok(pem) => self.try_pair(pem),
            Err(error) => report(&error),
        }
    }

    fn try_pair(&self, pem: Pem) {
        if *self.tried.lock() == pem {
            return;
        }
        match config(&self.files, &pem) {
            Ok(config) => {
                *self.config.write() = config;
                tracing::info!(certificate = %self.files.certificate.display(), "TLS certificate loaded");
            }
            Err(error) => report(&error),
        }
        *self.tried.lock() = pem;
    }

    /// Reloads the files when they have changed. Both are written one after another, so a change counts once it has been the
    /// same for two looks. Never ends.
    pub async fn watch(self: Arc<Self>) {
        let mut last = None;
        loop {
            tokio::time::sleep(WATCH_INTERVAL).await;
            let (tls, seen) = (Arc::clone(&self), last.take());
            let look = tokio::task::spawn_blocking(move || tls.look(seen.as_ref()));
            last = look.await.ok().flatten();
        }
    }

    fn look(&self, last: Option<&Pem>) -> Option<Pem> {
        // A file that is being replaced may be missing for a moment.
        let now = read(&self.files).ok()?;
        if last == Some(&now) {
            self.try_pair(now.clone());
        }
        Some(now)
    }

    /// The handshake with a client, which has a time limit.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let acceptor = TlsAcceptor::from(Arc::clone(&self.config.read()));
        let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream));
        handshake.await?
    }
}

fn report(error: &TlsError) {
    let error = crate::cause_chain::CauseChain(error);
    tracing::error!(%error, "TLS certificate not loaded; the one before stays in use");
}

fn read(files: &TlsFiles) -> Result<Pem, TlsError> {
    Ok(Pem {
        certificate: read_file(&files.certificate)?,
        key: read_file(&files.key)?,
    })
}

fn read_file(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|cause| TlsError::Unreadable {
        path: path.to_owned(),
        cause,
    })
}

fn config(files: &TlsFiles, pem: &Pem) -> Result<Arc<ServerConfig>, TlsError> {
    let invalid = |path: &Path, what| TlsError::Pem {
        path: path.to_owned(),
        what,
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem.certificate).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| invalid(&files.certificate, "certificate"))?;
    let key = PrivateKeyDer::from_pem_slice(&pem.key);
    let key = key.map_err(|_| invalid(&files.key, "private key"))?;
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key);
    let mut config = config.map_err(|cause| TlsError::Unusable {
        files: files.clone(),
        cause,
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
