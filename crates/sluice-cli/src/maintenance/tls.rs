//! The provider of TLS.

/// For connections to PostgreSQL. An error only means that a provider is installed already.
pub(crate) fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
