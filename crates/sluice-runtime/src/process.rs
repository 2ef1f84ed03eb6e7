//! One component process: its pipes, its watchdog, and its end.

use std::{
    path::{Path, PathBuf},
    process::ExitStatus,
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
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    ask::{Answers, Waiting},
    census::Counted,
    inflight::Inflight,
    limits::Limits,
    lines::LineReader,
    outcome::{Invocation, LogLevel, LogLine, ProcessEvent},
    protocol::{self, Message},
    step::Flow,
    verdict::Verdict,
    watchdog::Watchdog,
};

pub(crate) const LONGEST_LINE: usize = 128 * 1024 * 1024;
const OVERDUE_PERIOD: Duration = Duration::from_millis(500);
const STDERR_TAIL: usize = 4096;

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

/// In the temporary folder: what `dir` props are.
pub(crate) const STASH: &str = "stash";

/// The private folder of a process; removed when the process is gone.
pub(crate) struct InstanceFolder(pub(crate) PathBuf);

impl InstanceFolder {
    pub(crate) fn tmp(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// What `dir` props and `STASH_DIR` name.
    pub(crate) fn stash(&self) -> PathBuf {
        self.tmp().join(STASH)
    }

    /// Where all its modules are.
    pub(crate) fn code(&self) -> PathBuf {
        self.0.join("code")
    }

    /// The folder of one module, in which its packages are found.
    pub(crate) fn module(&self, name: &str) -> PathBuf {
        self.code().join(name)
    }
}

impl Drop for InstanceFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::debug!(folder = %self.0.display(), %error, "an instance folder could not be removed");
        }
    }
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

impl Shared {
    async fn read_messages(self: Arc<Self>, mut stdout: LineReader<ChildStdout>) {
        loop {
            let more = match stdout.fill().await {
                Ok(more) => more,
                Err(error) => return self.misbehaved(&error.to_string()),
            };
            let mut batch = Vec::new();
            while let Some(line) = stdout.next_line() {
                let parsed = str::from_utf8(&line)
                    .map_err(|error| error.to_string())
                    .and_then(protocol::parse)
                    .and_then(|message| self.take(message, &mut batch));
                if let Err(error) = parsed {
                    let _ = self.events.send(batch);
                    return self.misbehaved(&error);
                }
            }
            if !batch.is_empty() && self.events.send(batch).is_err() {
                return self.kill.cancel();
            }
            if !more {
                return;
            }
        }
    }

    fn take(&self, message: Message, batch: &mut Vec<ProcessEvent>) -> Result<(), String> {
        let mut inflight = self.inflight.lock();
        match message {
            Message::Emit(id, emit) => {
                return self.within_limit(inflight.emitted(&id, emit, self.most_reported()));
            }
            Message::Export(id, name, value) => {
                let within = inflight.exported(&id, name, value, self.most_reported());
                return self.within_limit(within);
            }
            Message::Send(id, send) => {
                return self.within_limit(inflight.sent(&id, send, self.most_reported()));
            }
            Message::Log(id, line) => {
                let stray = inflight.logged(id.as_ref(), line);
                batch.extend(stray.map(|line| ProcessEvent::Stray(id, line)));
            }
            Message::Respond(id, reply) => batch.push(ProcessEvent::Replied(id, reply)),
            Message::Ask(id, ask) => {
                if !inflight.is_running(&id) {
                    return Ok(()); // The harness asks nothing for an invocation that has ended.
                }
                if ask.is_oversized(self.limits.data_store_value_bytes) {
                    return Err("it asked a question that is too large".to_owned());
                }
                if !self.asks.add() {
                    return Err("it asked more questions than may wait for an answer".to_owned());
                }
                batch.push(ProcessEvent::Asked(ask));
            }
            Message::Held(id) => inflight.held(&id),
            Message::Write(id, writes) => inflight.wrote(&id, writes),
            Message::End(id, end) => {
                let context = end.flow.as_ref().map_or(0, Flow::context_bytes);
                self.within_limit(context <= self.most_reported())?;
                if let Some(outcome) = inflight.end(&id, end) {
                    batch.push(ProcessEvent::Ended(id, outcome));
                }
            }
            Message::Ready
            | Message::Loaded(_)
            | Message::Failed(..)
            | Message::Surveyed { .. } => {
                return Err("a message of the start-up after the start-up".to_owned());
            }
        }
        Ok(())
    }

    /// The harness ends an invocation that reports too much by itself, though it counts more roughly.
    fn most_reported(&self) -> usize {
        4 * self.limits.emits_bytes
    }

    fn within_limit(&self, within: bool) -> Result<(), String> {
        if within {
            return Ok(());
        }
        Err(format!(
            "one invocation reported more than {} bytes",
            self.limits.emits_bytes
        ))
    }

