//! The owner of a source: the loop that takes work in, runs it, and commits what came of it.
//!
//! It alone writes the source's state. One commit is under way at a time and takes everything that ended
//! while the one before it was; so commits keep the order in which invocations ended.

mod authorization;
mod committing;
mod intake;
mod operation;
mod process;
mod rest;
mod unreadable;

use std::{collections::HashMap, future, sync::Arc, time::Duration};

use sluice_model::{Hook, IdGen, InvocationId};
use sluice_runtime::{LoadError, LogLine, Process, ProcessEvent, ProcessEvents};
use sluice_store::Conn;
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot, watch},
    task::{JoinHandle, JoinSet},
    time::Instant,
};

use super::{
    Definition, Gate, HookError, SourceHandle, asks::Asks, batch::Batch, commit::Finished,
    definition::Memory, engagement::Control, uploads::PlaceError,
};
use crate::{
    accounts::Grants,
    context::Context,
    mailbox::Work,
    owners::Owner,
    owning::{self, Committed, FIRST_PAUSE, InboxPage, settled, sleep_until},
    retention::Retention,
};

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
    /// Its user has used up the day: nothing runs before this.
    rest_until: Option<Instant>,
    running: HashMap<InvocationId, Running>,
    /// Finding out what the process's accounts are good for.
    authorizing: Option<JoinHandle<()>>,
    placing: JoinSet<Result<Work, (Work, PlaceError)>>,
    refilling: Option<JoinHandle<Option<InboxPage>>>,
    finished: Vec<Finished>,
    stray: Vec<(Option<InvocationId>, LogLine)>,
    attempts: Vec<InvocationId>,
    /// Held events whose time has come.
    due_events: Vec<Work>,
    /// The deepest work that the process has had.
    deepest: u32,
    commit: Option<JoinHandle<Committed<Batch>>>,
    uncommitted: usize,
    /// Whether the store refuses the commit that is under way, so that it is tried again and again.
    stalled: watch::Sender<bool>,
    engaged: Option<Operation>,
    idle_since: Option<Instant>,
    retention: Retention,
    leaving: bool,
}

struct Live {
    process: Process,
    events: ProcessEvents,
    asks: Asks,
    slot: OwnedSemaphorePermit,
    grants: Grants,
}

impl Live {
    /// Its place is free when the process is gone, not when it is told to go.
    async fn end(self) {
        let Live {
            process,
            mut events,
            asks,
            slot,
            grants: _,
        } = self;
        drop((process, asks));
        while events.recv().await.is_some() {}
        drop(slot);
    }
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
    /// Whether it has run a hook or swapped the code.
    changed: bool,
}

impl Actor {
    pub(crate) async fn run(
        context: Arc<Context>,
        handle: Arc<SourceHandle>,
        controls: mpsc::UnboundedReceiver<Control>,
    ) {
        let Some((definition, memory)) = load(&context, &handle).await else {
            handle.mailbox.close();
            context.owners.release(&Owner::Source(handle));
            return;
        };
        context.infra.metrics.live_sources.inc();
        let actor = Actor {
            ids: IdGen::new(rand::random()),
            controls,
            definition,
            memory,
            process: None,
            starting: None,
            start_after: None,
            start_pause: FIRST_PAUSE,
            rest_until: None,
            running: HashMap::new(),
            authorizing: None,
            placing: JoinSet::new(),
            refilling: None,
            finished: Vec::new(),
            stray: Vec::new(),
            attempts: Vec::new(),
            due_events: Vec::new(),
            deepest: 0,
            commit: None,
            uncommitted: 0,
            stalled: watch::Sender::new(false),
            engaged: None,
            idle_since: None,
            retention: Retention::default(),
            leaving: false,
            handle: Arc::clone(&handle),
            context: Arc::clone(&context),
        };
        actor.live().await;
        context.slots.not_idle(&handle.id);
        context.owners.release(&Owner::Source(handle));
        context.infra.metrics.live_sources.dec();
    }

