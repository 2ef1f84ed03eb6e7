//! A process with its own process group. Dropping the handle kills the group and every descendant.

use std::{
    fs::File,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::time::sleep;

use crate::proc_fs::descendants;

const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How much of its log the error of a failed command shows.
const LOG_LINES: usize = 15;

#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts the command. Its output is appended to the log file.
    pub(crate) fn start(mut command: Command, log: &Path) -> anyhow::Result<Self> {
        let output = File::options().create(true).append(true).open(log)?;
        let child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self { child })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn exit_status(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Sends SIGKILL to the group and to descendants outside of it, and reaps the process.
    pub(crate) fn kill(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            // Its group may still have members.
            kill_group(self.pid());
            return;
        }
        let outside = descendants(self.pid()).unwrap_or_default();
        kill_group(self.pid());
        for pid in outside.into_iter().filter_map(pid_of) {
            // It fails if the process was in the group.
            let _ = kill_process(pid, Signal::KILL);
        }
        // It fails only if the process was already reaped.
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs a command to its end. The error of a failed one has the end of its log.
pub(crate) async fn run(command: Command, log: &Path) -> anyhow::Result<()> {
    let line = describe(&command);
    let mut process = Process::start(command, log)?;
    let status = loop {
        match process.exit_status()? {
            Some(status) => break status,
            None => sleep(POLL_INTERVAL).await,
        }
    };
    ensure!(
        status.success(),
        "`{line}` ended with {status}:\n{}",
        end_of(log)
    );
    Ok(())
}

/// The last lines of a log.
pub(crate) fn end_of(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn kill_group(pid: u32) {
    if let Some(group) = pid_of(pid) {
        // It fails only if the group has no member left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn pid_of(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[tokio::test]
    async fn the_error_of_a_failed_command_shows_its_log() {
        let folder = sluice_testkit::scratch_folder();
        let log = folder.path().join("log");
        let error = run(shell("echo no such thing >&2; exit 3"), &log).await;
        let error = error.expect_err("it failed").to_string();
        assert!(error.contains("no such thing"), "{error}");
        run(shell("true"), &log).await.expect("it succeeds");
    }

    #[tokio::test]
    async fn descendants_end_with_the_process() {
        let folder = sluice_testkit::scratch_folder();
        let log = folder.path().join("log");
        let script = "setsid sleep 60 & sleep 60 & wait";
        let process = Process::start(shell(script), &log).expect("it starts");
        let children = loop {
            let children = descendants(process.pid()).expect("/proc is readable");
            if children.len() == 2 {
                break children;
            }
            sleep(POLL_INTERVAL).await;
        };
        drop(process);
        sleep(POLL_INTERVAL).await;
        for child in children {
            let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            assert!(
                state.is_empty() || state.contains(") Z "),
                "it runs: {state}"
            );
        }
    }
}