    fn misbehaved(&self, how: &str) {
        self.verdict
            .lock()
            .get_or_insert_with(|| Verdict::Misbehaved(how.to_owned()));
        self.kill.cancel();
    }

    async fn read_stderr(self: Arc<Self>, stderr: ChildStderr) {
        let mut reader = LineReader::new(stderr, self.limits.log_bytes);
        let mut budget = self.limits.log_bytes;
        loop {
            let more = matches!(reader.fill().await, Ok(true));
            let mut batch = Vec::new();
            while let Some(line) = reader.next_line() {
                self.stderr_line(&line, &mut budget, &mut batch);
            }
            if !more {
                let rest = reader.rest();
                self.stderr_line(&rest, &mut budget, &mut batch);
            }
            if !batch.is_empty() {
                let _ = self.events.send(batch);
            }
            if !more {
                return;
            }
        }
    }

    /// A process may print this much past our console and no more: the rest is dropped, not stored.
    fn stderr_line(&self, line: &[u8], budget: &mut usize, batch: &mut Vec<ProcessEvent>) {
        let message = String::from_utf8_lossy(line).replace('\0', "");
        if message.is_empty() {
            return;
        }
        self.remember_stderr(&message);
        let Some(left) = budget.checked_sub(message.len()) else {
            return;
        };
        *budget = left;
        let line = LogLine {
            ts: self.clock.now_ms(),
            kind: "stderr".to_owned(),
            level: LogLevel::Error,
            message,
        };
        batch.extend(
            self.inflight
                .lock()
                .logged(None, line)
                .map(|line| ProcessEvent::Stray(None, line)),
        );
    }

    fn remember_stderr(&self, message: &str) {
        let mut tail = self.stderr_tail.lock();
        tail.push_str(message);
        tail.push('\n');
        if tail.len() > 2 * STDERR_TAIL {
            let mut cut = tail.len() - STDERR_TAIL;
            while !tail.is_char_boundary(cut) {
                cut += 1;
            }
            tail.drain(..cut);
        }
    }

    async fn supervise(
        self: Arc<Self>,
        mut child: Child,
        readers: [JoinHandle<()>; 2],
        folder: InstanceFolder,
        watchdog: Watchdog,
    ) {
        let mut overdue_check = tokio::time::interval(OVERDUE_PERIOD);
        let status = loop {
            tokio::select! {
                status = child.wait() => break status.ok(),
                () = self.kill.cancelled() => {
                    kill_group(&child);
                    break child.wait().await.ok();
                }
                _ = overdue_check.tick() => {
                    if self.inflight.lock().is_overdue(Instant::now()) {
                        self.verdict.lock().get_or_insert(Verdict::Overdue);
                        self.kill.cancel();
                    }
                }
            }
        };
        for reader in readers {
            // Whatever it still had to say comes before its end.
            let _ = reader.await;
        }
        if let Some(overuse) = watchdog.overuse() {
            *self.verdict.lock() = Some(Verdict::Overused(overuse));
        }
        let _ = self.events.send(self.last_words(status));
        drop(folder);
    }

    fn last_words(&self, status: Option<ExitStatus>) -> Vec<ProcessEvent> {
        let verdict = self.verdict.lock().clone();
        let mut inflight = self.inflight.lock();
        let mut batch = Vec::new();
        if let Some(failure) = verdict.as_ref().and_then(Verdict::as_failure) {
            let ended = inflight.fail_sole(Instant::now(), failure);
            batch.extend(ended.map(|(id, outcome)| ProcessEvent::Ended(id, outcome)));
        }
        batch.push(ProcessEvent::Exited {
            reason: self.reason(verdict, status),
            unfinished: inflight.abandon(),
        });
        batch
    }

    fn reason(&self, verdict: Option<Verdict>, status: Option<ExitStatus>) -> String {
        use std::os::unix::process::ExitStatusExt;
        match verdict {
            Some(Verdict::Overdue) => "it overran its time".to_owned(),
            Some(Verdict::Overused(overuse)) => overuse.to_string(),
            Some(Verdict::Misbehaved(how)) => {
                format!("it broke the protocol on its standard output: {how}")
            }
            None if self.stderr_tail.lock().contains("out of memory") => {
                format!("it ran out of memory (limit {} MB)", self.limits.heap_mb)
            }
            None => match status {
                Some(status) => match (status.code(), status.signal()) {
                    (Some(code), _) => format!("it exited with code {code}"),
                    (None, Some(signal)) => format!("it was killed by signal {signal}"),
                    (None, None) => "it ended".to_owned(),
                },
                None => "it ended".to_owned(),
            },
        }
    }
}

/// Kills the process and whatever it may have started.
pub(crate) fn kill_group(child: &Child) {
    let pid = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}