    async fn live(mut self) {
        while !self.may_leave() {
            self.advance();
            let draining = self.context.infra.shutdown.is_draining();
            let idle_at = self
                .idle_since
                .map(|since| since + self.context.infra.settings.idle_timeout);
            tokio::select! {
                Some(control) = self.controls.recv() => self.obey(control).await,
                batch = next_events(&mut self.process) => self.heard(batch),
                batch = settled(&mut self.commit) => self.committed(batch),
                () = stall(&self.stalled), if self.awaits_quiet() => self.refuse_quiet(),
                started = settled(&mut self.starting) => self.started(started),
                _ = settled(&mut self.authorizing) => {}
                read = settled(&mut self.refilling) => self.refilled(read.flatten()),
                Some(placed) = self.placing.join_next(), if !self.placing.is_empty() => self.placed(placed.ok()),
                () = self.handle.mailbox.changed.notified() => {}
                () = sleep_until(self.start_after), if self.start_after.is_some() => self.start_after = None,
                () = sleep_until(self.rest_until), if self.rest_until.is_some() => self.rest_until = None,
                () = sleep_until(idle_at), if idle_at.is_some() => self.stop_idle_process(),
                () = self.context.infra.shutdown.draining(), if !draining => {}
            }
        }
        self.handle.mailbox.close();
    }

    /// Starts whatever can be started now.
    fn advance(&mut self) {
        self.rest_over_quota();
        self.take_due_events();
        self.commit_finished();
        self.run_hooks();
        self.dispatch();
        // After dispatch, which may have emptied the queue: nothing else need happen soon.
        self.refill();
        self.ensure_process();
        self.answer_quiet();
        self.note_idleness();
    }

    fn is_open(&self) -> bool {
        let gate = self
            .engaged
            .as_ref()
            .map_or(Gate::Open, |operation| operation.gate);
        self.definition.source.active
            && gate == Gate::Open
            && self.rest_until.is_none()
            && !self.context.infra.shutdown.is_draining()
    }

    fn is_quiet(&self) -> bool {
        self.running.is_empty()
            && self.placing.is_empty()
            && self.finished.is_empty()
            && self.stray.is_empty()
            && self.attempts.is_empty()
            && self.due_events.is_empty()
            && self.commit.is_none()
    }

    fn has_waiting_hooks(&self) -> bool {
        self.engaged
            .as_ref()
            .is_some_and(|operation| !operation.hooks.is_empty())
    }

    /// A source without work, process or operation needs no owner; one that is drained needs none either.
    fn may_leave(&mut self) -> bool {
        if self.leaving {
            return true;
        }
        if !self.is_quiet() || self.engaged.is_some() {
            return false;
        }
        if self.context.infra.shutdown.is_draining() {
            return true;
        }
        if self.process.is_some()
            || self.starting.is_some()
            || self.refilling.is_some()
            || !self.controls.is_empty()
        {
            return false;
        }
        // The work of an inactive source stays in the store until it is active again.
        let parked = !self.definition.source.active;
        parked || self.handle.mailbox.close_if_unused()
    }
}

async fn load(context: &Context, handle: &SourceHandle) -> Option<(Definition, Memory)> {
    let id = handle.id.clone();
    let read = move |c: &mut dyn Conn| {
        let definition = Definition::load(c, &id)?;
        let memory = Memory::load(c, &id)?;
        Ok(definition.map(|definition| (definition, memory)))
    };
    owning::load(context, &handle.id, read).await
}

async fn next_events(process: &mut Option<Live>) -> Option<Vec<ProcessEvent>> {
    match process {
        Some(live) => live.events.recv().await,
        None => future::pending().await,
    }
}

/// Waits until a commit fails and has to be tried again.
async fn stall(stalled: &watch::Sender<bool>) {
    let _ = stalled.subscribe().wait_for(|stalled| *stalled).await;
}
