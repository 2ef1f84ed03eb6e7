//! The component process of a source: when it starts and stops, what it reports, and what its death means.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use sluice_model::InvocationId;
use sluice_runtime::{
    Failure, LoadError, LogLevel, LogLine, ModuleSpec, Outcome, ProcessEvent, ProcessOwner,
    ProcessSpec, Unfinished,
};
use tokio::{task::JoinSet, time::Instant};

use super::{Actor, Live, Running};
use crate::{
    accounts::Grants,
    mailbox::NoReply,
    owners::Owner,
    owning::{FIRST_PAUSE, LONGEST_PAUSE},
    source::{
        asks::{Asks, Reach},
        bindings::bindings,
        commit::{Finished, Trigger},
        hooks,
    },
};

impl Actor {
    pub(super) fn ensure_process(&mut self) {
        if self.process.is_some() || self.starting.is_some() || self.start_after.is_some() {
            return;
        }
        let wanted =
            self.has_waiting_hooks() || (self.is_open() && self.handle.mailbox.has_queued());
        if !wanted {
            return;
        }
        let (definition, context) = (&self.definition, &self.context);
        let props = match bindings(definition, &context.infra.settings, &context.infra.vault) {
            Ok(props) => props,
            Err(unreadable) => return self.cannot_run(&unreadable.to_string()),
        };
        let module = (
            ModuleSpec::COMPONENT,
            &*definition.shape,
            &definition.source.configured_props,
        );
        let reach = Reach::of(&definition.source.user_id, [module]);
        let spec = ProcessSpec {
            owner: ProcessOwner::Source(self.handle.id.clone()),
            modules: vec![ModuleSpec {
                name: ModuleSpec::COMPONENT.to_owned(),
                code: Arc::clone(&self.definition.code),
                format: self.definition.shape.format,
                packages: self.definition.packages.clone(),
                props,
            }],
            env: BTreeMap::new(),
            stored: self.memory.stored.entries(),
        };
        let source = &self.definition.source;
        let grants = Grants::of(
            &self.context.accounts,
            &source.user_id,
            &self.definition.shape.props,
            &source.configured_props,
        );
        let context = Arc::clone(&self.context);
        self.starting = Some(tokio::spawn(async move {
            let slot = context.slots.acquire().await;
            context.infra.metrics.process_starts.inc();
            let (process, events) = context.runtime.start(&spec).await?;
            let asks = Asks::serve(&context, reach, process.answers());
            Ok(Live {
                process,
                events,
                asks,
                slot,
                grants,
            })
        }));
    }

    pub(super) fn started(&mut self, started: Option<Result<Live, LoadError>>) {
        match started {
            Some(Ok(live)) => {
                self.start_pause = FIRST_PAUSE;
                self.context.infra.metrics.processes.inc();
                self.process = Some(live);
                self.deepest = 0;
            }
            Some(Err(LoadError::Code(faults))) => {
                let reason = faults
                    .first()
                    .map_or_else(String::new, |fault| fault.message.clone());
                self.could_not_load(&format!("it did not load: {reason}"));
            }
            Some(Err(LoadError::Start(reason) | LoadError::Packages(reason))) => {
                tracing::error!(source = %self.handle.id, reason, "a component process could not be started; trying again");
                self.pause_starts();
            }
            None => self.pause_starts(),
        }
    }

    pub(super) fn pause_starts(&mut self) {
        self.start_after = Some(Instant::now() + self.start_pause);
        self.start_pause = (self.start_pause * 2).min(LONGEST_PAUSE);
    }

    /// Code that loaded when it was saved and does not now: a hook fails at once, work is tried again.
    pub(super) fn could_not_load(&mut self, reason: &str) {
        self.pause_starts();
        let now = self.context.infra.clock.now_ms();
        if let Some(operation) = &mut self.engaged {
            for (hook, reply) in operation.hooks.drain(..) {
                let _ = reply.send(Err(hooks::died(hook, &[], reason, now)));
            }
        }
        if !self.is_open() {
            return;
        }
        if let Some(work) = self.handle.mailbox.pop_if(|_| true) {
            let id = work.id;
            self.running.insert(id, Running::Work(work));
            self.died(
                Unfinished {
                    id,
                    logs: Vec::new(),
                },
                reason,
            );
        }
    }

    /// Stops the process, and the one that is starting: it was given code and state that no longer hold.
    pub(super) fn give_up_process(&mut self) {
        if let Some(starting) = self.starting.take() {
            starting.abort();
        }
        self.stop_process();
    }

    pub(super) fn stop_process(&mut self) {
        if let Some(live) = self.process.take() {
            self.context.infra.metrics.processes.dec();
            tokio::spawn(live.end());
        }
        // What was being placed in its folder is placed again in that of the next one.
        self.placing = JoinSet::new();
        self.context.slots.not_idle(&self.handle.id);
    }

    pub(super) fn stop_idle_process(&mut self) {
        if self.is_quiet() && self.engaged.is_none() && self.authorizing.is_none() {
            self.stop_process();
            self.idle_since = None;
        }
    }

