//! The owner of a source: the loop that takes work in, runs it, and commits what came of it.
//!
//! It alone writes the source's state. One commit is under way at a time and takes everything that ended
//! while the one before it was; so commits keep the order in which invocations ended.

use std::{collections::HashMap, future, path::Path, sync::Arc, time::Duration};

use sluice_model::{Hook, IdGen, InvocationId};
use sluice_runtime::{
    Call, Failure, Invocation, LoadError, LogLevel, LogLine, Outcome, Process, ProcessEvent,
    ProcessEvents, ProcessSpec, Unfinished,
};
use sluice_store::{
    StoreError,
    inbox::{self, Room, Waiting},
};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot},
    task::{JoinHandle, JoinSet},
    time::Instant,
};

use super::{
    Change, Definition, Gate, HookError, SourceHandle,
    bindings::bindings,
    commit::{Batch, BatchBuilder, Finished, Trigger},
    definition::Memory,
    engagement::Control,
    hooks,
    uploads::{self, PLACEHOLDER, PlaceError},
};
use crate::{
    context::Context,
    error::EngineError,
    mailbox::{NoReply, Refill, Work},
    metrics::ResultLabel,
};

const REFILL_ROWS: usize = 256;
const REFILL_BYTES: u64 = 8 * 1024 * 1024;
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Rows stored since the last look at retention that make another look worth it.
const PRUNE_EVERY: u64 = 500;

pub(crate) struct Actor {
    context: Arc<Context>,
    handle: Arc<SourceHandle>,
    controls: mpsc::UnboundedReceiver<Control>,
    definition: Definition,
    memory: Memory,
    ids: IdGen,
    process: Option<Live>,
    starting: Option<JoinHandle<Result<Live, LoadError>>>,
    /// After a failed start, not before this.
    start_after: Option<Instant>,
    start_pause: Duration,
    running: HashMap<InvocationId, Running>,
    placing: JoinSet<Result<Work, (Work, PlaceError)>>,
    refilling: Option<JoinHandle<Option<(Refill, Waiting)>>>,
    finished: Vec<Finished>,
    stray: Vec<(Option<InvocationId>, LogLine)>,
    attempts: Vec<InvocationId>,
    commit: Option<JoinHandle<Arc<Batch>>>,
    uncommitted: usize,
    engaged: Option<Operation>,
    idle_since: Option<Instant>,
    since_prune: u64,
    leaving: bool,
}

struct Live {
    process: Process,
    events: ProcessEvents,
    _slot: OwnedSemaphorePermit,
}

enum Running {
    Work(Work),
    Hook(Hook, oneshot::Sender<Result<(), HookError>>),
}

impl Running {
    fn is_suspect(&self) -> bool {
        matches!(self, Running::Work(work) if work.is_suspect())
    }
}

/// A lifecycle operation under way.
struct Operation {
    gate: Gate,
    quiet: Option<oneshot::Sender<()>>,
    hooks: Vec<(Hook, oneshot::Sender<Result<(), HookError>>)>,
    held: Vec<Finished>,
}

impl Actor {
    pub(crate) async fn run(context: Arc<Context>, handle: Arc<SourceHandle>, controls: mpsc::UnboundedReceiver<Control>) {
        let Some((definition, memory)) = load(&context, &handle).await else {
            handle.mailbox.close();
            context.owners.release(&handle);
            return;
        };
        context.metrics.live_sources.inc();
        let actor = Actor {
            ids: IdGen::new(context.random_seed()),
            controls,
            definition,
            memory,
            process: None,
            starting: None,
            start_after: None,
            start_pause: FIRST_PAUSE,
            running: HashMap::new(),
            placing: JoinSet::new(),
            refilling: None,
            finished: Vec::new(),
            stray: Vec::new(),
            attempts: Vec::new(),
            commit: None,
            uncommitted: 0,
            engaged: None,
            idle_since: None,
            since_prune: 0,
            leaving: false,
            handle: Arc::clone(&handle),
            context: Arc::clone(&context),
        };
        actor.live().await;
        context.slots.not_idle(&handle);
        context.owners.release(&handle);
        context.metrics.live_sources.dec();
    }

