//! Reading the TLS certificate again on request.

use std::sync::Arc;

use sluice_server::Tls;
use tokio::signal::unix::{SignalKind, signal};

/// Tools that renew certificates send SIGHUP. It reads the files at once, without waiting for the next look at them.
pub(super) fn reload_on_hangup(tls: Arc<Tls>) -> anyhow::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let tls = Arc::clone(&tls);
            let _ = tokio::task::spawn_blocking(move || tls.reload()).await;
        }
    });
    Ok(())
}
