//! The owner of a workflow: the loop that takes events in, takes each through the steps, and commits what came of every
//! step before the next one begins.
//!
//! One commit is under way at a time and takes everything that ended while the one before it was.

mod authorization;
mod committing;
mod idleness;
mod intake;
mod overflow;
mod process;
mod reports;
mod stepping;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use sluice_model::{DeploymentId, EventId, IdGen, InvocationId, TimerSpec, WorkflowId};
use sluice_store::{
    Conn, StoreError,
    inbox::InboxItem,
    kv, runs, state, timers,
    workflows::{self, Workflow},
};
use tokio::{
    sync::mpsc,
    task::{JoinHandle, JoinSet},
    time::Instant,
};

use self::{
    intake::Loaded,
    process::{Host, Report},
    stepping::{Active, Placed},
};
use super::{
    WorkflowHandle,
    batch::{Batch, Change},
    handle::Control,
    throttle::Window,
    version::Version,
};
use crate::{
    context::Context,
    owners::Owner,
    owning::{Committed, FIRST_PAUSE, InboxPage, load, settled, sleep_until},
    retention::Retention,
    source::Stored,
};

/// Reports of processes that wait to be read.
const REPORTS: usize = 64;

pub(crate) struct Actor {
    context: Arc<Context>,
    handle: Arc<WorkflowHandle>,
    controls: mpsc::UnboundedReceiver<Control>,
    workflow: Workflow,
    /// The version that new runs take.
    current: Arc<Version>,
    timers: BTreeMap<String, TimerSpec>,
    stored: Stored,
    last_event: Option<EventId>,
    ids: IdGen,
    /// One for each version that has runs under way or was the last to have some.
    hosts: HashMap<DeploymentId, Host>,
    generation: u64,
    reports: (mpsc::Sender<Report>, mpsc::Receiver<Report>),
    /// Runs under way, by id.
    runs: HashMap<InvocationId, Active>,
    /// Which run an invocation is a step of.
    steps: HashMap<InvocationId, InvocationId>,
    /// Runs that a crash interrupted. Their rows come out of the mailbox too, maybe when they are over already.
    interrupted: BTreeSet<InvocationId>,
    /// Runs that go on: those that were interrupted, and those that somebody or their time has woken.
    continued: VecDeque<InvocationId>,
    loading: JoinSet<Loaded>,
    /// Those that are being loaded.
    awaited: BTreeSet<InvocationId>,
    placing: JoinSet<Placed>,
    authorizing: JoinSet<()>,
    refilling: Option<JoinHandle<Option<InboxPage>>>,
    overflow: Option<JoinHandle<Vec<InboxItem>>>,
    window: Window,
    /// The throttle or the quota holds runs back until then.
    rest_until: Option<Instant>,
    changes: Vec<Change>,
    attempts: Vec<InvocationId>,
    writes: BTreeMap<String, Option<Box<serde_json::value::RawValue>>>,
    compute_ms: u64,
    begun: u64,
    commit: Option<JoinHandle<Committed<Batch>>>,
    /// That runs began is not stored before this, unless something else is.
    commit_after: Option<Instant>,
    retention: Retention,
    /// Whether others may ask for its processes.
    is_listed_idle: bool,
    leaving: bool,
}

/// What an owner needs to know of its workflow when it starts, or when that has changed.
struct Known {
    workflow: Workflow,
    current: Version,
    timers: BTreeMap<String, TimerSpec>,
}

impl Known {
    fn load(c: &mut dyn Conn, id: &WorkflowId) -> Result<Option<Known>, StoreError> {
        let Some(workflow) = workflows::get_for_run(c, id)? else {
            return Ok(None);
        };
        let current = Version::load(c, id, &workflow.deployment_id)?
            .ok_or_else(|| StoreError::Corrupt(format!("{id} has no deployment")))?;
        let timers = timers::of_emitter(c, id)?
            .into_iter()
            .map(|timer| (timer.prop, timer.spec))
            .collect();
        Ok(Some(Known {
            workflow,
            current,
            timers,
        }))
    }
}

/// What else it remembers.
struct Memory {
    stored: Stored,
    last_event: Option<EventId>,
    interrupted: BTreeSet<InvocationId>,
    window: Window,
}

impl Memory {
    fn load(c: &mut dyn Conn, known: &Known, now_ms: i64) -> Result<Memory, StoreError> {
        let id = &known.workflow.id;
        let window = match known.current.definition.settings.throttle {
            None => Window::default(),
            Some(throttle) => {
                let since = Window::start_of(throttle, now_ms);
                Window::resumed(since, runs::started_since(c, id, since)?)
            }
        };
        Ok(Memory {
            stored: Stored::load(kv::load_all(c, id)?, id)?,
            last_event: state::load(c, id)?.last_event,
            interrupted: runs::running(c, id)?.into_iter().collect(),
            window,
        })
    }
}

