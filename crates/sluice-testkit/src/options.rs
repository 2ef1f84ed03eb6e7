//! The options of a server under test.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{Postgres, Registry};

const NO_STARTER: &str = "SLUICE_NO_STARTER";

/// The database of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// Options to start a server. The defaults are a new data folder, SQLite, and a free port of the loopback interface.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    pub(crate) binary: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) api_key: Option<String>,
    pub(crate) packages: PackageSource,
}

/// Where a server under test gets npm packages from.
#[derive(Debug, Clone)]
pub(crate) enum PackageSource {
    /// The packages that the repository has installed, served on loopback.
    Installed,
    Given(Registry),
    /// The registry that is configured for `npm`.
    Everywhere,
}

impl ServerOptions {
    /// `binary` is the `sluice` to run. Tests pass [`crate::sluice_binary`].
    pub fn new(binary: impl AsRef<Path>) -> Self {
        Self {
            binary: binary.as_ref().to_owned(),
            args: Vec::new(),
            env: vec![
                // All clients of a test have the same address.
                ("SLUICE_MAX_WRONG_KEYS".into(), "1000000".into()),
                (NO_STARTER.into(), "true".into()),
            ],
            data_dir: None,
            api_key: None,
            packages: PackageSource::Installed,
        }
    }

    /// Adds one argument after those of the testkit.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<'a>(self, args: impl IntoIterator<Item = &'a str>) -> Self {
        args.into_iter().fold(self, ServerOptions::arg)
    }

    /// Sets one environment variable; the server inherits almost none.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Uses SQLite or a new PostgreSQL database.
    #[must_use]
    pub fn on(self, backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => self,
            Backend::Postgres => self.postgres(&Postgres::database()),
        }
    }

    /// Uses this PostgreSQL database instead of SQLite.
    #[must_use]
    pub fn postgres(self, url: &str) -> Self {
        self.arg("--database-url").arg(url)
    }

    /// Starts component processes only when they are needed, because a pre-started process costs twice as much to start and
    /// most tests end before it is used. The flag `--warm-processes` takes precedence.
    #[must_use]
    pub fn without_warm_processes(self) -> Self {
        self.env("SLUICE_WARM_PROCESSES", "0")
    }

    /// Registers the starter components. Most tests need none, and inspecting them takes seconds.
    #[must_use]
    pub fn with_starter(self) -> Self {
        self.env(NO_STARTER, "false")
    }

    /// Uses this npm registry. The default has the packages that the repository has installed.
    #[must_use]
    pub fn registry(mut self, registry: &Registry) -> Self {
        self.packages = PackageSource::Given(registry.clone());
        self
    }

    /// Uses the npm registry that is configured for `npm`, which is not on loopback.
    #[must_use]
    pub fn public_registry(mut self) -> Self {
        self.packages = PackageSource::Everywhere;
        self
    }

    /// Uses this key for the first user instead of a new one.
    #[must_use]
    pub fn api_key(mut self, key: &str) -> Self {
        self.api_key = Some(key.to_owned());
        self
    }

    /// Uses this data folder, and does not delete it.
    #[must_use]
    pub fn data_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.data_dir = Some(path.as_ref().to_owned());
        self
    }
}

/// The options of a server that test processes share, as one tells the broker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SharedOptions {
    binary: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

impl From<ServerOptions> for SharedOptions {
    fn from(options: ServerOptions) -> Self {
        assert!(
            options.data_dir.is_none()
                && options.api_key.is_none()
                && matches!(options.packages, PackageSource::Installed),
            "a shared server has its own folder and key, and the installed packages"
        );
        let text = |value: OsString| value.into_string().expect("options are UTF-8");
        let pair = |(name, value)| (text(name), text(value));
        Self {
            binary: options.binary,
            args: options.args.into_iter().map(text).collect(),
            env: options.env.into_iter().map(pair).collect(),
        }
    }
}

impl From<SharedOptions> for ServerOptions {
    fn from(shared: SharedOptions) -> Self {
        let options = Self::new(shared.binary).args(shared.args.iter().map(String::as_str));
        let env = shared.env.into_iter();
        env.fold(options, |options, (name, value)| options.env(name, value))
    }
}
