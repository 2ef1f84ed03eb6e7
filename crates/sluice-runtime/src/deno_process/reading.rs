//! The output of a process: messages on standard output, and text on standard error.

use std::{sync::Arc, time::Instant};

use sluice_model::InvocationId;
use tokio::process::{ChildStderr, ChildStdout};

use super::shared::Shared;
use crate::{
    inflight::Exceeded,
    kill_reason::KillReason,
    lines::LineReader,
    outcome::{LogLevel, LogLine, ProcessEvent},
    protocol::{self, End, Message},
    report_limits::{ReportLimits, Reported},
    step::Flow,
};

const STDERR_TAIL: usize = 4096;

impl Shared {
    pub(super) async fn read_messages(self: Arc<Self>, mut stdout: LineReader<ChildStdout>) {
        loop {
            let more = match stdout.fill().await {
                Ok(more) => more,
                Err(error) => return self.kill_for(KillReason::ProtocolError(error.to_string())),
            };
            let mut batch = Vec::new();
            while let Some(line) = stdout.next_line() {
                let parsed = str::from_utf8(&line)
                    .map_err(|error| error.to_string())
                    .and_then(protocol::parse)
                    .map_err(KillReason::ProtocolError)
                    .and_then(|message| self.take(message, &mut batch));
                if let Err(reason) = parsed {
                    let _ = self.events.send(batch).await;
                    return self.kill_for(reason);
                }
            }
            // While the owner does not take them, nothing more is read.
            if !batch.is_empty() && self.events.send(batch).await.is_err() {
                return self.kill.cancel();
            }
            if !more {
                return;
            }
        }
    }

    fn take(&self, message: Message, batch: &mut Vec<ProcessEvent>) -> Result<(), KillReason> {
        let mut inflight = self.inflight.lock();
        match message {
            Message::Emit(id, emit) => inflight.emitted(&id, emit)?,
            Message::Export(id, name, value) => inflight.exported(&id, name, value)?,
            Message::Send(id, send) => inflight.sent(&id, send)?,
            Message::Log(id, line) => {
                let stray = inflight.logged(id.as_ref(), line)?;
                batch.extend(self.kept(id, stray));
            }
            Message::Respond(id, reply) => {
                if inflight.replied(&id) {
                    batch.push(ProcessEvent::Replied(id, reply));
                }
            }
            Message::Ask(id, ask) => {
                if !inflight.is_running(&id) {
                    return Ok(()); // Questions of ended invocations get no answer.
                }
                if ask.is_oversized(self.limits.data_store_value_bytes) {
                    return Err(protocol_error("it asked a question that is too large"));
                }
                if !self.pending_answers.add() {
                    let how = "it asked more questions than may wait for an answer";
                    return Err(protocol_error(how));
                }
                batch.push(ProcessEvent::Asked(ask));
            }
            Message::Held(id) => inflight.held(&id, Instant::now()),
            Message::Write(id, writes) => inflight.wrote(&id, writes)?,
            Message::End(id, end) => {
                self.check_end(&end)?;
                if let Some(outcome) = inflight.end(&id, end, Instant::now()) {
                    batch.push(ProcessEvent::Ended(id, outcome));
                }
            }
            Message::Ready | Message::Loaded(_) | Message::Failed(..) => {
                return Err(protocol_error(
                    "a message of the start-up after the start-up",
                ));
            }
        }
        Ok(())
    }

    fn check_end(&self, end: &End) -> Result<(), Exceeded> {
        let limits = ReportLimits::of(&self.limits);
        if end.flow.as_ref().map_or(0, Flow::context_bytes) > limits.effects {
            return Err(Exceeded::Effects);
        }
        if end.writes.bytes() > limits.writes {
            return Err(Exceeded::Writes);
        }
        Ok(())
    }

    /// The event of a line that belongs to no running invocation, unless there are too many of them.
    fn kept(&self, id: Option<InvocationId>, stray: Option<LogLine>) -> Option<ProcessEvent> {
        let line = stray.filter(|line| self.strays.lock().take(line, Instant::now()))?;
        Some(ProcessEvent::Stray(id, line))
    }

    fn kill_for(&self, reason: KillReason) {
        self.kill_reason.lock().get_or_insert(reason);
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
                let _ = self.events.send(batch).await;
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
        // The budget above limits these lines.
        let stray = self.inflight.lock().logged(None, line).unwrap_or_default();
        batch.extend(self.kept(None, stray));
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

fn protocol_error(how: &str) -> KillReason {
    KillReason::ProtocolError(how.to_owned())
}
