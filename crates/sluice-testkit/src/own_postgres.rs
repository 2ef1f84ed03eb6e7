//! A PostgreSQL server of a test's own, which can go away and come back, and have a standby.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use postgres::{Client, NoTls};
use rustix::process::{Pid, Signal, kill_process};

use crate::{Server, wait_for};

const PATIENCE: Duration = Duration::from_mins(1);
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/with-postgres");

/// Holds the script that started it, which removes everything when its standard input ends.
#[derive(Debug)]
pub struct OwnPostgres {
    keeper: Child,
    url: String,
    data: PathBuf,
}

impl OwnPostgres {
    /// Starts one that forgets everything when the machine crashes.
    pub fn start() -> OwnPostgres {
        OwnPostgres::start_with(&[])
    }

    /// Starts one that syncs its files, as in production.
    pub fn with_fsync() -> OwnPostgres {
        OwnPostgres::start_with(&[("SLUICE_TEST_POSTGRES_FSYNC", "on")])
    }

    /// Starts a standby with fsync. Returns when each commit waits for it.
    pub async fn synchronous_standby(&self) -> OwnPostgres {
        let standby = OwnPostgres::start_with(&[
            ("SLUICE_TEST_POSTGRES_FSYNC", "on"),
            ("SLUICE_TEST_POSTGRES_PRIMARY", &self.url),
        ]);
        self.ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.ask("SELECT pg_reload_conf()");
        let state = "SELECT sync_state FROM pg_stat_replication";
        wait_for(PATIENCE, "the standby to be synchronous", async || {
            (self.ask(state).as_deref() == Some("sync")).then_some(())
        })
        .await;
        standby
    }

    fn start_with(env: &[(&str, &str)]) -> OwnPostgres {
        let mut keeper = Command::new(SCRIPT)
            .args(["sh", "-c", "echo $SLUICE_TEST_POSTGRES_URL; cat"])
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the script starts");
        let mut url = String::new();
        let stdout = keeper.stdout.take().expect("it is piped");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("the address of the server");
        let url = url.trim().to_owned();
        let data = ask(&url, "SHOW data_directory").expect("a folder");
        OwnPostgres {
            keeper,
            url,
            data: PathBuf::from(data),
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its host and port.
    pub fn address(&self) -> &str {
        let (_, rest) = self.url.split_once('@').expect("a user");
        rest.split_once('/').expect("a database").0
    }

    /// Ends it as a crash would: no checkpoint, connections cut.
    pub async fn stop(&self) {
        let pid_file = fs::read_to_string(self.data.join("postmaster.pid")).expect("it runs");
        let pid = pid_file
            .lines()
            .next()
            .and_then(|line| line.trim().parse().ok());
        let pid = pid.and_then(Pid::from_raw).expect("its process id");
        kill_process(pid, Signal::QUIT).expect("it may be stopped");
        wait_for(PATIENCE, "PostgreSQL to end", async || {
            (!self.data.join("postmaster.pid").exists()).then_some(())
        })
        .await;
    }

    /// Starts it again with the command it was started with.
    pub async fn start_again(&self) {
        let command = fs::read_to_string(self.data.join("postmaster.opts")).expect("its command");
        as_owner_of(&self.data)
            .args(["sh", "-c", &format!("{} >/dev/null 2>&1 &", command.trim())])
            .status()
            .expect("a shell");
        let url = self.url.clone();
        wait_for(PATIENCE, "PostgreSQL to be back", async || {
            let url = url.clone();
            let connected = thread::spawn(move || Client::connect(&url, NoTls).is_ok());
            connected.join().expect("no panic").then_some(())
        })
        .await;
    }

    /// Starts it again, and waits until a server that was left without it has noticed.
    pub async fn start_again_for(&self, server: &Server) {
        self.start_again().await;
        let api = server.api();
        wait_for(PATIENCE, "the server to find PostgreSQL", async || {
            (api.get("/users/me").await.status == 200).then_some(())
        })
        .await;
    }

    /// Makes a standby the primary. Returns when it can write.
    pub fn promote(&self) {
        let promoted = self.ask("SELECT CAST(pg_promote() AS TEXT)");
        assert_eq!(promoted.as_deref(), Some("true"));
    }

    /// The first text of a statement's result.
    fn ask(&self, statement: &'static str) -> Option<String> {
        ask(&self.url, statement)
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// PostgreSQL refuses to run as root, so it belongs to another user then.
fn as_owner_of(data: &Path) -> Command {
    let owner = fs::metadata(data).expect("its folder").uid();
    if owner == rustix::process::geteuid().as_raw() {
        return Command::new("env");
    }
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={owner}"))
        .args(["--clear-groups", "--"]);
    command
}

fn ask(url: &str, statement: &'static str) -> Option<String> {
    let url = url.to_owned();
    // The client has its own runtime, which cannot run inside another one.
    let answer = thread::spawn(move || {
        let mut client = Client::connect(&url, NoTls).expect("PostgreSQL is there");
        let rows = client.simple_query(statement).expect("a valid statement");
        rows.into_iter().find_map(|message| match message {
            postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
    });
    answer.join().expect("no panic")
}
