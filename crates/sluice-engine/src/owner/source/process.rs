//! The component process of a source: start and stop, its events, and the retry of invocations whose process died.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use sluice_infra::compute_ms;
use sluice_model::{Hook, InvocationId};
use sluice_runtime::{
    LoadError, LogLevel, LogLine, ModuleSpec, ProcessEvent, ProcessOwner, ProcessSpec, Unfinished,
};

use super::{
    hooks,
    owner::{HookReply, Running, SourceOwner},
};
use crate::{
    commit::builder::failure,
    process::{DataStoreAccess, HostEvent, bindings::bindings, credentials::Grants},
};

const PROCESS_DIED: &str = "ProcessDied";

impl SourceOwner {
    /// Starts the process when there is work for it.
    pub(super) fn ensure_process(&mut self) {
        let is_needed =
            self.has_waiting_hooks() || (self.is_open() && self.core.mailbox().has_queued());
        if !is_needed || !self.core.hosts.get_or_insert((), || ()).is_stopped() {
            return;
        }
        let definition = &self.definition;
        let source = &definition.source;
        let infra = self.core.infra();
        let props = match bindings(definition, &infra.settings, &infra.vault) {
            Ok(props) => props,
            Err(error) => return self.secret_unreadable(&error.to_string()),
        };
        let module = (
            ModuleSpec::COMPONENT,
            &*definition.shape,
            &source.configured_props,
        );
        let emitter = ((*source.id).clone(), self.core.fence.clone());
        let access = DataStoreAccess::new(&source.user_id, Some(emitter), [module]);
        let grants = Grants::of(
            &self.core.services.credentials,
            &source.user_id,
            &definition.shape.props,
            &source.configured_props,
        );
        // Without disk space the store does not grow.
        let is_full = self.core.services.disk.is_full(&source.user_id);
        let max_db = is_full.then(|| self.memory.kv.bytes());
        let spec = ProcessSpec {
            owner: ProcessOwner::Source(source.id.clone()),
            user: Some(source.user_id.clone()),
            max_db,
            modules: vec![ModuleSpec {
                name: ModuleSpec::COMPONENT.to_owned(),
                files: Arc::clone(&definition.code),
                format: definition.shape.format,
                packages: definition.packages.clone(),
                props,
            }],
            env: BTreeMap::new(),
            secret_env: BTreeSet::new(),
            stored: self.memory.kv.entries(),
        };
        let starter = self.core.services.starter.clone();
        let start = starter.start(source.user_id.clone(), spec, access, vec![grants]);
        self.core.hosts.get_or_insert((), || ()).start(start);
    }

    /// Without its secrets the source cannot start: queued work and hooks fail.
    fn secret_unreadable(&mut self, reason: &str) {
        const NAME: &str = "SecretUnreadable";
        let error = failure(NAME, reason.to_owned());
        for (hook, reply) in self.take_hooks() {
            let _ = reply.send(Err(hooks::rejected(hook, &error)));
        }
        if self.is_open() {
            self.fail_queued(NAME, reason);
        }
    }

    pub(super) fn handle_process_event(&mut self, event: HostEvent) {
        match event {
            HostEvent::Started => {
                self.extras.depth = 0;
                self.log_delay();
            }
            HostEvent::BackoffElapsed => {}
            HostEvent::StartFailed(LoadError::Code(errors) | LoadError::Imports(errors)) => {
                let reason = errors
                    .first()
                    .map_or_else(String::new, |error| error.message.clone());
                self.load_failed(&format!("it did not load: {reason}"));
            }
            HostEvent::StartFailed(LoadError::Start(reason) | LoadError::Packages(reason)) => {
                tracing::error!(source = %self.core.id(), error = reason, "process start failed; retrying");
            }
            HostEvent::Exited => self.process_stopped(),
            HostEvent::Events(events) => {
                for event in events {
                    self.handle_event(event);
                }
            }
        }
    }

    /// Tells the author that the process had to wait.
    fn log_delay(&mut self) {
        let host = self.core.hosts.get_mut(&());
        let delay = host.and_then(|host| host.live_mut()?.take_delay());
        if let Some(delay) = delay {
            let line = LogLine {
                ts: self.core.now_ms(),
                kind: "system".to_owned(),
                level: LogLevel::Warn,
                message: delay.to_string(),
            };
            self.extras.logs.push((None, line));
        }
    }

    fn handle_event(&mut self, event: ProcessEvent) {
        match event {
            ProcessEvent::Replied(id, reply) => {
                if let Some(sender) = self.core.mailbox().take_reply(&id) {
                    let _ = sender.send(Ok(reply));
                }
            }
            ProcessEvent::Ended(id, outcome) => self.ended(id, outcome),
            ProcessEvent::Asked(ask) => {
                if let Some(live) = self.core.live(&()) {
                    live.request_data_store(ask);
                }
            }
            ProcessEvent::Stray(id, line) => self.extras.logs.push((id, line)),
            ProcessEvent::Computed(time) => self.extras.compute_ms += compute_ms(time),
            ProcessEvent::Exited {
                reason,
                unfinished,
                is_at_fault,
            } => self.exited(&reason, unfinished, is_at_fault),
        }
    }

