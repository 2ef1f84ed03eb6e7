//! The text that a process prints on its standard output and standard error, past the console. It becomes log lines.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use sluice_model::Clock;
use tokio::{io::AsyncRead, process::Child, sync::mpsc};

use crate::{
    limits::Limits,
    lines::LineReader,
    outcome::{LogLevel, LogLine},
    report_limits::StrayBudget,
};

/// Lines that wait for their reader. Then nothing more is read.
const MAX_WAITING: usize = 256;
/// Longer lines are cut.
const MAX_LINE: usize = 64 * 1024;
/// Beyond the budget the text is read at this pace, and dropped.
const DROP_PAUSE: Duration = Duration::from_millis(1);
const TAIL: usize = 4096;

/// The output of one process.
pub(crate) struct Output {
    lines: mpsc::Receiver<LogLine>,
    /// The last text on standard error.
    tail: Arc<Mutex<String>>,
}

#[derive(Clone, Copy)]
enum Stream {
    Stdout,
    Stderr,
}

impl Output {
    /// Reads the output of a process from now on.
    pub(crate) fn of(child: &mut Child, limits: &Limits, clock: &Arc<dyn Clock>) -> Output {
        let (sender, lines) = mpsc::channel(MAX_WAITING);
        let tail = Arc::default();
        let reader = |stream| Reader {
            stream,
            budget: StrayBudget::of_bytes(limits.log_bytes, Instant::now()),
            clock: Arc::clone(clock),
            lines: sender.clone(),
            tail: Arc::clone(&tail),
        };
        if let Some(stdout) = child.stdout.take() {
            tokio::spawn(reader(Stream::Stdout).read(stdout));
        }
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(reader(Stream::Stderr).read(stderr));
        }
        Output { lines, tail }
    }

    /// The next line; `None` when the process has ended.
    pub(crate) async fn next(&mut self) -> Option<LogLine> {
        self.lines.recv().await
    }

    /// A line that has been read already.
    pub(crate) fn try_next(&mut self) -> Option<LogLine> {
        self.lines.try_recv().ok()
    }

    /// Waits for the end of the process. Returns its last text on standard error.
    pub(crate) async fn last_errors(&mut self) -> String {
        while self.next().await.is_some() {}
        self.tail.lock().clone()
    }

    pub(crate) fn tail(&self) -> Arc<Mutex<String>> {
        Arc::clone(&self.tail)
    }
}

struct Reader {
    stream: Stream,
    budget: StrayBudget,
    clock: Arc<dyn Clock>,
    lines: mpsc::Sender<LogLine>,
    tail: Arc<Mutex<String>>,
}

impl Reader {
    async fn read(mut self, source: impl AsyncRead + Unpin) {
        let mut reader = LineReader::new(source, usize::MAX);
        loop {
            let more = matches!(reader.fill().await, Ok(true));
            let mut dropped = false;
            while let Some(line) = reader.next_line() {
                dropped |= !self.keep(&line).await;
            }
            if !more || reader.buffered() > MAX_LINE {
                dropped |= !self.keep(&reader.rest()).await;
            }
            if !more {
                return;
            }
            if dropped {
                tokio::time::sleep(DROP_PAUSE).await;
            }
        }
    }

    /// Returns false if the line is dropped, because there are too many.
    async fn keep(&mut self, line: &[u8]) -> bool {
        let message = String::from_utf8_lossy(line).replace('\0', "");
        if message.is_empty() {
            return true;
        }
        let (kind, level) = match self.stream {
            Stream::Stdout => ("stdout", LogLevel::Info),
            Stream::Stderr => {
                self.remember(&message);
                ("stderr", LogLevel::Error)
            }
        };
        if !self.budget.take_bytes(message.len(), Instant::now()) {
            return false;
        }
        let line = LogLine {
            ts: self.clock.now_ms(),
            kind: kind.to_owned(),
            level,
            message,
        };
        let _ = self.lines.send(line).await;
        true
    }

    fn remember(&self, message: &str) {
        let mut tail = self.tail.lock();
        tail.push_str(message);
        tail.push('\n');
        if tail.len() > 2 * TAIL {
            let cut = tail.ceil_char_boundary(tail.len() - TAIL);
            tail.drain(..cut);
        }
    }
}