    async fn live(mut self) {
        while !self.may_leave() {
            self.advance();
            let draining = self.context.draining.is_cancelled();
            let idle_at = self.idle_since.map(|since| since + self.context.settings.idle_timeout);
            tokio::select! {
                Some(control) = self.controls.recv() => self.obey(control).await,
                batch = next_events(&mut self.process) => self.heard(batch),
                batch = settled(&mut self.commit) => self.committed(batch),
                started = settled(&mut self.starting) => self.started(started),
                read = settled(&mut self.refilling) => self.refilled(read.flatten()),
                Some(placed) = self.placing.join_next(), if !self.placing.is_empty() => self.placed(placed.ok()),
                () = self.handle.mailbox.changed.notified() => {}
                () = sleep_until(self.start_after), if self.start_after.is_some() => self.start_after = None,
                () = sleep_until(idle_at), if idle_at.is_some() => self.stop_idle_process(),
                () = self.context.draining.cancelled(), if !draining => {}
            }
        }
        self.handle.mailbox.close();
    }

    /// Starts whatever can be started now.
    fn advance(&mut self) {
        self.commit_finished();
        self.run_hooks();
        self.refill();
        self.dispatch();
        self.ensure_process();
        self.answer_quiet();
        self.note_idleness();
    }

    fn is_open(&self) -> bool {
        let gate = self.engaged.as_ref().map_or(Gate::Open, |operation| operation.gate);
        self.definition.source.active && gate == Gate::Open && !self.context.draining.is_cancelled()
    }

    fn is_quiet(&self) -> bool {
        self.running.is_empty() && self.placing.is_empty() && self.finished.is_empty() && self.stray.is_empty() && self.attempts.is_empty() && self.commit.is_none()
    }

    fn has_waiting_hooks(&self) -> bool {
        self.engaged.as_ref().is_some_and(|operation| !operation.hooks.is_empty())
    }

    /// A source without work, process or operation needs no owner; one that is drained needs none either.
    fn may_leave(&mut self) -> bool {
        if self.leaving {
            return true;
        }
        if !self.is_quiet() || self.engaged.is_some() {
            return false;
        }
        if self.context.draining.is_cancelled() {
            return true;
        }
        if self.process.is_some() || self.starting.is_some() || self.refilling.is_some() || !self.controls.is_empty() {
            return false;
        }
        // The work of an inactive source stays in the store until it is active again.
        let parked = !self.definition.source.active;
        parked || self.handle.mailbox.close_if_unused()
    }

    // ── taking work in ────────────────────────────────────────────────────────────────────────────

    fn refill(&mut self) {
        if self.refilling.is_some() || !self.is_open() {
            return;
        }
        let Some(refill) = self.handle.mailbox.wants_refill() else {
            return;
        };
        let store = self.context.store.clone();
        let source = self.handle.id.clone();
        self.refilling = Some(tokio::spawn(async move {
            let read = store
                .read(move |c| {
                    let room = Room { known: &refill.known, rows: REFILL_ROWS, bytes: REFILL_BYTES };
                    let waiting = inbox::waiting(c, &source, &room)?;
                    Ok((refill, waiting))
                })
                .await;
            if let Err(error) = &read {
                tracing::warn!(%error, "an inbox could not be read; trying again");
                tokio::time::sleep(FIRST_PAUSE).await;
            }
            read.ok()
        }));
    }

    fn refilled(&mut self, read: Option<(Refill, Waiting)>) {
        if let Some((refill, Waiting { items, complete })) = read {
            let page = items.into_iter().map(Work::from).collect();
            self.handle.mailbox.refill(&refill, page, complete);
        }
    }

