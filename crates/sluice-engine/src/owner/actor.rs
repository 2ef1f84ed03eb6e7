//! The loop of an owner, shared by sources and workflows: wait for an event, handle it, start whatever can be started.
//!
//! One commit runs at a time and takes everything that ended during the one before it, so commits keep the order in which
//! invocations ended.

use std::{future, hash::Hash, time::Duration};

use sluice_infra::Infra;
use sluice_model::{EmitterId, IdGen, UserId};
use sluice_store::{inbox::InboxKind, state::Fence};
use tokio::{
    sync::{mpsc, watch},
    task::{JoinError, JoinHandle, JoinSet},
    time::Instant,
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    handle::Owner, mailbox::Mailbox, next_tick::NextTick, refill::InboxPage, services::Services,
};
use crate::{
    commit::{
        batch::Batch,
        committer::{Committed, Fenced, commit},
    },
    process::{HostEvent, Hosts, LiveProcess},
    quotas::{QuotaExceeded, QuotaStatus},
};

/// Pause while a user's quota is read.
const QUOTA_READ_PAUSE: Duration = Duration::from_millis(50);

/// The part of an owner that differs between sources and workflows.
pub(super) trait Actor: Sized + Send {
    type Control: Send;
    /// Identifies one of the owner's processes.
    type ProcessKey: Clone + Eq + Hash + Send;
    /// The program of a process.
    type Program: Send;
    /// The result of a background task.
    type Task: Send + 'static;

    fn core(&mut self) -> &mut Core<Self>;
    /// Starts whatever can be started now.
    fn advance(&mut self);
    /// Whether the owner can stop: it has no work and no process.
    fn can_stop(&mut self) -> bool;
    /// The next time at which the owner has to act by itself.
    fn deadline(&self) -> Option<Instant>;
    /// Whether a commit that waits for the store must be reported.
    fn watches_stall(&self) -> bool;
    fn on_control(&mut self, control: Self::Control) -> impl Future<Output = ()> + Send;
    fn on_process(&mut self, key: Self::ProcessKey, event: HostEvent);
    fn on_committed(&mut self, committed: Committed);
    fn on_commit_stalled(&mut self);
    fn on_task(&mut self, task: Self::Task);
    /// Called after each event.
    fn recover(&mut self) -> impl Future<Output = ()> + Send;
}

/// The part that sources and workflows share.
pub(super) struct Core<A: Actor> {
    pub(super) services: Services,
    pub(super) owner: Owner,
    pub(super) user: UserId,
    pub(super) ids: IdGen,
    pub(super) hosts: Hosts<A::ProcessKey, A::Program>,
    pub(super) tasks: JoinSet<A::Task>,
    /// The right to commit.
    pub(super) fence: Fence,
    /// The number of the last commit.
    pub(super) commit_no: i64,
    /// Nothing new starts before this: a quota or a throttle holds it back.
    pub(super) hold_until: Option<Instant>,
    /// The owner stops as soon as possible.
    pub(super) stopping: bool,
    /// Another node should have the emitter: the owner stops when nothing runs.
    pub(super) leaving: bool,
    controls: mpsc::UnboundedReceiver<A::Control>,
    commit: Option<JoinHandle<Result<Committed, Fenced>>>,
    stalled: watch::Sender<bool>,
    lease_changes: watch::Receiver<bool>,
    refill: Option<AbortOnDropHandle<InboxPage>>,
    pub(super) account_refresh: Option<JoinHandle<()>>,
    pub(super) is_listed_idle: bool,
    pub(super) next_tick: NextTick,
}

enum Event<A: Actor> {
    Control(A::Control),
    Process(A::ProcessKey, HostEvent),
    Committed(Result<Committed, Fenced>),
    CommitStalled,
    Refilled(InboxPage),
    Task(A::Task),
    /// A wake-up, a deadline or the shutdown: `advance` decides.
    Woken,
}