impl Actor {
    pub(crate) async fn run(
        context: Arc<Context>,
        handle: Arc<WorkflowHandle>,
        controls: mpsc::UnboundedReceiver<Control>,
    ) {
        let (id, clock) = (handle.id.clone(), Arc::clone(&context.infra.clock));
        let read = move |c: &mut dyn Conn| {
            let Some(known) = Known::load(c, &id)? else {
                return Ok(None);
            };
            let memory = Memory::load(c, &known, clock.now_ms())?;
            Ok(Some((known, memory)))
        };
        let Some((known, memory)) = load(&context, &handle.id, read).await else {
            handle.mailbox.close();
            context.owners.release(&Owner::Workflow(handle));
            return;
        };
        let Known {
            workflow,
            current,
            timers,
        } = known;
        let Memory {
            stored,
            last_event,
            interrupted,
            window,
        } = memory;
        let actor = Actor {
            controls,
            workflow,
            current: Arc::new(current),
            timers,
            stored,
            last_event,
            ids: IdGen::new(rand::random()),
            hosts: HashMap::new(),
            generation: 0,
            reports: mpsc::channel(REPORTS),
            runs: HashMap::new(),
            steps: HashMap::new(),
            continued: interrupted.iter().copied().collect(),
            interrupted,
            loading: JoinSet::new(),
            awaited: BTreeSet::new(),
            placing: JoinSet::new(),
            authorizing: JoinSet::new(),
            refilling: None,
            overflow: None,
            window,
            rest_until: None,
            changes: Vec::new(),
            attempts: Vec::new(),
            writes: BTreeMap::new(),
            compute_ms: 0,
            begun: 0,
            commit: None,
            commit_after: None,
            retention: Retention::default(),
            is_listed_idle: false,
            leaving: false,
            handle: Arc::clone(&handle),
            context: Arc::clone(&context),
        };
        context.infra.metrics.live_workflows.inc();
        actor.live().await;
        context.slots.not_idle(&handle.id);
        context.owners.release(&Owner::Workflow(handle));
        context.infra.metrics.live_workflows.dec();
    }

    async fn live(mut self) {
        while !self.may_leave() {
            self.advance();
            let draining = self.context.infra.shutdown.is_draining();
            let next_start = self.next_start();
            let idle_at = self.idle_at();
            tokio::select! {
                Some(control) = self.controls.recv() => self.obey(control).await,
                Some(report) = self.reports.1.recv() => self.heard(report),
                committed = settled(&mut self.commit) => self.committed(committed),
                read = settled(&mut self.refilling) => self.refilled(read.flatten()),
                found = settled(&mut self.overflow) => self.overflowed(found.unwrap_or_default()),
                Some(loaded) = self.loading.join_next(), if !self.loading.is_empty() => self.loaded(loaded.ok()),
                Some(placed) = self.placing.join_next(), if !self.placing.is_empty() => self.placed(placed.ok()),
                Some(_) = self.authorizing.join_next(), if !self.authorizing.is_empty() => {}
                () = self.handle.mailbox.changed.notified() => {}
                () = sleep_until(self.commit_after), if self.commit_after.is_some() && self.commit.is_none() => {}
                () = sleep_until(next_start), if next_start.is_some() => {}
                () = sleep_until(idle_at), if idle_at.is_some() => self.stop_idle_hosts(),
                () = sleep_until(self.rest_until), if self.rest_until.is_some() => self.rest_until = None,
                () = self.context.infra.shutdown.draining(), if !draining => {}
            }
        }
        self.stop_all();
        self.handle.mailbox.close();
    }

    /// Starts whatever can be started now.
    fn advance(&mut self) {
        self.commit_changes();
        self.retire_outdated();
        self.take_in();
        self.step();
        self.refill();
        self.watch_overflow();
        self.ensure_hosts();
        self.note_idleness();
        // What was refused on the way is for the next commit.
        self.commit_changes();
    }

    fn is_open(&self) -> bool {
        self.workflow.active && !self.context.infra.shutdown.is_draining()
    }

    async fn obey(&mut self, control: Control) {
        match control {
            Control::Changed => self.reload().await,
            Control::Continue(run) => {
                if self.is_unknown(&run) {
                    self.continued.push_back(run);
                }
            }
            Control::Evict => self.stop_idle_hosts_now(),
        }
    }

    /// New runs take what is stored now; those under way go on as they began.
    async fn reload(&mut self) {
        let id = self.handle.id.clone();
        let known = self
            .context
            .infra
            .store
            .read(move |c| Known::load(c, &id))
            .await;
        match known {
            Ok(Some(known)) => {
                self.workflow = known.workflow;
                let before = std::mem::replace(&mut self.current, Arc::new(known.current));
                self.renew_environment(&before);
                self.timers = known.timers;
                self.rest_until = None;
            }
            Ok(None) => self.leaving = true,
            Err(error) => {
                tracing::warn!(workflow = %self.handle.id, %error, "a changed workflow could not be read; trying again");
                tokio::time::sleep(FIRST_PAUSE).await;
                self.handle.changed();
            }
        }
    }

    /// A workflow without work or process needs no owner; one that is drained needs none either.
    fn may_leave(&mut self) -> bool {
        if self.leaving {
            return true;
        }
        if !self.changes.is_empty() || self.commit.is_some() || !self.steps.is_empty() {
            return false;
        }
        if self.context.infra.shutdown.is_draining() {
            return true;
        }
        if !self.runs.is_empty()
            || !self.hosts.is_empty()
            || !self.loading.is_empty()
            || !self.continued.is_empty()
            || self.refilling.is_some()
            || self.overflow.is_some()
            || !self.controls.is_empty()
        {
            return false;
        }
        // The work of an inactive workflow stays in the store until it is active again.
        let parked = !self.workflow.active;
        parked || self.handle.mailbox.close_if_unused()
    }
}
