//! Settings of the sections: the programs to run and the size of the load.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum, value_parser};
use sluice_testkit::{Backend, Server, ServerOptions};

/// More than any section emits, so that every event is kept and can be counted.
const KEEP_ALL_EVENTS: &str = "100000000";

/// Databases to measure on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Databases {
    Sqlite,
    Postgres,
    Both,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Settings {
    /// The databases to measure on, one after another. PostgreSQL is the server of `scripts/with-postgres`.
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
    #[arg(skip = Backend::Sqlite)]
    backend: Backend,
    /// The server to measure.
    #[arg(long, default_value = "target/dist/sluice")]
    binary: PathBuf,
    /// How long each round of load lasts.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// How many rounds of load to run of each kind. The median is reported.
    #[arg(long, default_value_t = 2)]
    pub(crate) rounds: usize,
    /// How many keep-alive connections send the load.
    #[arg(long, default_value_t = 128)]
    pub(crate) connections: usize,
    /// How many sources section c starts.
    #[arg(long, default_value_t = 20)]
    pub(crate) cold_sources: usize,
    /// How many idle sources section d deploys.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) idle_sources: usize,
    /// How many timers of section e are due in the same second.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) timers: usize,
    /// How many events section f delivers to one webhook.
    #[arg(long, default_value_t = 20_000)]
    pub(crate) deliveries: usize,
    /// How many webhooks section g delivers to.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) webhooks: usize,
    /// How many readers of one stream section h connects.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) readers: usize,
    /// How many events sections i and k send one by one.
    #[arg(long, default_value_t = 300)]
    pub(crate) single_events: usize,
    /// How many runs section j measures.
    #[arg(long, default_value_t = 5_000)]
    pub(crate) runs: usize,
    /// How many apps, of ten components each, section l imports.
    #[arg(long, default_value_t = 200)]
    pub(crate) apps: usize,
    /// How many sources with a timer sections m and n deploy.
    #[arg(long, default_value_t = 2_000)]
    pub(crate) tick_sources: usize,
    /// How many idle sources sections m and n deploy beside them.
    #[arg(long, default_value_t = 8_000)]
    pub(crate) tick_idle_sources: usize,
    /// How many components the sources with a timer have in the second case of sections m and n.
    #[arg(long, default_value_t = 20)]
    pub(crate) tick_components: usize,
    /// The seconds between two ticks of a timer of sections m and n. A divisor of 60.
    #[arg(long, default_value_t = 60, value_parser = value_parser!(u32).range(1..=60))]
    pub(crate) tick_period: u32,
    /// How many periods sections m and n measure, after at least one as the warm-up.
    #[arg(long, default_value_t = 3)]
    pub(crate) tick_periods: u32,
    /// How many sources section o starts.
    #[arg(long, default_value_t = 200)]
    pub(crate) live_sources: usize,
    /// The milliseconds that section p adds to each round trip to PostgreSQL.
    #[arg(long, default_value_t = 1)]
    pub(crate) database_delay: u64,
    /// How many sources of one account section q sends requests to.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) account_sources: usize,
    /// How many keep-alive connections of section q send requests to each source.
    #[arg(long, default_value_t = 2)]
    pub(crate) account_connections: usize,
    /// How many events section s searches in.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) stored_events: usize,
    /// How many sources section r sends requests to.
    #[arg(long, default_value_t = 12)]
    pub(crate) node_sources: usize,
}

impl Settings {
    pub(crate) fn databases(&self) -> Vec<Backend> {
        match self.database {
            Databases::Sqlite => vec![Backend::Sqlite],
            Databases::Postgres => vec![Backend::Postgres],
            Databases::Both => vec![Backend::Sqlite, Backend::Postgres],
        }
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// The same settings, for servers on this database.
    pub(crate) fn on(&self, backend: Backend) -> Settings {
        Settings {
            backend,
            ..self.clone()
        }
    }

    pub(crate) fn duration(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// The binary of the server.
    pub(crate) fn binary(&self) -> anyhow::Result<PathBuf> {
        self.binary.canonicalize().with_context(|| {
            format!(
                "{} does not exist: run `make build` first",
                self.binary.display()
            )
        })
    }

    /// Starts a server on a new data folder, with the same Deno as the baseline and these flags.
    pub(crate) async fn start_server(&self, args: &[&str]) -> anyhow::Result<Server> {
        let options = self.server_options()?.on(self.backend);
        let options = args.iter().fold(options, ServerOptions::arg);
        Ok(Server::start(options).await)
    }

    /// Starts a server on this PostgreSQL database.
    pub(crate) async fn start_server_on(&self, database: &str) -> anyhow::Result<Server> {
        Ok(Server::start(self.server_options()?.postgres(database)).await)
    }

    /// The options of all servers, without a database.
    pub(crate) fn server_options(&self) -> anyhow::Result<ServerOptions> {
        Ok(ServerOptions::new(self.binary()?)
            .env("SLUICE_DENO", deno()?)
            .arg("--event-retention")
            .arg(KEEP_ALL_EVENTS))
    }
}

/// The Deno to use: `SLUICE_DENO`, or the one `make deno` installed.
pub(crate) fn deno() -> anyhow::Result<PathBuf> {
    if let Some(path) = env::var_os("SLUICE_DENO") {
        return Ok(path.into());
    }
    let platforms =
        fs::read_dir("node_modules/@deno").context("run `make deno` first, in this folder")?;
    for platform in platforms {
        let program = platform?.path().join("deno");
        if program.is_file() {
            return Ok(program.canonicalize()?);
        }
    }
    bail!("node_modules/@deno has no deno for this platform")
}

/// The path of one of the JavaScript files beside this program's source.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("js").join(name)
}
