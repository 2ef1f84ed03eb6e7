//! A local component runtime without a server: the same sandbox, with npm packages in the user's cache folder.

use std::{
    env,
    fs::{self, File, TryLockError},
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use bytesize::ByteSize;
use clap::Parser;
use sluice_model::SystemClock;
use sluice_runtime::{
    DENO_VERSION, DenoPermissions, InstallProgress, Isolation, Runtime, RuntimeOptions, find_deno,
};

use crate::options::ServeOptions;

/// The limits of components: the environment and the defaults of `sluice serve`.
#[derive(Parser)]
struct Settings {
    #[command(flatten)]
    serve: ServeOptions,
}

pub(super) struct LocalRuntime {
    pub(super) runtime: Runtime,
    pub(super) invocation_timeout: std::time::Duration,
    /// Locks the folder against other processes.
    _lock: File,
}

impl LocalRuntime {
    pub(super) async fn start() -> anyhow::Result<LocalRuntime> {
        let Settings { serve } = Settings::parse_from(["sluice"]);
        let cache = cache_folder()?;
        let (folder, lock) =
            free_folder(&cache).with_context(|| format!("cannot write to {}", cache.display()))?;
        let no_server = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let options = RuntimeOptions {
            deno: find_deno(serve.components.deno.as_deref(), &cache, show).await?,
            launcher: env::current_exe().context("cannot find the path of this program")?,
            folder,
            limits: serve.components.limits(),
            unstored_per_user: serve.quotas.max_unstored(),
            network: serve.network.for_components(no_server)?,
            deno_permissions: DenoPermissions::Checked,
            users: None,
            control_groups: None,
            starting_at_once: 1,
            warm_processes: 0,
            isolation: Isolation::Process,
            packages: serve.packages.settings(1),
        };
        Ok(LocalRuntime {
            runtime: Runtime::new(options, Arc::new(SystemClock))
                .context("cannot prepare the component runtime")?,
            invocation_timeout: serve.components.invocation_timeout,
            _lock: lock,
        })
    }
}

fn show(progress: InstallProgress) {
    match progress {
        InstallProgress::Started => {
            eprintln!("Deno not found; installing version {DENO_VERSION} with npm, once");
        }
        InstallProgress::Running { elapsed, bytes } => {
            eprintln!(
                "installing Deno: {} s, {}",
                elapsed.as_secs(),
                ByteSize(bytes)
            );
        }
    }
}

fn cache_folder() -> anyhow::Result<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
    let caches = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let folder = caches
        .or_else(|| Some(Path::new(&variable("HOME")?).join(".cache")))
        .context("no place for npm packages: set XDG_CACHE_HOME or HOME")?;
    Ok(folder.join("sluice"))
}

/// The first folder that no other process has locked. Usually there is only one.
fn free_folder(cache: &Path) -> io::Result<(PathBuf, File)> {
    for number in 0_u32.. {
        let folder = cache.join(format!("runtime-{number}"));
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => return Ok((folder, lock)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other("all folders are in use"))
}
