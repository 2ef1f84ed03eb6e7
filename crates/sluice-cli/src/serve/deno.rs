//! Finds Deno, or installs it while the log shows the progress.

use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use sluice_runtime::{DENO_VERSION, InstallProgress, find_deno};
use sluice_server::StartProgress;

pub(super) async fn find(
    configured: Option<&Path>,
    data_dir: &Path,
    progress: &StartProgress,
) -> anyhow::Result<PathBuf> {
    let report = |step| {
        progress.installing_deno(true);
        log(step);
    };
    let deno = find_deno(configured, data_dir, report).await?;
    progress.installing_deno(false);
    tracing::debug!(deno = %deno.display(), "Deno found");
    Ok(deno)
}

fn log(progress: InstallProgress) {
    match progress {
        InstallProgress::Started => {
            tracing::info!("Deno not found; installing version {DENO_VERSION} with npm, once");
        }
        InstallProgress::Running { elapsed, bytes } => {
            let (seconds, size) = (elapsed.as_secs(), ByteSize(bytes));
            tracing::info!(seconds, %size, "installing Deno; requests are answered with 503");
        }
    }
}
