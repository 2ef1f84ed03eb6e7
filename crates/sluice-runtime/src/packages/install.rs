//! Deno as the package manager: one run resolves versions, one run installs them.

use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use sluice_code::PackageRequest;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::Command,
};

use tracing::Instrument;

use super::lock::{self, PackageLock};

pub(super) struct Installer {
    pub(super) deno: PathBuf,
    /// The download cache of all components.
    pub(super) cache: PathBuf,
    pub(super) timeout: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum InstallError {
    #[error("{message}")]
    Missing { package: String, message: String },
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Installer {
    /// Resolves the newest matching versions. Only metadata is downloaded.
    pub(super) async fn lock(
        &self,
        folder: &Path,
        requests: &[&PackageRequest],
    ) -> Result<PackageLock, InstallError> {
        let manifest = lock::manifest(&lock::dependencies(requests));
        tokio::fs::write(folder.join("package.json"), manifest).await?;
        let anew: Vec<String> = requests
            .iter()
            .map(|request| format!("npm:{}", request.name()))
            .collect();
        let reload = format!("--reload={}", anew.join(","));
        let names = requests.iter().map(|request| request.name());
        let span = tracing::info_span!("resolve_packages", packages = joined(names));
        self.run(folder, &["--lockfile-only", &reload])
            .instrument(span)
            .await?;
        let lockfile = tokio::fs::read_to_string(folder.join("deno.lock")).await?;
        Ok(PackageLock::new(requests, lockfile))
    }

    /// Creates `node_modules` in `folder`, exactly as locked.
    pub(super) async fn install(
        &self,
        folder: &Path,
        lock: &PackageLock,
    ) -> Result<(), InstallError> {
        tokio::fs::write(folder.join("package.json"), lock.manifest()).await?;
        tokio::fs::write(folder.join("deno.lock"), lock.lockfile()).await?;
        let span = tracing::info_span!("install_packages", packages = joined(lock.aliases()));
        self.run(folder, &["--frozen"]).instrument(span).await
    }

    async fn run(&self, folder: &Path, arguments: &[&str]) -> Result<(), InstallError> {
        let mut command = Command::new(&self.deno);
        command
            .args(["install", "--node-modules-dir=auto"])
            .args(arguments)
            .current_dir(folder)
            .env("DENO_DIR", &self.cache)
            .env("NO_COLOR", "1")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // It gets the operator's settings for npm, but not the server's secrets.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SLUICE_") {
                command.env_remove(name);
            }
        }
        let mut child = command.spawn()?;
        let stderr = child.stderr.take();
        let work = async {
            let said = match stderr {
                Some(stderr) => report_progress(stderr).await?,
                None => Vec::new(),
            };
            Ok::<_, io::Error>((child.wait().await?, said))
        };
        let (status, said) = tokio::time::timeout(self.timeout, work)
            .await
            .map_err(|_| {
                InstallError::Failed(format!("it took longer than {} s", self.timeout.as_secs()))
            })??;
        if status.success() {
            Ok(())
        } else {
            Err(reason(&said))
        }
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Downloads are logged at once. Other lines are kept, because they may explain a failure.
async fn report_progress(stderr: impl AsyncRead + Unpin) -> io::Result<Vec<String>> {
    let mut lines = BufReader::new(stderr).lines();
    let mut said = Vec::new();
    while let Some(line) = lines.next_line().await? {
        if let Some(address) = line.strip_prefix("Download ") {
            let file = address.rsplit('/').next().unwrap_or(address);
            if Path::new(file)
                .extension()
                .is_some_and(|extension| extension == "tgz")
            {
                tracing::info!(file, "downloading package");
            } else {
                tracing::debug!(file, "fetching versions of package");
            }
        } else if !line.starts_with("Initialize ") {
            said.push(line);
        }
    }
    Ok(said)
}

fn reason(said: &[String]) -> InstallError {
    let lines = || said.iter().map(|line| line.trim());
    let error = lines()
        .find_map(|line| line.strip_prefix("error: "))
        .unwrap_or("no reason was given");
    let quoted: Vec<&str> = error.split('\'').collect();
    match quoted.as_slice() {
        ["npm package ", package, rest] if rest.contains("does not exist") => {
            InstallError::Missing {
                package: (*package).to_owned(),
                message: format!("package {package} does not exist"),
            }
        }
        [
            "Could not find npm package ",
            package,
            " matching ",
            range,
            ..,
        ] => InstallError::Missing {
            package: (*package).to_owned(),
            message: format!("package {package} has no version that matches {range}"),
        },
        _ => {
            let cause = lines()
                .skip_while(|line| *line != "Caused by:")
                .skip(1)
                .take_while(|line| !line.starts_with("Stack backtrace"))
                .find(|line| !line.is_empty());
            let reason = match cause {
                Some(cause) => format!("{error}: {cause}"),
                None => error.to_owned(),
            };
            tracing::warn!(reason, "cannot fetch packages");
            InstallError::Failed(without_addresses(&reason))
        }
    }
}

/// Removes the address of the operator's registry, which users must not see.
fn without_addresses(reason: &str) -> String {
    let words =
        reason.split(' ').map(
            |word| match word.contains("http://") || word.contains("https://") {
                true if word.ends_with(':') => "the registry:",
                true => "the registry",
                false => word,
            },
        );
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let said: Vec<String> = text.lines().map(str::to_owned).collect();
        reason(&said).to_string()
    }

    #[test]
    fn what_the_installer_says_becomes_words_for_the_author() {
        assert_eq!(
            told("error: npm package 'nope' does not exist.\n\nStack backtrace:\n  0: x"),
            "package nope does not exist"
        );
        assert_eq!(
            told("error: Could not find npm package '@a/b' matching '99.0.0'."),
            "package @a/b has no version that matches 99.0.0"
        );
        assert_eq!(
            told(
                "error: Failed loading x\n\nCaused by:\n    connection refused\n\nStack backtrace:\n   0: y"
            ),
            "Failed loading x: connection refused"
        );
        assert_eq!(told(""), "no reason was given");
    }
}
