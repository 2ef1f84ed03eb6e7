//! A PostgreSQL server of a test's own, which can go away and come back.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use postgres::{Client, NoTls};
use rustix::process::{Pid, Signal, kill_process};
use sluice_testkit::{Server, wait_for};

use crate::support::PATIENCE;

/// Holds the script that started it, which removes everything when its standard input ends.
pub(crate) struct OwnPostgres {
    keeper: Child,
    url: String,
    data: PathBuf,
}

impl OwnPostgres {
    pub(crate) fn start() -> OwnPostgres {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/with-postgres");
        let mut keeper = Command::new(script)
            .args(["sh", "-c", "echo $SLUICE_TEST_POSTGRES_URL; cat"])
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
        let data = PathBuf::from(ask(&url, "SHOW data_directory"));
        OwnPostgres { keeper, url, data }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Ends it as a crash would: no checkpoint, connections cut.
    pub(crate) async fn stop(&self) {
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
    pub(crate) async fn start_again(&self) {
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
    pub(crate) async fn start_again_for(&self, server: &Server) {
        self.start_again().await;
        let api = server.api();
        wait_for(PATIENCE, "the server to find PostgreSQL", async || {
            (api.get("/users/me").await.status == 200).then_some(())
        })
        .await;
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// PostgreSQL refuses to run as root, so it belongs to somebody else then.
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

fn ask(url: &str, question: &'static str) -> String {
    let url = url.to_owned();
    let answer = thread::spawn(move || {
        let mut client = Client::connect(&url, NoTls).expect("PostgreSQL is there");
        client.query_one(question, &[]).expect("an answer").get(0)
    });
    answer.join().expect("no panic")
}
