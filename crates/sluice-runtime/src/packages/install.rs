//! Deno as the package manager: one run resolves versions, one run installs them.

use std::{
    collections::HashSet,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use sluice_code::PackageRequest;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::Child,
};

use tracing::Instrument;

use super::{
    cache::CacheGrowth,
    limits::{Excess, PackageLimits},
    lock::{self, PackageLock},
    watch::InstallWatch,
};
use crate::{
    process_group::kill_group,
    sandbox::{Install, Reach, Sandbox, SandboxedChild},
};

/// The folder that an install creates.
pub(super) const MODULES: &str = "node_modules";
/// The message of an installer that the kernel gives no more memory.
const OUT_OF_MEMORY: &str = "memory allocation of";

/// A registry that does not answer within this time counts as not reachable.
const REGISTRY_PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Installer {
    pub(super) sandbox: Arc<Sandbox>,
    /// The folder of the cache and of all installs.
    pub(super) work: PathBuf,
    /// The download cache of all components.
    pub(super) cache: PathBuf,
    pub(super) timeout: Duration,
    pub(super) limits: PackageLimits,
    /// The addresses of registries and proxies that versions were resolved with.
    pub(super) registries: Arc<Mutex<HashSet<SocketAddr>>>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum InstallError {
    #[error("{message}")]
    Missing { package: String, message: String },
    #[error("the packages {packages} cannot be used: {excess}")]
    TooLarge { packages: String, excess: Excess },
    /// The detail may have the address of the operator's registry, which users must not see.
    #[error("{message}")]
    Failed { message: String, detail: String },
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl InstallError {
    /// Whether the packages exceed a limit, wherever they come from.
    pub(super) fn is_of_limits(&self) -> bool {
        matches!(self, InstallError::TooLarge { .. })
    }

    /// Logs the reason in full, for the operator.
    pub(super) fn warn(&self) {
        if let InstallError::Failed { detail, .. } = self {
            tracing::warn!(reason = detail, "cannot fetch packages");
        }
    }
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
        let packages = joined(requests.iter().map(|request| request.name()));
        let span = tracing::info_span!("resolve_packages", packages);
        self.run(folder, &["--lockfile-only", &reload], None, self.timeout)
            .instrument(span)
            .await
            .map_err(|error| error.of(packages))?;
        let lockfile = tokio::fs::read_to_string(folder.join("deno.lock")).await?;
        Ok(PackageLock::new(requests, lockfile))
    }

    /// Notes the address of the registry, by resolving one package of a lock anew in `folder`. Returns false if that fails. The
    /// install may still find all it needs.
    pub(super) async fn note_registry(
        &self,
        folder: &Path,
        lock: &PackageLock,
    ) -> io::Result<bool> {
        let Some((name, manifest)) = lock.first() else {
            return Ok(true);
        };
        tokio::fs::write(folder.join("package.json"), manifest).await?;
        let reload = format!("--reload=npm:{name}");
        let arguments = ["--lockfile-only", &reload];
        let timeout = self.timeout.min(REGISTRY_PATIENCE);
        let resolved = self.run(folder, &arguments, None, timeout).await;
        if let Err(RunError::Other(error)) = &resolved {
            tracing::debug!(%error, "cannot reach registry");
        }
        Ok(resolved.is_ok())
    }

    /// Creates `node_modules` in `folder`, exactly as locked. Packages that exceed a limit do not stay in the cache.
    pub(super) async fn install(
        &self,
        folder: &Path,
        lock: &PackageLock,
    ) -> Result<(), InstallError> {
        tokio::fs::write(folder.join("package.json"), lock.manifest()).await?;
        tokio::fs::write(folder.join("deno.lock"), lock.lockfile()).await?;
        let packages = joined(lock.aliases());
        let (cache, names) = (self.cache.clone(), lock.names());
        let begin = move || Arc::new(CacheGrowth::begin(&cache, names));
        let growth = tokio::task::spawn_blocking(begin)
            .await
            .map_err(io::Error::from)?;
        let span = tracing::info_span!("install_packages", packages);
        let installed = self
            .run(folder, &["--frozen"], Some(&growth), self.timeout)
            .instrument(span)
            .await;
        if let Err(RunError::Excess(_)) = installed {
            let folder = folder.to_owned();
            let remove = move || growth.move_to(&folder);
            tokio::task::spawn_blocking(remove)
                .await
                .map_err(io::Error::from)?;
        }
        installed.map_err(|error| error.of(packages))
    }

    /// Runs Deno until it ends or exceeds a limit. Nothing of it runs afterwards.
    async fn run(
        &self,
        folder: &Path,
        arguments: &[&str],
        cache: Option<&Arc<CacheGrowth>>,
        timeout: Duration,
    ) -> Result<(), RunError> {
        let SandboxedChild {
            mut child,
            broker: _broker,
        } = self.spawn(folder, arguments, self.reach(cache))?;
        let watch = InstallWatch::over(&child, folder, cache, self.limits);
        let ended = tokio::select! {
            ended = tokio::time::timeout(timeout, finish(&mut child)) => Ok(ended),
            excess = watch.excess() => Err(excess),
        };
        kill_group(&child);
        let _ = child.wait().await;
        let ended = ended.map_err(RunError::Excess)?;
        if let Some(excess) = watch.excess_at_end().await {
            return Err(RunError::Excess(excess));
        }
        let (status, said) = ended.map_err(|_| {
            let message = format!("it took longer than {} s", timeout.as_secs());
            InstallError::Failed {
                detail: message.clone(),
                message,
            }
        })??;
        if status.success() {
            Ok(())
        } else if said.iter().any(|line| line.starts_with(OUT_OF_MEMORY)) {
            Err(RunError::Excess(Excess::Size(self.limits.bytes)))
        } else {
            Err(reason(&said).into())
        }
    }

    fn spawn(&self, folder: &Path, arguments: &[&str], reach: Reach) -> io::Result<SandboxedChild> {
        let install = Install {
            folder,
            cache: &self.cache,
            shared: &self.work,
            pipe: folder.with_extension("broker"),
            settings: npm_settings(),
            reach,
        };
        self.sandbox.spawn_installer(&install, arguments)
    }

    /// Only an install downloads tarballs, and only an install adds to the cache.
    fn reach(&self, cache: Option<&Arc<CacheGrowth>>) -> Reach {
        match cache {
            None => Reach::Settings(Arc::clone(&self.registries)),
            Some(_) => Reach::Noted(self.registries.lock().iter().copied().collect()),
        }
    }
}

/// The file with the operator's settings of npm.
fn npm_settings() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(PathBuf::from(home).join(".npmrc"))
}

/// The reason why a run did not succeed.
enum RunError {
    Excess(Excess),
    Other(InstallError),
}

impl RunError {
    fn of(self, packages: String) -> InstallError {
        match self {
            RunError::Excess(excess) => {
                tracing::warn!(packages, %excess, "packages exceed a limit");
                InstallError::TooLarge { packages, excess }
            }
            RunError::Other(error) => error,
        }
    }
}

impl<E: Into<InstallError>> From<E> for RunError {
    fn from(error: E) -> RunError {
        RunError::Other(error.into())
    }
}

/// Waits for the end of the installer. Returns its status and the lines that may explain a failure.
async fn finish(child: &mut Child) -> io::Result<(ExitStatus, Vec<String>)> {
    let said = match child.stderr.take() {
        Some(stderr) => report_progress(stderr).await?,
        None => Vec::new(),
    };
    Ok((child.wait().await?, said))
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
            InstallError::Failed {
                message: without_addresses(&reason),
                detail: reason,
            }
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