    pub(super) fn note_idleness(&mut self) {
        let idle = self.process.is_some()
            && self.is_quiet()
            && self.engaged.is_none()
            && self.authorizing.is_none();
        match (idle, self.idle_since) {
            (true, None) => {
                self.idle_since = Some(Instant::now());
                let owner = Owner::Source(Arc::clone(&self.handle));
                self.context.slots.idle(&owner);
            }
            (false, Some(_)) => {
                self.idle_since = None;
                self.context.slots.not_idle(&self.handle.id);
            }
            _ => {}
        }
    }

    pub(super) fn heard(&mut self, batch: Option<Vec<ProcessEvent>>) {
        let Some(batch) = batch else {
            self.stop_process();
            return;
        };
        for event in batch {
            match event {
                ProcessEvent::Replied(id, reply) => {
                    if let Some(sender) = self.handle.mailbox.take_reply(&id) {
                        let _ = sender.send(Ok(reply));
                    }
                }
                ProcessEvent::Ended(id, outcome) => self.ended(id, outcome),
                ProcessEvent::Asked(ask) => {
                    if let Some(live) = &self.process {
                        live.asks.take(ask);
                    }
                }
                ProcessEvent::Stray(id, line) => self.stray.push((id, line)),
                ProcessEvent::Exited { reason, unfinished } => self.exited(&reason, unfinished),
            }
        }
    }

    pub(super) fn ended(&mut self, id: InvocationId, mut outcome: Outcome) {
        outcome.writes = self
            .memory
            .stored
            .take(outcome.writes, self.context.infra.settings.max_db);
        self.context
            .infra
            .metrics
            .invocation_seconds
            .observe(outcome.duration.as_secs_f64());
        match self.running.remove(&id) {
            Some(Running::Work(work)) => {
                if let Some(sender) = self.handle.mailbox.take_reply(&id) {
                    let _ = sender.send(Err(no_reply(&outcome)));
                }
                self.finished.push(Finished {
                    id,
                    trigger: Trigger::Inbox(work),
                    outcome,
                });
            }
            Some(Running::Hook(hook, reply)) => {
                let verdict = hooks::failed(hook, &outcome).map_or(Ok(()), Err);
                if let Some(operation) = &mut self.engaged {
                    operation.held.push(Finished {
                        id,
                        trigger: Trigger::Hook,
                        outcome,
                    });
                }
                let _ = reply.send(verdict);
            }
            None => {}
        }
    }

    pub(super) fn exited(&mut self, reason: &str, unfinished: Vec<Unfinished>) {
        self.stop_process();
        let mut casualties: Vec<Unfinished> = unfinished;
        casualties.sort_by_key(|one| std::cmp::Reverse(one.id));
        if !casualties.is_empty() {
            tracing::info!(source = %self.handle.id, reason, unfinished = casualties.len(), "a component process died");
        }
        // What it did not know of was never sent. It came after the rest, and so goes back to the front before it.
        let sent: HashSet<InvocationId> = casualties.iter().map(|one| one.id).collect();
        self.give_all_back(|id| !sent.contains(id));
        for one in casualties {
            self.died(one, reason);
        }
        // An idle process that dies is replaced when there is work; nothing was lost with it.
    }

    /// An invocation whose process died under it runs again, up to a limit, and then counts as having thrown.
    pub(super) fn died(&mut self, Unfinished { id, logs }: Unfinished, reason: &str) {
        let now = self.context.infra.clock.now_ms();
        match self.running.remove(&id) {
            Some(Running::Hook(hook, reply)) => {
                let _ = reply.send(Err(hooks::died(hook, &logs, reason, now)));
            }
            Some(Running::Work(mut work)) => {
                work.attempts += 1;
                let most = self.context.infra.settings.max_attempts;
                if work.attempts >= most {
                    let mut outcome = failed_outcome(
                        "ProcessDied",
                        format!(
                            "the component process died: {reason} (attempt {} of {most})",
                            work.attempts
                        ),
                    );
                    outcome.logs = logs;
                    self.running.insert(id, Running::Work(work));
                    self.ended(id, outcome);
                    return;
                }
                self.context.infra.metrics.invocation_retries.inc();
                self.stray
                    .extend(logs.into_iter().map(|line| (Some(id), line)));
                let message = format!(
                    "the component process died: {reason}; the invocation runs again (attempt {} of {most})",
                    work.attempts + 1
                );
                self.stray.push((
                    Some(id),
                    LogLine {
                        ts: now,
                        kind: "system".to_owned(),
                        level: LogLevel::Error,
                        message,
                    },
                ));
                self.attempts.push(id);
                self.handle.mailbox.return_to_front(work);
            }
            None => {}
        }
    }
}

pub(super) fn failed_outcome(name: &str, message: String) -> Outcome {
    Outcome {
        failure: Some(Failure {
            name: name.to_owned(),
            message,
            stack: String::new(),
            code: None,
        }),
        ..Outcome::default()
    }
}

fn no_reply(outcome: &Outcome) -> NoReply {
    match &outcome.failure {
        Some(failure) if failure.name == "Timeout" => NoReply::TimedOut,
        Some(failure) => NoReply::EndedWithoutRespond(format!(
            "the source failed before it called respond: {}: {}",
            failure.name, failure.message
        )),
        None => NoReply::EndedWithoutRespond("the source ended without calling respond".to_owned()),
    }
}