/// Runs an owner until it can stop.
pub(super) async fn run<A: Actor>(actor: &mut A) {
    while !actor.can_stop() {
        actor.advance();
        let (deadline, watches_stall) = (actor.deadline(), actor.watches_stall());
        match actor.core().next_event(deadline, watches_stall).await {
            Event::Control(control) => actor.on_control(control).await,
            Event::Process(key, event) => actor.on_process(key, event),
            Event::Committed(Ok(committed)) => actor.on_committed(committed),
            Event::Committed(Err(Fenced)) => actor.core().abandon(),
            Event::CommitStalled => actor.on_commit_stalled(),
            Event::Refilled(page) => {
                let core = actor.core();
                page.put_into(core.owner.mailbox(), &core.services.replies);
            }
            Event::Task(task) => actor.on_task(task),
            Event::Woken => {}
        }
        actor.recover().await;
        actor.core().expire();
    }
    actor.core().owner.mailbox().close();
    actor.core().release().await;
}

impl<A: Actor> Core<A> {
    pub(super) fn new(
        services: Services,
        owner: Owner,
        user: UserId,
        controls: mpsc::UnboundedReceiver<A::Control>,
        fence: Fence,
        commit_no: i64,
    ) -> Core<A> {
        Core {
            ids: services.infra.ids.generator(),
            lease_changes: services.infra.cluster.lease().changes(),
            services,
            owner,
            user,
            hosts: Hosts::default(),
            tasks: JoinSet::new(),
            fence,
            commit_no,
            hold_until: None,
            stopping: false,
            leaving: false,
            controls,
            commit: None,
            stalled: watch::Sender::new(false),
            refill: None,
            account_refresh: None,
            is_listed_idle: false,
            next_tick: NextTick::default(),
        }
    }

    pub(super) fn infra(&self) -> &Infra {
        &self.services.infra
    }

    pub(super) fn id(&self) -> &EmitterId {
        self.owner.id()
    }

    pub(super) fn mailbox(&self) -> &Mailbox {
        self.owner.mailbox()
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.services.infra.now_ms()
    }

    /// Whether the owner starts nothing more and stops when nothing runs: the server drains, or another node should have the
    /// emitter.
    pub(super) fn is_ending(&self) -> bool {
        self.leaving || self.services.infra.shutdown.is_draining()
    }

    /// Whether this node may start work: the owner does not end, and others take it for alive. Work that runs goes on without the lease; its
    /// commit tells whether another node has taken over.
    pub(super) fn may_start_work(&self) -> bool {
        !self.is_ending() && self.services.infra.cluster.lease().is_held()
    }

    pub(super) fn has_controls(&self) -> bool {
        !self.controls.is_empty()
    }

    pub(super) fn is_refilling(&self) -> bool {
        self.refill.is_some()
    }

    pub(super) fn is_committing(&self) -> bool {
        self.commit.is_some()
    }

    /// Whether the running commit waits for the store.
    pub(super) fn is_stalled(&self) -> bool {
        *self.stalled.borrow()
    }

    /// Commits a batch in the background.
    pub(super) fn commit(&mut self, batch: Batch) {
        let infra = self.services.infra.clone();
        self.commit_no = batch.commit_no;
        let ticks = batch.ticks.iter();
        self.next_tick
            .arm(ticks.map(|tick| (tick.prop.as_str(), tick.due_at)));
        self.commit = Some(tokio::spawn(commit(infra, batch, self.stalled.clone())));
    }

    /// Stops the owner with its processes and gives up its claim: the emitter was removed, or another server has it. Requests
    /// that wait for a commit fail.
    pub(super) fn abandon(&mut self) {
        self.services.claims.forget(self.owner.id());
        self.stopping = true;
    }

    /// Gives the claim up when the owner ends for another node's sake.
    async fn release(&self) {
        let Services { infra, claims, .. } = &self.services;
        if self.is_ending() && !infra.cluster.owns_database() {
            let emitter = self.owner.id().clone();
            claims.release(infra, &[emitter]).await;
        }
    }

    /// Waits for the running commit; `Err` when it waits for the store itself.
    pub(super) async fn settle_commit(&mut self) -> Result<Option<Committed>, Unsettled> {
        let Some(mut commit) = self.commit.take() else {
            return Ok(None);
        };
        tokio::select! {
            committed = &mut commit => {
                let committed = finished(committed);
                if committed.is_err() {
                    self.abandon();
                }
                committed.map(Some).map_err(|Fenced| Unsettled::Fenced)
            }
            () = wait_for_stall(&self.stalled) => {
                self.commit = Some(commit);
                Err(Unsettled::Stalled)
            }
        }
    }

    /// Waits for the running commit, however long that takes.
    pub(super) async fn finish_commit(&mut self) -> Option<Committed> {
        let committed = finished(self.commit.take()?.await);
        if committed.is_err() {
            self.abandon();
        }
        committed.ok()
    }

