//! A person with a configuration file of their own, and commands that talk for longer.

use std::{io::Write, process::Stdio};

use sluice_testkit::sluice_binary;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use super::fixtures::{Folder, Ran, run};
use crate::support::PATIENCE;

pub(super) struct Home(Folder);

impl Home {
    pub(super) fn new() -> Home {
        Home(Folder::new())
    }

    pub(super) fn env(&self) -> Vec<(String, String)> {
        vec![("XDG_CONFIG_HOME".to_owned(), self.0.path().to_owned())]
    }

    pub(super) async fn run(&self, args: &[&str]) -> Ran {
        run(args, &self.env()).await
    }

    /// As [`Home::run`], with this on standard input.
    pub(super) async fn feed(&self, args: &[&str], input: &str) -> Ran {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(input.as_bytes()).expect("its text");
        std::io::Seek::rewind(&mut file).expect("its beginning");
        let output = command(args, &self.env())
            .stdin(Stdio::from(file))
            .output()
            .await
            .expect("the binary starts");
        Ran {
            code: output.status.code().expect("it was not killed"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// What the configuration file says; nothing when there is none.
    pub(super) fn config(&self) -> String {
        std::fs::read_to_string(self.0.join("sluice/config.toml")).unwrap_or_default()
    }

    pub(super) fn set_config(&self, text: &str) {
        self.0.put("sluice/config.toml", text);
    }
}

fn command(args: &[&str], env: &[(String, String)]) -> Command {
    let mut command = Command::new(sluice_binary());
    command
        .args(args)
        .env_clear()
        .envs(env.iter().cloned())
        .kill_on_drop(true);
    command
}

/// A command that goes on until somebody ends it.
pub(super) struct Live {
    lines: Lines<BufReader<ChildStdout>>,
    child: Child,
}

impl Live {
    pub(super) fn start(args: &[&str], env: &[(String, String)]) -> Live {
        let mut child = command(args, env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let out = child.stdout.take().expect("standard output is piped");
        Live {
            lines: BufReader::new(out).lines(),
            child,
        }
    }

    /// The next line that it prints.
    pub(super) async fn line(&mut self) -> String {
        let line = timeout(PATIENCE, self.lines.next_line()).await;
        line.expect("a line in time")
            .expect("UTF-8")
            .expect("a line before the end")
    }

    /// Waits until it ends by itself; gives its exit code.
    pub(super) async fn end(mut self) -> i32 {
        let ended = timeout(PATIENCE, self.child.wait()).await;
        let status = ended.expect("an end in time").expect("our child");
        status.code().expect("it was not killed")
    }
}
