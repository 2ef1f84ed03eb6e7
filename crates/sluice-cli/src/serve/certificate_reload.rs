//! SIGHUP: reading the TLS certificate again on request.

use std::{
    io::{self, IsTerminal},
    sync::Arc,
};

use sluice_server::Tls;
use tokio::signal::unix::{SignalKind, signal};

/// Tools that renew certificates and `systemctl reload` send SIGHUP. It reads the files at once, without waiting for the next look
/// at them. Without a certificate there is nothing to read, and the signal is ignored: by default it would end the process.
///
/// In a terminal it means that the terminal was closed. Then a server without a certificate ends with it.
pub(super) fn reload_on_hangup(tls: Option<Arc<Tls>>) -> anyhow::Result<()> {
    if tls.is_none() && io::stderr().is_terminal() {
        return Ok(());
    }
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let Some(tls) = tls.clone() else {
                tracing::info!("SIGHUP ignored: there is no TLS certificate to reload");
                continue;
            };
            let _ = tokio::task::spawn_blocking(move || tls.reload()).await;
        }
    });
    Ok(())
}