    /// Reads the next page of the inbox when the mailbox is empty and the store may hold more.
    pub(super) fn refill(&mut self) {
        if self.refill.is_some() {
            return;
        }
        if let Some(refill) = self.mailbox().next_refill() {
            let (store, emitter) = (self.infra().store.clone(), self.id().clone());
            let read = tokio::spawn(InboxPage::read(store, emitter, refill));
            self.refill = Some(AbortOnDropHandle::new(read));
        }
    }

    /// Whether events from listeners may run today. When the quota is exhausted they wait for the next day, which is
    /// reported once.
    pub(super) fn check_quota(&mut self, user: &UserId) -> Option<QuotaExceeded> {
        match self.services.quotas.status(user) {
            QuotaStatus::Within => None,
            QuotaStatus::Unknown => {
                let (quotas, user) = (self.services.quotas.clone(), user.clone());
                tokio::spawn(async move { quotas.check(&user).await });
                self.hold(QUOTA_READ_PAUSE);
                None
            }
            QuotaStatus::Exceeded(exceeded) => {
                self.hold(exceeded.retry_after);
                Some(exceeded)
            }
        }
    }

    /// Whether the next row of the mailbox is of this kind.
    pub(super) fn next_is(&self, kind: InboxKind) -> bool {
        self.mailbox().next_is(kind)
    }

    pub(super) fn hold(&mut self, time: Duration) {
        self.hold_until = Some(Instant::now() + time);
    }

    pub(super) fn live(&self, key: &A::ProcessKey) -> Option<&LiveProcess> {
        self.hosts.live(key)
    }

    /// Clears what has expired: a hold, and processes that were idle for too long.
    fn expire(&mut self) {
        self.hold_until = self.hold_until.filter(|until| *until > Instant::now());
        let keep_until = self.keep_until();
        self.hosts
            .stop_idle(self.services.infra.settings.idle_timeout, keep_until);
    }

    async fn next_event(&mut self, deadline: Option<Instant>, watches_stall: bool) -> Event<A> {
        let infra = &self.services.infra;
        let shutdown = &infra.shutdown;
        let is_draining = shutdown.is_draining();
        let idle = self
            .hosts
            .idle_deadline(infra.settings.idle_timeout, self.keep_until());
        let deadline = [deadline, idle, self.hold_until]
            .into_iter()
            .flatten()
            .min();
        tokio::select! {
            Some(control) = self.controls.recv() => Event::Control(control),
            (key, event) = self.hosts.next() => Event::Process(key, event),
            committed = settled(&mut self.commit) => Event::Committed(finished(committed)),
            () = wait_for_stall(&self.stalled), if watches_stall => Event::CommitStalled,
            page = settled(&mut self.refill) => Event::Refilled(finished(page)),
            refreshed = settled(&mut self.account_refresh) => {
                finished(refreshed);
                Event::Woken
            }
            Some(task) = self.tasks.join_next(), if !self.tasks.is_empty() => match task {
                Err(error) if error.is_cancelled() => Event::Woken,
                task => Event::Task(finished(task)),
            },
            () = self.owner.mailbox().changed.notified() => Event::Woken,
            () = sleep_until(deadline) => Event::Woken,
            () = shutdown.draining(), if !is_draining => Event::Woken,
            Ok(()) = self.lease_changes.changed() => Event::Woken,
        }
    }
}

/// The running commit cannot be waited for.
#[derive(Debug)]
pub(super) enum Unsettled {
    /// It waits for the store.
    Stalled,
    Fenced,
}

/// The result of a task. Its panic is the owner's: the supervisor restarts the owner from the store.
fn finished<T>(result: Result<T, JoinError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => panic!("a task of an owner was cancelled: {error}"),
        },
    }
}

async fn settled<H, T>(slot: &mut Option<H>) -> Result<T, JoinError>
where
    H: Future<Output = Result<T, JoinError>> + Unpin,
{
    match slot {
        Some(task) => {
            let result = task.await;
            *slot = None;
            result
        }
        None => future::pending().await,
    }
}

async fn wait_for_stall(stalled: &watch::Sender<bool>) {
    let _ = stalled.subscribe().wait_for(|stalled| *stalled).await;
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => future::pending().await,
    }
}
