//! Places for the data of a server, and the commands that work on them.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use sluice_testkit::{Backend, Postgres, Server, ServerOptions, scratch_folder, sluice_binary};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::{ledger::Ledger, support::own_server};

/// A data folder, and a database if it is not in the folder. There is nothing in it at first.
pub(super) struct Site {
    folder: TempDir,
    database: Option<String>,
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) succeeded: bool,
    pub(super) err: String,
}

impl Ran {
    #[track_caller]
    pub(super) fn ok(self) -> String {
        assert!(self.succeeded, "{}", self.err);
        self.err
    }

    /// The error of a command that failed.
    #[track_caller]
    pub(super) fn error(self) -> String {
        assert!(!self.succeeded, "{}", self.err);
        self.err
    }
}

impl Site {
    pub(super) fn new(backend: Backend) -> Site {
        Site {
            folder: scratch_folder(),
            database: (backend == Backend::Postgres).then(Postgres::database),
        }
    }

    /// With a database of its own server.
    pub(super) fn on(database_url: &str) -> Site {
        Site {
            folder: scratch_folder(),
            database: Some(database_url.to_owned()),
        }
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// As a value of `--from` and `--to`.
    pub(super) fn place(&self) -> String {
        let folder = || self.folder().to_str().expect("a path in UTF-8").to_owned();
        self.database.clone().unwrap_or_else(folder)
    }

    pub(super) fn options(&self) -> ServerOptions {
        let options = own_server().data_dir(self.folder());
        match &self.database {
            Some(url) => options.postgres(url),
            None => options,
        }
    }

    pub(super) async fn start(&self) -> Server {
        Server::start(self.options()).await
    }

    pub(super) fn ledger(&self) -> Ledger {
        match &self.database {
            Some(url) => Ledger::Postgres(url.clone()),
            None => Ledger::Sqlite(self.folder().join("sluice.db")),
        }
    }

    /// Runs a command on this data, with `stdin` as its input.
    pub(super) fn spawn(&self, args: &[&str], stdin: Stdio) -> Child {
        let mut command = command(args);
        command.env("SLUICE_DATA_DIR", self.folder());
        if let Some(url) = &self.database {
            command.env("SLUICE_DATABASE_URL", url);
        }
        command.stdin(stdin).spawn().expect("the binary starts")
    }

    pub(super) async fn run(&self, args: &[&str]) -> Ran {
        ended(self.spawn(args, Stdio::null())).await
    }

    /// Writes a backup, and returns its path.
    pub(super) async fn backup(&self, to: &Path, more: &[&str]) -> String {
        let file = to.to_str().expect("a path in UTF-8").to_owned();
        let args = [&["backup", &file][..], more].concat();
        self.run(&args).await.ok();
        file
    }
}

/// `sluice migrate`, with nothing in its environment but a master key.
pub(super) async fn migrate(from: &Site, to: &Site, master_key: Option<&str>) -> Ran {
    let (from, to) = (from.place(), to.place());
    let mut command = command(&["migrate", "--from", &from, "--to", &to]);
    if let Some(key) = master_key {
        command.env("SLUICE_MASTER_KEY", key);
    }
    let child = command.stdin(Stdio::null()).spawn();
    ended(child.expect("the binary starts")).await
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(sluice_binary());
    command
        .args(args)
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

async fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().await.expect("it is our child");
    Ran {
        succeeded: output.status.success(),
        err: String::from_utf8(output.stderr).expect("output is UTF-8"),
    }
}
