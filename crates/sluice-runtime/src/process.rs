//! One component process: what it is given to do. What it says and how it ends have a file each.

mod ending;
mod folder;
mod reading;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use sluice_model::Clock;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    ending::kill_group,
    folder::{InstanceFolder, STASH},
};
use crate::{
    ask::{Answers, Waiting},
    census::Counted,
    inflight::Inflight,
    limits::Limits,
    lines::LineReader,
    outcome::{Invocation, LogLine, ProcessEvent},
    protocol,
    verdict::Verdict,
    watchdog::Watchdog,
};

pub(crate) const LONGEST_LINE: usize = 128 * 1024 * 1024;

/// Batches of what a process reports; ends after `Exited`.
pub type ProcessEvents = mpsc::UnboundedReceiver<Vec<ProcessEvent>>;

/// A handle to a live process with a loaded component. Dropping it kills the process.
pub struct Process {
    shared: Arc<Shared>,
    lines: mpsc::UnboundedSender<String>,
    tmp: PathBuf,
    visible_tmp: PathBuf,
    grace: Duration,
    _counted: Counted,
}

struct Shared {
    inflight: Mutex<Inflight>,
    events: mpsc::UnboundedSender<Vec<ProcessEvent>>,
    kill: CancellationToken,
    clock: Arc<dyn Clock>,
    limits: Limits,
    asks: Waiting,
    /// Why it was killed, when it was our decision.
    verdict: Mutex<Option<Verdict>>,
    stderr_tail: Mutex<String>,
}

/// The parts of a started process, before it is watched.
pub(crate) struct Started {
    pub(crate) child: Child,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: LineReader<ChildStdout>,
    pub(crate) stderr: ChildStderr,
    pub(crate) folder: InstanceFolder,
    /// The temporary folder as the process knows it.
    pub(crate) visible_tmp: PathBuf,
    pub(crate) watchdog: Watchdog,
}

impl Process {
    pub(crate) fn watch(
        started: Started,
        early: Vec<LogLine>,
        counted: Counted,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> (Process, ProcessEvents) {
        let (events, receiver) = mpsc::unbounded_channel();
        let (lines, pending) = mpsc::unbounded_channel();
        if !early.is_empty() {
            let _ = events.send(
                early
                    .into_iter()
                    .map(|line| ProcessEvent::Stray(None, line))
                    .collect(),
            );
        }
        let shared = Arc::new(Shared {
            inflight: Mutex::new(Inflight::default()),
            events,
            kill: CancellationToken::new(),
            clock,
            limits,
            asks: Waiting::default(),
            verdict: Mutex::new(None),
            stderr_tail: Mutex::new(String::new()),
        });
        let tmp = started.folder.tmp();
        tokio::spawn(write_lines(started.stdin, pending));
        let readers = [
            tokio::spawn(Arc::clone(&shared).read_messages(started.stdout)),
            tokio::spawn(Arc::clone(&shared).read_stderr(started.stderr)),
        ];
        tokio::spawn(Arc::clone(&shared).supervise(
            started.child,
            readers,
            started.folder,
            started.watchdog,
        ));
        let process = Process {
            shared,
            lines,
            tmp,
            visible_tmp: started.visible_tmp,
            grace: limits.grace,
            _counted: counted,
        };
        (process, receiver)
    }

    /// Sends invocations to the component; their ends come as events. To a process that has just died
    /// they come back as unfinished.
    pub fn invoke(&self, invocations: &[Invocation]) {
        let mut text = String::with_capacity(invocations.iter().map(|i| i.event.len() + 128).sum());
        {
            let mut inflight = self.shared.inflight.lock();
            let now = Instant::now();
            for invocation in invocations {
                let allowance = invocation.timeout + self.grace;
                inflight.begin(invocation.id, invocation.call, now, allowance);
                protocol::run_line(invocation, &mut text);
            }
        }
        let _ = self.lines.send(text);
    }

    /// Where the answers to its questions go.
    pub fn answers(&self) -> Answers {
        Answers {
            lines: self.lines.clone(),
            waiting: self.shared.asks.clone(),
        }
    }

    /// Tells a module what `$auth` of these app props is, from the next invocation on.
    pub fn authorize(&self, module: &str, auths: &Map<String, Value>) {
        let _ = self.lines.send(protocol::auth_line(module, auths));
    }

    /// The folder a component may write to.
    pub fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// The same folder under the name the component knows it by.
    pub fn visible_tmp(&self) -> &Path {
        &self.visible_tmp
    }

    pub fn kill(&self) {
        self.shared.kill.cancel();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn write_lines(mut stdin: ChildStdin, mut pending: mpsc::UnboundedReceiver<String>) {
    while let Some(mut text) = pending.recv().await {
        while let Ok(more) = pending.try_recv() {
            text.push_str(&more);
        }
        if stdin.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}