    /// Code that loaded when it was saved does not load now: hooks fail, and work is retried.
    fn load_failed(&mut self, reason: &str) {
        let now_ms = self.core.now_ms();
        for (hook, reply) in self.take_hooks() {
            let _ = reply.send(Err(hooks::died(hook, &[], reason, now_ms)));
        }
        if !self.is_open() {
            return;
        }
        if let Some(work) = self.core.mailbox().pop_if(|_| true) {
            let id = work.id;
            self.running.insert(id, Running::Work(work));
            let logs = Vec::new();
            self.process_died(Unfinished { id, logs }, reason);
        }
    }

    /// Stops the process, also one that is starting: its code or state is outdated.
    pub(super) fn stop_process(&mut self) {
        if let Some(host) = self.core.hosts.get_mut(&()) {
            host.stop();
        }
        self.process_stopped();
    }

    fn process_stopped(&mut self) {
        self.generation += 1;
    }

    /// Stops an idle process because another owner needs its permit.
    pub(super) fn evict(&mut self) {
        if self.is_idle() {
            if let Some(host) = self.core.hosts.get_mut(&()) {
                host.leave();
            }
            self.process_stopped();
        }
    }

    pub(super) fn update_idleness(&mut self) {
        let idle = self.is_idle();
        if let Some(host) = self.core.hosts.get_mut(&()) {
            host.set_idle(idle);
        }
        self.core.update_idleness(&self.definition.timers);
    }

    fn is_idle(&self) -> bool {
        self.is_quiet() && self.operation.is_none() && !self.core.is_refreshing_accounts()
    }

    fn exited(&mut self, reason: &str, mut unfinished: Vec<Unfinished>, is_at_fault: bool) {
        self.stop_process();
        unfinished.sort_by_key(|one| std::cmp::Reverse(one.id));
        if !unfinished.is_empty() {
            tracing::info!(source = %self.core.id(), reason, unfinished = unfinished.len(), "process died");
        }
        // Invocations that the process never got came after the others, so they are requeued before them.
        let sent: HashSet<InvocationId> = unfinished.iter().map(|one| one.id).collect();
        self.requeue_hooks(|id| !sent.contains(id));
        self.requeue_all(|id| !sent.contains(id));
        for one in unfinished {
            if is_at_fault {
                self.process_died(one, reason);
            } else {
                self.run_again(one, reason);
            }
        }
    }

    /// Runs an invocation again whose process ended because of another source. It does not count as an attempt.
    fn run_again(&mut self, Unfinished { id, logs }: Unfinished, reason: &str) {
        match self.running.remove(&id) {
            None => {}
            Some(Running::Hook(hook, reply)) => self.requeue_hook(hook, reply),
            Some(Running::Work(work)) => {
                let message = format!(
                    "the process that this source shares with others ended: {reason}; the invocation runs again"
                );
                self.log_retry(id, logs, LogLevel::Warn, message);
                self.core.mailbox().requeue(work);
                self.core.mailbox().with_direct(|direct| direct.expire(&id));
            }
        }
    }

    fn requeue_hooks(&mut self, is_affected: impl Fn(&InvocationId) -> bool) {
        let hooks = self
            .running
            .extract_if(|id, running| is_affected(id) && matches!(running, Running::Hook(..)));
        let hooks: Vec<Running> = hooks.map(|(_, running)| running).collect();
        for running in hooks {
            if let Running::Hook(hook, reply) = running {
                self.requeue_hook(hook, reply);
            }
        }
    }

    fn requeue_hook(&mut self, hook: Hook, reply: HookReply) {
        if let Some(operation) = &mut self.operation {
            operation.hooks.push((hook, reply));
        }
    }

    fn log_retry(
        &mut self,
        id: InvocationId,
        logs: Vec<LogLine>,
        level: LogLevel,
        message: String,
    ) {
        self.core.infra().metrics.invocation_retries.inc();
        let line = LogLine {
            ts: self.core.now_ms(),
            kind: "system".to_owned(),
            level,
            message,
        };
        let lines = logs.into_iter().chain([line]);
        self.extras.logs.extend(lines.map(|line| (Some(id), line)));
    }

    /// Retries an invocation whose process died. After the last attempt it counts as having thrown.
    fn process_died(&mut self, Unfinished { id, logs }: Unfinished, reason: &str) {
        let now_ms = self.core.now_ms();
        let max = self.core.infra().settings.max_attempts;
        match self.running.remove(&id) {
            None => {}
            Some(Running::Hook(hook, reply)) => {
                let _ = reply.send(Err(hooks::died(hook, &logs, reason, now_ms)));
            }
            Some(Running::Work(mut work)) => {
                work.attempts += 1;
                let attempts = work.attempts;
                if attempts >= max {
                    let logs = logs.into_iter();
                    self.extras.logs.extend(logs.map(|line| (Some(id), line)));
                    self.running.insert(id, Running::Work(work));
                    let message = format!(
                        "the component process died: {reason} (attempt {attempts} of {max})"
                    );
                    self.fail(id, PROCESS_DIED, message);
                    return;
                }
                let message = format!(
                    "the component process died: {reason}; the invocation runs again (attempt {} of {max})",
                    attempts + 1
                );
                self.log_retry(id, logs, LogLevel::Error, message);
                self.extras.attempts.push(id);
                self.core.mailbox().requeue(work);
                // It is stored at once: whether it ends soon is doubtful now.
                self.core.mailbox().with_direct(|direct| direct.expire(&id));
            }
        }
    }
}
