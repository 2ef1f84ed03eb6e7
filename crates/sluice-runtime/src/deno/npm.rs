//! Installs Deno with npm, with progress and time limits.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    fs,
    io::AsyncReadExt,
    process::{Child, ChildStderr, Command},
    time::{Instant, MissedTickBehavior, interval_at},
};

use super::{error::InstallError, progress::InstallProgress, search, version::DENO_VERSION};
use crate::{process_group::kill_group, trees::measure};

const REPORT_EVERY: Duration = Duration::from_secs(5);
/// The registry counts as unreachable if nothing arrives for this long.
const STALLED_AFTER: Duration = Duration::from_mins(1);
const TIME_LIMIT: Duration = Duration::from_mins(10);
/// npm waits for minutes between retries by default.
const RETRIES: [&str; 2] = [
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
];
const MAX_DEPTH: usize = 64;

pub(super) struct NpmInstall<'a> {
    pub(super) npm: OsString,
    pub(super) folder: &'a Path,
    pub(super) report_every: Duration,
    pub(super) stalled_after: Duration,
    pub(super) time_limit: Duration,
}

impl<'a> NpmInstall<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        Self {
            npm: "npm".into(),
            folder,
            report_every: REPORT_EVERY,
            stalled_after: STALLED_AFTER,
            time_limit: TIME_LIMIT,
        }
    }

    pub(super) async fn run(
        &self,
        progress: impl Fn(InstallProgress),
    ) -> Result<PathBuf, InstallError> {
        let made = fs::create_dir_all(self.folder).await;
        made.map_err(|cause| InstallError::Folder {
            folder: self.folder.to_owned(),
            cause,
        })?;
        progress(InstallProgress::Started);
        let mut npm = Npm(self.command().spawn().map_err(InstallError::NoNpm)?);
        let stderr = npm.0.stderr.take();
        let (status, text) = tokio::join!(self.watch(&mut npm, progress), read(stderr));
        if !status?.success() {
            return Err(InstallError::Npm(text.trim().to_owned()));
        }
        // The downloads are unpacked now.
        let _ = fs::remove_dir_all(self.downloads()).await;
        let binary = search::installed(self.folder).await;
        binary.ok_or(InstallError::NoBinary)
    }

    /// The download cache is in the folder, so that its size is the progress.
    fn downloads(&self) -> PathBuf {
        self.folder.join("downloads")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.npm);
        command
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
            .args(RETRIES)
            .arg("--cache")
            .arg(self.downloads())
            .arg("--prefix")
            .arg(self.folder)
            .arg(format!("deno@{DENO_VERSION}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        command
    }

    /// Waits for npm to end. Kills it when it takes too long.
    async fn watch(
        &self,
        npm: &mut Npm,
        progress: impl Fn(InstallProgress),
    ) -> Result<ExitStatus, InstallError> {
        let begun = Instant::now();
        let (mut largest, mut grown) = (0, begun);
        let mut ticks = interval_at(begun + self.report_every, self.report_every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let reason = loop {
            tokio::select! {
                status = npm.0.wait() => return status.map_err(InstallError::NoNpm),
                _ = ticks.tick() => {}
            }
            let bytes = size(self.folder).await;
            progress(InstallProgress::Running {
                elapsed: begun.elapsed(),
                bytes,
            });
            if bytes > largest {
                (largest, grown) = (bytes, Instant::now());
            }
            if begun.elapsed() >= self.time_limit {
                break InstallError::TimedOut(self.time_limit);
            }
            if grown.elapsed() >= self.stalled_after {
                break InstallError::Stalled(self.stalled_after);
            }
        };
        npm.kill();
        // It is reaped here; its status does not matter.
        let _ = npm.0.wait().await;
        Err(reason)
    }
}

/// npm with its children. They end with it, also when the server stops meanwhile.
struct Npm(Child);

impl Npm {
    fn kill(&self) {
        kill_group(&self.0);
    }
}

impl Drop for Npm {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn read(stderr: Option<ChildStderr>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stderr) = stderr {
        // Without a reason from npm its exit is reported anyway.
        let _ = stderr.read_to_end(&mut bytes).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn size(folder: &Path) -> u64 {
    let folder = folder.to_owned();
    let size = move || measure(&folder, |so_far| so_far.depth > MAX_DEPTH).bytes;
    tokio::task::spawn_blocking(size).await.unwrap_or_default()
}
