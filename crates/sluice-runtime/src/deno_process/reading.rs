//! The messages of the harness, and the text that a process prints.

use std::{sync::Arc, time::Instant};

use sluice_model::InvocationId;
use tokio::net::unix::pipe::Receiver;

use super::shared::Shared;
use crate::{
    inflight::Exceeded,
    kill_reason::KillReason,
    lines::LineReader,
    outcome::{LogLine, ProcessEvent},
    output::Output,
    protocol::{self, End, Message},
    report_limits::{ReportLimits, Reported},
    step::Flow,
};

impl Shared {
    pub(super) async fn read_messages(self: Arc<Self>, mut lines: LineReader<Receiver>) {
        loop {
            tokio::select! {
                biased;
                () = self.room.wait(|| self.inflight.lock().has_reports()) => {}
                // The rest of a process that has ended is short.
                () = self.kill.cancelled() => {}
            }
            let more = match lines.fill().await {
                Ok(more) => more,
                Err(error) => return self.kill_for(KillReason::ProtocolError(error.to_string())),
            };
            let mut batch = Vec::new();
            while let Some(line) = lines.next_line() {
                let taken = protocol::parse(&line, self.key)
                    .map_err(KillReason::ProtocolError)
                    .and_then(|message| self.take(message, &mut batch));
                if let Err(reason) = taken {
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
                if inflight.replied(&id, reply.bytes())? {
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

    pub(super) async fn read_output(self: Arc<Self>, mut output: Output) {
        while let Some(line) = output.next().await {
            let mut batch = Vec::new();
            for line in std::iter::once(line).chain(std::iter::from_fn(|| output.try_next())) {
                let stray = self.inflight.lock().printed(line);
                batch.extend(self.kept(None, stray));
            }
            if !batch.is_empty() {
                let _ = self.events.send(batch).await;
            }
        }
    }
}

fn protocol_error(how: &str) -> KillReason {
    KillReason::ProtocolError(how.to_owned())
}
