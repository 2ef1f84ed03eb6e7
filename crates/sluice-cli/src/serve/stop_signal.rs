//! Waits for the signal that stops the server.

use anyhow::bail;
use tokio::signal::unix::{SignalKind, signal};

/// Why the server stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopSignal {
    /// A person waits in front of a terminal.
    Interrupt,
    Terminate,
}

pub(super) async fn stop_signal(
    server_ended: impl Future<Output = ()>,
) -> anyhow::Result<StopSignal> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let received = tokio::select! {
        _ = terminate.recv() => StopSignal::Terminate,
        _ = interrupt.recv() => StopSignal::Interrupt,
        () = server_ended => bail!("the HTTP server stopped unexpectedly"),
    };
    // A second signal stops the process at once.
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        std::process::exit(130);
    });
    Ok(received)
}
