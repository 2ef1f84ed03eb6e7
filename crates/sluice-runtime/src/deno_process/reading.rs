//! The output of a process: messages on standard output, and text on standard error.

use std::{sync::Arc, time::Instant};

use tokio::process::{ChildStderr, ChildStdout};

use super::shared::Shared;
use crate::{
    kill_reason::KillReason,
    lines::LineReader,
    outcome::{LogLevel, LogLine, ProcessEvent},
    protocol::{self, Message},
    step::Flow,
};

const STDERR_TAIL: usize = 4096;

impl Shared {
    pub(super) async fn read_messages(self: Arc<Self>, mut stdout: LineReader<ChildStdout>) {
        loop {
            let more = match stdout.fill().await {
                Ok(more) => more,
                Err(error) => return self.protocol_error(&error.to_string()),
            };
            let mut batch = Vec::new();
            while let Some(line) = stdout.next_line() {
                let parsed = str::from_utf8(&line)
                    .map_err(|error| error.to_string())
                    .and_then(protocol::parse)
                    .and_then(|message| self.take(message, &mut batch));
                if let Err(error) = parsed {
                    let _ = self.events.send(batch);
                    return self.protocol_error(&error);
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
                return self.within_limit(inflight.emitted(&id, emit, self.max_reported()));
            }
            Message::Export(id, name, value) => {
                let within = inflight.exported(&id, name, value, self.max_reported());
                return self.within_limit(within);
            }
            Message::Send(id, send) => {
                return self.within_limit(inflight.sent(&id, send, self.max_reported()));
            }
            Message::Log(id, line) => {
                let stray = inflight.logged(id.as_ref(), line);
                batch.extend(stray.map(|line| ProcessEvent::Stray(id, line)));
            }
            Message::Respond(id, reply) => batch.push(ProcessEvent::Replied(id, reply)),
            Message::Ask(id, ask) => {
                if !inflight.is_running(&id) {
                    return Ok(()); // Questions of ended invocations get no answer.
                }
                if ask.is_oversized(self.limits.data_store_value_bytes) {
                    return Err("it asked a question that is too large".to_owned());
                }
                if !self.pending_answers.add() {
                    return Err("it asked more questions than may wait for an answer".to_owned());
                }
                batch.push(ProcessEvent::Asked(ask));
            }
            Message::Held(id) => inflight.held(&id, Instant::now()),
            Message::Write(id, writes) => inflight.wrote(&id, writes),
            Message::End(id, end) => {
                let context = end.flow.as_ref().map_or(0, Flow::context_bytes);
                self.within_limit(context <= self.max_reported())?;
                if let Some(outcome) = inflight.end(&id, end, Instant::now()) {
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

    /// The harness enforces the limit itself, but counts less exactly.
    fn max_reported(&self) -> usize {
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

    fn protocol_error(&self, how: &str) {
        self.kill_reason
            .lock()
            .get_or_insert_with(|| KillReason::ProtocolError(how.to_owned()));
        self.kill.cancel();
    }

    pub(super) async fn read_stderr(self: Arc<Self>, stderr: ChildStderr) {
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

    /// Only so many bytes that bypass the console are kept. The rest is dropped.
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
}