    fn dispatch(&mut self) {
        let Some(live) = &self.process else { return };
        if !self.is_open() {
            return;
        }
        let most = self.context.settings.source_concurrency;
        let mut alone = self.running.values().any(Running::is_suspect);
        let mut ready = Vec::new();
        while !alone && self.running.len() < most && self.uncommitted + self.finished.len() < 4 * most {
            let idle = self.running.is_empty();
            let Some(work) = self.handle.mailbox.pop_if(|work| idle || !work.is_suspect()) else { break };
            alone = work.is_suspect();
            if work.event.contains(PLACEHOLDER) {
                let folder: Arc<Path> = Arc::from(live.process.tmp());
                self.placing.spawn(uploads::place(self.context.store.clone(), self.handle.id.clone(), work.clone(), folder));
            } else {
                ready.push(self.context.invocation(&work));
            }
            self.running.insert(work.id, Running::Work(work));
        }
        if !ready.is_empty() {
            live.process.invoke(&ready);
        }
    }

    fn placed(&mut self, placed: Option<Result<Work, (Work, PlaceError)>>) {
        match (placed, &self.process) {
            (Some(Ok(work)), Some(live)) => live.process.invoke(&[self.context.invocation(&work)]),
            // Without a process it goes back and is placed again for the next one.
            (Some(Ok(work) | Err((work, PlaceError::Store(_)))), _) => self.give_back(work.id),
            (Some(Err((work, error @ PlaceError::Disk(_)))), _) => {
                let outcome = failed_outcome("UploadFailed", error.to_string());
                self.ended(work.id, outcome);
            }
            (None, _) => {}
        }
    }

    fn give_back(&mut self, id: InvocationId) {
        if let Some(Running::Work(work)) = self.running.remove(&id) {
            self.handle.mailbox.return_to_front(work);
        }
    }

    // ── the process ───────────────────────────────────────────────────────────────────────────────

    fn ensure_process(&mut self) {
        if self.process.is_some() || self.starting.is_some() || self.start_after.is_some() {
            return;
        }
        let wanted = self.has_waiting_hooks() || (self.is_open() && self.handle.mailbox.has_queued());
        if !wanted {
            return;
        }
        let spec = ProcessSpec {
            source: Some(self.handle.id.clone()),
            code: Arc::clone(&self.definition.code),
            format: self.definition.shape.format,
            props: bindings(&self.definition, &self.context.settings),
            stored: self.memory.stored.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        };
        let context = Arc::clone(&self.context);
        self.starting = Some(tokio::spawn(async move {
            let slot = context.slots.acquire().await;
            context.metrics.process_starts.inc();
            let (process, events) = context.runtime.start(&spec).await?;
            Ok(Live { process, events, _slot: slot })
        }));
    }

    fn started(&mut self, started: Option<Result<Live, LoadError>>) {
        match started {
            Some(Ok(live)) => {
                self.start_pause = FIRST_PAUSE;
                self.context.metrics.processes.inc();
                self.process = Some(live);
            }
            Some(Err(LoadError::Code(faults))) => {
                let reason = faults.first().map_or_else(String::new, |fault| fault.message.clone());
                self.could_not_load(&format!("it did not load: {reason}"));
            }
            Some(Err(LoadError::Start(reason))) => {
                tracing::error!(source = %self.handle.id, reason, "a component process could not be started; trying again");
                self.pause_starts();
            }
            None => self.pause_starts(),
        }
    }

    fn pause_starts(&mut self) {
        self.start_after = Some(Instant::now() + self.start_pause);
        self.start_pause = (self.start_pause * 2).min(LONGEST_PAUSE);
    }

