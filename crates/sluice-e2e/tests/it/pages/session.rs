//! A shell that runs the blocks of a page one after another, in a home and a folder of its own.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use sluice_testkit::{sluice_binary, wait_for};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// How long a block may take.
const PATIENCE: Duration = Duration::from_mins(2);
/// Printed by the shell when a block has ended.
const ENDED: &str = "ended";
/// Settings of curl: a response with an error fails, and no progress is shown. A page on which an error is right removes the
/// first of it, `sed -i /fail/d ~/.curlrc`.
const CURL: &str = "silent\nshow-error\nfail-with-body\n";
/// What the shell inherits.
const INHERITED: [&str; 4] = [
    "SLUICE_DENO",
    "NPM_CONFIG_REGISTRY",
    "SLUICE_TEST_DENO_PERMISSIONS",
    "LANG",
];

/// How a block ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) succeeded: bool,
    pub(crate) output: String,
}

/// What commands have printed that still run.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) process: Pid,
    pub(crate) text: String,
}

pub(crate) struct Session {
    _bash: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    home: TempDir,
    /// Texts of pages, and what they stand for here.
    replacements: Vec<(String, String)>,
    in_background: Vec<Pid>,
    blocks: usize,
}

impl Session {
    /// `environment` goes before what the shell has anyway.
    pub(crate) fn start(environment: &BTreeMap<String, String>) -> Session {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join(".curlrc"), CURL).expect("a file");
        for folder in ["work", "scratch"] {
            fs::create_dir(home.path().join(folder)).expect("a folder");
        }
        let programs = sluice_binary().parent().expect("a folder").display();
        let path = env::var("PATH").unwrap_or_default();
        let mut bash = Command::new("bash");
        bash.args(["--norc", "--noprofile"])
            .current_dir(home.path().join("work"))
            .env_clear()
            .env("PATH", format!("{programs}:{path}"))
            .env("HOME", home.path())
            .env("XDG_CONFIG_HOME", home.path().join(".config"))
            .envs(
                INHERITED
                    .iter()
                    .filter_map(|name| Some((name, env::var_os(name)?))),
            )
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = bash.spawn().expect("bash");
        Session {
            input: child.stdin.take().expect("a pipe"),
            lines: BufReader::new(child.stdout.take().expect("a pipe")).lines(),
            _bash: child,
            home,
            replacements: Vec::new(),
            in_background: Vec::new(),
            blocks: 0,
        }
    }

    /// The folder in which commands run.
    pub(crate) fn folder(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// From here on, `text` of the page stands for `actual`.
    pub(crate) fn replace(&mut self, text: &str, actual: &str) {
        // The newest goes first, so that a page can give a text another meaning.
        self.replacements
            .insert(0, (text.to_owned(), actual.to_owned()));
    }

    /// The text of a page, as it is here.
    pub(crate) fn localized(&self, text: &str) -> String {
        let mut localized = String::new();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let mut known = self.replacements.iter();
            let known = known.find(|(page, _)| rest.starts_with(page));
            let length = if let Some((page, actual)) = known {
                localized.push_str(actual);
                page.len()
            } else {
                localized.push(character);
                character.len_utf8()
            };
            rest = &rest[length..];
        }
        localized
    }

    /// An output, as the page would have it.
    pub(crate) fn as_on_the_page(&self, output: &str) -> String {
        let is_address =
            |(page, actual): &&(String, String)| page.contains("://") && actual.contains("://");
        let replaced = |text: String, (page, actual): &(String, String)| text.replace(actual, page);
        // Of several names for one address, the first that was given is the one of outputs.
        let addresses = self.replacements.iter().rev().filter(is_address);
        addresses.fold(output.to_owned(), replaced)
    }

    /// Runs commands until one fails.
    pub(crate) async fn run(&mut self, commands: &str) -> Ended {
        let (script, output) = self.script(commands);
        let line = format!(
            "set -euo pipefail; . {} >{} 2>&1 </dev/null; set +euo pipefail; echo {ENDED}\n",
            script.display(),
            output.display()
        );
        self.send(&line).await;
        let succeeded = self.next_line().await.as_deref() == Some(ENDED);
        let output = fs::read_to_string(output).unwrap_or_default();
        Ended { succeeded, output }
    }

    /// Starts commands, and waits until they have printed `text`. They run until [`Session::interrupt`].
    pub(crate) async fn run_until(
        &mut self,
        commands: &str,
        text: &str,
    ) -> Result<Started, String> {
        let (script, output) = self.script(commands);
        let line = format!(
            "set -m; (set -euo pipefail; . {}) >{} 2>&1 </dev/null & set +m; echo $!\n",
            script.display(),
            output.display()
        );
        self.send(&line).await;
        let pid = self.next_line().await.and_then(|line| line.parse().ok());
        let pid = pid
            .and_then(Pid::from_raw)
            .expect("the number of a process");
        self.in_background.push(pid);
        let shown = || fs::read_to_string(&output).unwrap_or_default();
        let wait = wait_for(PATIENCE, text, async || {
            shown().contains(text).then_some(())
        });
        match timeout(Duration::from_mins(1), wait).await {
            Ok(()) => Ok(Started {
                process: pid,
                text: shown(),
            }),
            Err(_) => Err(shown()),
        }
    }

    /// Interrupts commands like Ctrl-C, and waits until they have ended.
    pub(crate) async fn interrupt(&mut self, pid: Pid) {
        // It fails only if they have ended.
        let _ = kill_process_group(pid, Signal::INT);
        let number = pid.as_raw_nonzero();
        self.send(&format!("wait {number} 2>/dev/null; echo {ENDED}\n"))
            .await;
        self.next_line().await;
        self.in_background.retain(|other| *other != pid);
    }

    fn script(&mut self, commands: &str) -> (PathBuf, PathBuf) {
        self.blocks += 1;
        let scratch = self.home.path().join("scratch");
        let script = scratch.join(format!("{}.sh", self.blocks));
        fs::write(&script, self.localized(commands)).expect("a file");
        (script, scratch.join(format!("{}.out", self.blocks)))
    }

    async fn send(&mut self, line: &str) {
        // It fails if the shell has ended, which the missing response shows.
        let _ = self.input.write_all(line.as_bytes()).await;
    }

    async fn next_line(&mut self) -> Option<String> {
        let line = timeout(PATIENCE, self.lines.next_line()).await;
        line.ok().and_then(Result::ok).flatten()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for pid in &self.in_background {
            // It fails only if they have ended.
            let _ = kill_process_group(*pid, Signal::KILL);
        }
    }
}
