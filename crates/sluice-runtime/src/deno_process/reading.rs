//! The messages of the harness, and the text that a process prints.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use tokio::net::unix::pipe::Receiver;

use super::{state::DenoProcess, tenant::Tenant};
use crate::{
    inflight::Exceeded,
    kill_reason::KillReason,
    lines::LineReader,
    outcome::ProcessEvent,
    output::Output,
    packages::explain_native,
    protocol::{self, End, Message},
    report_limits::{ReportLimits, Reported},
    spec::LoadError,
    step::Flow,
    tenant_number::TenantNumber,
};

/// The events of one read, by tenant.
#[derive(Default)]
struct Batches(Vec<(Arc<Tenant>, Vec<ProcessEvent>)>);

impl Batches {
    /// Most messages in a row are of one tenant.
    fn of(&mut self, tenant: &Arc<Tenant>) -> &mut Vec<ProcessEvent> {
        let at = self
            .0
            .iter()
            .rposition(|(other, _)| other.number == tenant.number);
        let at = at.unwrap_or_else(|| {
            self.0.push((Arc::clone(tenant), Vec::new()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

impl DenoProcess {
    pub(super) async fn read_messages(self: Arc<Self>, mut lines: LineReader<Receiver>) {
        loop {
            tokio::select! {
                biased;
                () = self.room.wait(|| self.has_reports()) => {}
                // The rest of a process that has ended is short.
                () = self.kill.cancelled() => {}
            }
            let more = match lines.fill().await {
                Ok(more) => more,
                Err(error) => {
                    return self.kill_for(None, KillReason::ProtocolError(error.to_string()));
                }
            };
            self.reads.fetch_add(1, Ordering::Relaxed);
            let mut batches = Batches::default();
            while let Some(line) = lines.next_line() {
                let taken = match protocol::parse(&line, self.key) {
                    Ok((number, message)) => self
                        .take(number, message, &mut batches)
                        .map_err(|reason| (Some(number), reason)),
                    Err(error) => Err((None, KillReason::ProtocolError(error))),
                };
                if let Err((tenant, reason)) = taken {
                    self.report(batches).await;
                    return self.kill_for(tenant, reason);
                }
            }
            self.report(batches).await;
            if !more {
                return;
            }
        }
    }

    fn has_reports(&self) -> bool {
        let tenants = self.tenants.lock();
        tenants
            .all()
            .any(|tenant| tenant.inflight.lock().has_reports())
    }

    /// While an owner does not take its events, nothing more is read.
    async fn report(&self, batches: Batches) {
        for (tenant, batch) in batches.0 {
            if !batch.is_empty() && tenant.events.send(batch).await.is_err() {
                self.kill_tenant(&tenant);
            }
            // Invocations have ended, so it may be idle now.
            self.let_leave(&tenant);
        }
    }

    fn take(
        &self,
        number: TenantNumber,
        message: Message,
        batches: &mut Batches,
    ) -> Result<(), KillReason> {
        if number == TenantNumber::PROCESS {
            return self.take_unowned(message, batches);
        }
        let Some(tenant) = self.tenants.lock().get(number).cloned() else {
            return Ok(()); // It has left.
        };
        match message {
            Message::Loaded(_) => loading(tenant.loaded(Ok(()))),
            Message::Failed(mut error, stack) => {
                if let Some(explained) = explain_native(&error.message, &stack) {
                    error.message = explained;
                }
                loading(tenant.loaded(Err(LoadError::Code(vec![error]))))
            }
            message => self.take_report(&tenant, message, batches),
        }
    }

    /// A message of the process itself, or a log line of a tenant that is unknown.
    fn take_unowned(&self, message: Message, batches: &mut Batches) -> Result<(), KillReason> {
        match message {
            Message::Pong => Ok(()),
            Message::Log(id, line) => {
                let sole = self.tenants.lock().sole().cloned();
                if let Some(tenant) = sole {
                    return self.take_report(&tenant, Message::Log(id, line), batches);
                }
                tracing::debug!(line = line.message, "log line of an unknown source");
                Ok(())
            }
            _ => Err(out_of_place()),
        }
    }

    fn take_report(
        &self,
        tenant: &Arc<Tenant>,
        message: Message,
        batches: &mut Batches,
    ) -> Result<(), KillReason> {
        let mut inflight = tenant.inflight.lock();
        match message {
            Message::Emit(id, emit) => inflight.emitted(&id, emit)?,
            Message::Inputs(id, inputs) => inflight.resolved(&id, inputs)?,
            Message::Export(id, name, value) => inflight.exported(&id, name, value)?,
            Message::Send(id, send) => inflight.sent(&id, send)?,
            Message::Log(id, line) => {
                let stray = inflight.logged(id.as_ref(), line)?;
                batches.of(tenant).extend(tenant.stray(id, stray));
            }
            Message::Respond(id, reply) => {
                if inflight.replied(&id, reply.bytes())? {
                    batches.of(tenant).push(ProcessEvent::Replied(id, reply));
                }
            }
            Message::Ask(id, ask) => {
                if !inflight.is_running(&id) {
                    return Ok(()); // Questions of ended invocations get no answer.
                }
                if ask.is_oversized(self.limits.data_store_value_bytes) {
                    return Err(protocol_error("it asked a question that is too large"));
                }
                if !tenant.pending_answers.add() {
                    let how = "it asked more questions than may wait for an answer";
                    return Err(protocol_error(how));
                }
                batches.of(tenant).push(ProcessEvent::Asked(ask));
            }
            Message::Held(id) => inflight.held(&id, Instant::now()),
            Message::Write(id, writes) => inflight.wrote(&id, writes)?,
            Message::End(id, end) => {
                self.check_end(&end)?;
                if let Some(outcome) = inflight.end(&id, end, Instant::now()) {
                    batches.of(tenant).push(ProcessEvent::Ended(id, outcome));
                }
            }
            Message::Ready | Message::Pong | Message::Loaded(_) | Message::Failed(..) => {
                return Err(out_of_place());
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

    /// Printed text belongs to the only tenant. Self-contained code does not print.
    pub(super) async fn read_output(self: Arc<Self>, mut output: Output) {
        while let Some(line) = output.next().await {
            let Some(tenant) = self.tenants.lock().sole().cloned() else {
                tracing::debug!(line = line.message, "output of a shared process");
                continue;
            };
            let mut batch = Vec::new();
            for line in std::iter::once(line).chain(std::iter::from_fn(|| output.try_next())) {
                let stray = tenant.inflight.lock().printed(line);
                batch.extend(tenant.stray(None, stray));
            }
            if !batch.is_empty() {
                let _ = tenant.events.send(batch).await;
            }
        }
    }
}

fn loading(was_loading: bool) -> Result<(), KillReason> {
    if was_loading {
        Ok(())
    } else {
        Err(out_of_place())
    }
}

fn out_of_place() -> KillReason {
    protocol_error("a message of the start-up after the start-up")
}

fn protocol_error(how: &str) -> KillReason {
    KillReason::ProtocolError(how.to_owned())
}