    /// Code that loaded when it was saved and does not now: a hook fails at once, work is tried again.
    fn could_not_load(&mut self, reason: &str) {
        self.pause_starts();
        let now = self.context.clock.now_ms();
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
            self.died(Unfinished { id, logs: Vec::new() }, reason);
        }
    }

    fn stop_process(&mut self) {
        if self.process.take().is_some() {
            self.context.metrics.processes.dec();
        }
        self.context.slots.not_idle(&self.handle);
    }

    fn stop_idle_process(&mut self) {
        if self.is_quiet() && self.engaged.is_none() {
            self.stop_process();
            self.idle_since = None;
        }
    }

    fn note_idleness(&mut self) {
        let idle = self.process.is_some() && self.is_quiet() && self.engaged.is_none();
        match (idle, self.idle_since) {
            (true, None) => {
                self.idle_since = Some(Instant::now());
                self.context.slots.idle(&self.handle);
            }
            (false, Some(_)) => {
                self.idle_since = None;
                self.context.slots.not_idle(&self.handle);
            }
            _ => {}
        }
    }

    fn heard(&mut self, batch: Option<Vec<ProcessEvent>>) {
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
                ProcessEvent::Stray(line) => self.stray.push((None, line)),
                ProcessEvent::Exited { reason, unfinished } => self.exited(&reason, unfinished),
            }
        }
    }

    fn ended(&mut self, id: InvocationId, outcome: Outcome) {
        for (key, value) in &outcome.writes {
            match value {
                Some(json) => self.memory.stored.insert(key.clone(), json.clone()),
                None => self.memory.stored.remove(key),
            };
        }
        self.context.metrics.invocation_seconds.observe(outcome.duration.as_secs_f64());
        match self.running.remove(&id) {
            Some(Running::Work(work)) => {
                if let Some(sender) = self.handle.mailbox.take_reply(&id) {
                    let _ = sender.send(Err(no_reply(&outcome)));
                }
                self.finished.push(Finished { id, trigger: Trigger::Inbox(work), outcome });
            }
            Some(Running::Hook(hook, reply)) => {
                let verdict = hooks::failed(hook, &outcome).map_or(Ok(()), Err);
                if let Some(operation) = &mut self.engaged {
                    operation.held.push(Finished { id, trigger: Trigger::Hook, outcome });
                }
                let _ = reply.send(verdict);
            }
            None => {}
        }
    }

    fn exited(&mut self, reason: &str, unfinished: Vec<Unfinished>) {
        self.stop_process();
        // What was being placed for it is placed again for the next one.
        self.placing.abort_all();
        self.placing = JoinSet::new();
        let mut casualties: Vec<Unfinished> = unfinished;
        casualties.sort_by_key(|one| std::cmp::Reverse(one.id));
        if !casualties.is_empty() {
            tracing::info!(source = %self.handle.id, reason, unfinished = casualties.len(), "a component process died");
        }
        for one in casualties {
            self.died(one, reason);
        }
        // What is left was never sent.
        let unsent: Vec<InvocationId> = self.running.keys().copied().collect();
        for id in unsent {
            self.give_back(id);
        }
        // An idle process that dies is replaced when there is work; nothing was lost with it.
    }

    /// An invocation whose process died under it runs again, up to a limit, and then counts as having thrown.
    fn died(&mut self, Unfinished { id, logs }: Unfinished, reason: &str) {
        let now = self.context.clock.now_ms();
        match self.running.remove(&id) {
            Some(Running::Hook(hook, reply)) => {
                let _ = reply.send(Err(hooks::died(hook, &logs, reason, now)));
            }
            Some(Running::Work(mut work)) => {
                work.attempts += 1;
                let most = self.context.settings.max_attempts;
                if work.attempts >= most {
                    let mut outcome = failed_outcome("ProcessDied", format!("the component process died: {reason} (attempt {} of {most})", work.attempts));
                    outcome.logs = logs;
                    self.running.insert(id, Running::Work(work));
                    self.ended(id, outcome);
                    return;
                }
                self.context.metrics.invocation_retries.inc();
                self.stray.extend(logs.into_iter().map(|line| (Some(id), line)));
                let message = format!("the component process died: {reason}; the invocation runs again (attempt {} of {most})", work.attempts + 1);
                self.stray.push((Some(id), LogLine { ts: now, kind: "system".to_owned(), level: LogLevel::Error, message }));
                self.attempts.push(id);
                self.handle.mailbox.return_to_front(work);
            }
            None => {}
        }
    }

    // ── lifecycle operations ──────────────────────────────────────────────────────────────────────

    async fn obey(&mut self, control: Control) {
        match control {
            Control::Begin(reply) => {
                let _ = reply.send(());
                self.engaged = Some(Operation { gate: Gate::Open, quiet: None, hooks: Vec::new(), held: Vec::new() });
            }
            Control::SetGate(gate, reply) => {
                if let Some(operation) = &mut self.engaged {
                    operation.gate = gate;
                    operation.quiet = Some(reply);
                }
            }
            Control::RunHook(hook, reply) => {
                if let Some(operation) = &mut self.engaged {
                    operation.hooks.push((hook, reply));
                }
            }
            Control::Swap(definition) => {
                self.stop_process();
                self.start_after = None;
                self.definition = *definition;
            }
            Control::Conclude(definition, change, reply) => {
                let result = self.conclude(definition, change).await;
                let _ = reply.send(result);
            }
            Control::Discard => self.discard().await,
            Control::Leave => {
                self.engaged = None;
                self.stop_process();
                self.leaving = true;
            }
            Control::Evict => self.stop_idle_process(),
        }
    }

    fn run_hooks(&mut self) {
        let (Some(live), Some(operation)) = (&self.process, &mut self.engaged) else {
            return;
        };
        for (hook, reply) in operation.hooks.drain(..) {
            let id = InvocationId::generate(&mut self.ids, self.context.clock.now_ms());
            let invocation = Invocation {
                id,
                call: Call::Hook(hook),
                event: Arc::from("null"),
                timeout: self.context.settings.invocation_timeout,
            };
            self.running.insert(id, Running::Hook(hook, reply));
            live.process.invoke(&[invocation]);
        }
    }

    fn answer_quiet(&mut self) {
        let quiet = self.is_quiet();
        if let Some(operation) = &mut self.engaged
            && (operation.gate == Gate::Open || quiet)
            && let Some(reply) = operation.quiet.take()
        {
            let _ = reply.send(());
        }
    }

    async fn conclude(&mut self, definition: Option<Box<Definition>>, change: Change) -> Result<(), EngineError> {
        let held = self.engaged.take().map(|operation| operation.held).unwrap_or_default();
        if let Some(commit) = self.commit.take() {
            let batch = commit.await.ok();
            self.committed(batch);
        }
        if let Some(definition) = definition {
            self.definition = *definition;
        }
        let batch = self.builder().build(held, Vec::new(), Vec::new());
        let store = self.context.store.clone();
        let (events, usage) = (batch.user_events(), batch.usage());
        let result = store
            .write(move |c| {
                change(c)?;
                batch.apply(c)
            })
            .await;
        match result {
            Ok(()) => {
                self.context.metrics.events.inc_by(events);
                self.context.quotas.used(&self.definition.source.user_id, usage);
                // What waits for an inactive source is found in the store by whoever owns it next.
                self.leaving = !self.definition.source.active;
                Ok(())
            }
            Err(error) => {
                self.reload().await;
                Err(error.into())
            }
        }
    }

    /// Forgets what an operation did: the source is again what the store says.
    async fn discard(&mut self) {
        self.engaged = None;
        self.reload().await;
    }

    async fn reload(&mut self) {
        // Running invocations belong to code or state that is given up: they run again on the old ones.
        self.stop_process();
        let unsent: Vec<InvocationId> = self.running.keys().copied().collect();
        for id in unsent {
            self.give_back(id);
        }
        self.running.clear();
        if let Some(commit) = self.commit.take() {
            let batch = commit.await.ok();
            self.committed(batch);
        }
        let finished = std::mem::take(&mut self.finished);
        for one in finished {
            if let Trigger::Inbox(work) = one.trigger {
                self.handle.mailbox.return_to_front(work);
            }
        }
        match load(&self.context, &self.handle).await {
            Some((definition, memory)) => {
                self.definition = definition;
                self.memory = memory;
            }
            None => self.leaving = true,
        }
    }

    // ── committing ────────────────────────────────────────────────────────────────────────────────

    fn builder(&mut self) -> BatchBuilder<'_> {
        BatchBuilder {
            definition: &self.definition,
            memory: &mut self.memory,
            ids: &mut self.ids,
            now_ms: self.context.clock.now_ms(),
        }
    }

    fn commit_finished(&mut self) {
        if self.commit.is_some() {
            return;
        }
        let finished = std::mem::take(&mut self.finished);
        let stray = std::mem::take(&mut self.stray);
        let attempts = std::mem::take(&mut self.attempts);
        if finished.is_empty() && stray.is_empty() && attempts.is_empty() {
            return;
        }
        self.uncommitted = finished.len();
        let batch = self.builder().build(finished, stray, attempts);
        self.commit = Some(tokio::spawn(commit(Arc::clone(&self.context), batch)));
    }

    fn committed(&mut self, batch: Option<Arc<Batch>>) {
        self.uncommitted = 0;
        let Some(batch) = batch else { return };
        for id in &batch.done {
            self.handle.mailbox.done(id);
        }
        let metrics = &self.context.metrics;
        metrics.invocations.get_or_create(&ResultLabel { result: "error" }).inc_by(batch.failed);
        metrics.invocations.get_or_create(&ResultLabel { result: "ok" }).inc_by(batch.invocations().saturating_sub(batch.failed));
        metrics.events.inc_by(batch.user_events());
        metrics.duplicates.inc_by(batch.duplicates);
        self.context.quotas.used(&self.definition.source.user_id, batch.usage());
        if let Some(due) = batch.earliest_due() {
            self.context.timers_changed(due);
        }
        self.since_prune += batch.rows();
        if self.since_prune >= PRUNE_EVERY {
            self.since_prune = 0;
            self.context.prune(self.handle.id.clone());
        }
    }
}

