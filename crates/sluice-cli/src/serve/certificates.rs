//! The CA certificates of the machine, which every client of TLS needs.

use anyhow::ensure;

/// Ends the start early, with a reason that says what to do.
pub(super) fn check() -> anyhow::Result<()> {
    let found = rustls_native_certs::load_native_certs();
    ensure!(
        !found.certs.is_empty(),
        "no CA certificates found on this machine: install the package `ca-certificates`, or set SSL_CERT_FILE"
    );
    Ok(())
}