/// Writes a batch, however long the store is unavailable: what ran once must not run again for want of space.
async fn commit(context: Arc<Context>, batch: Batch) -> Arc<Batch> {
    let mut batch = Arc::new(batch);
    let mut pause = FIRST_PAUSE;
    let mut unsure = false;
    loop {
        let rows = Arc::clone(&batch);
        let result = context.store.write(move |c| rows.apply(c)).await;
        let commits = &context.metrics.commits;
        match result {
            Ok(()) => {
                commits.get_or_create(&ResultLabel { result: "ok" }).inc();
                break;
            }
            Err(error) => {
                commits.get_or_create(&ResultLabel { result: "error" }).inc();
                if unsure && matches!(error, StoreError::Conflict(_)) {
                    break; // Event ids are this source's alone: the attempt before was kept after all.
                }
                unsure = error.is_retryable();
                if unsure {
                    tracing::warn!(%error, "a commit failed; trying again");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                } else {
                    tracing::error!(%error, "an outcome cannot be stored and is given up");
                    batch = match Arc::try_unwrap(batch) {
                        Ok(batch) => Arc::new(batch.without_effects(&error.to_string(), context.clock.now_ms())),
                        Err(batch) => batch,
                    };
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
    batch
}

async fn load(context: &Context, handle: &SourceHandle) -> Option<(Definition, Memory)> {
    let mut pause = FIRST_PAUSE;
    loop {
        let id = handle.id.clone();
        let loaded = context
            .store
            .read(move |c| {
                let definition = Definition::load(c, &id)?;
                let memory = Memory::load(c, &id)?;
                Ok(definition.map(|definition| (definition, memory)))
            })
            .await;
        match loaded {
            Ok(loaded) => return loaded,
            Err(error) => {
                tracing::warn!(source = %handle.id, %error, "a source could not be read; trying again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                if context.draining.is_cancelled() {
                    return None;
                }
            }
        }
    }
}

fn failed_outcome(name: &str, message: String) -> Outcome {
    Outcome {
        failure: Some(Failure { name: name.to_owned(), message, stack: String::new(), code: None }),
        ..Outcome::default()
    }
}

fn no_reply(outcome: &Outcome) -> NoReply {
    match &outcome.failure {
        Some(failure) if failure.name == "Timeout" => NoReply::TimedOut,
        Some(failure) => NoReply::EndedWithoutRespond(format!("the source failed before it called respond: {}: {}", failure.name, failure.message)),
        None => NoReply::EndedWithoutRespond("the source ended without calling respond".to_owned()),
    }
}

async fn next_events(process: &mut Option<Live>) -> Option<Vec<ProcessEvent>> {
    match process {
        Some(live) => live.events.recv().await,
        None => future::pending().await,
    }
}

/// The result of a task once it is there; a task that panicked gives `None`.
async fn settled<T>(slot: &mut Option<JoinHandle<T>>) -> Option<T> {
    match slot {
        Some(task) => {
            let result = task.await.ok();
            *slot = None;
            result
        }
        None => future::pending().await,
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => future::pending().await,
    }
}
