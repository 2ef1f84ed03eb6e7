//! A tenant of a process: a source or a workflow whose code it runs, with its invocations.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::{
    ask::PendingAnswers,
    inflight::Inflight,
    limits::Limits,
    outcome::{LogLine, ProcessEvent},
    process::ProcessEvents,
    report_limits::{ReportLimits, StrayBudget},
    running::Registration,
    spec::{LoadError, ProcessOwner},
    tenant_number::TenantNumber,
    unstored::UnstoredShare,
};

/// Batches of events that the owner has not taken. Then the channel is not read on.
const MAX_BATCHES: usize = 16;
/// A tenant that leaves gets no more to do if all that it runs began within this time.
const SHORT: Duration = Duration::from_secs(1);
/// And in any case after this time.
const LONG: Duration = Duration::from_secs(5);

/// The outcome of a load.
pub(super) type Loaded = Result<(), LoadError>;

pub(super) struct Tenant {
    pub(super) number: TenantNumber,
    pub(super) owner: ProcessOwner,
    pub(super) inflight: Mutex<Inflight>,
    pub(super) events: mpsc::Sender<Vec<ProcessEvent>>,
    pub(super) pending_answers: PendingAnswers,
    strays: Mutex<StrayBudget>,
    load: Mutex<Load>,
    /// Since when it has been told to leave.
    leaving: Mutex<Option<Instant>>,
    _registration: Registration,
}

/// A tenant that loads its code has no reader of its events yet, so its log lines are kept here.
enum Load {
    Loading(oneshot::Sender<Loaded>, Vec<LogLine>),
    Done,
}

/// The parts of a new tenant.
pub(crate) struct NewTenant {
    pub(crate) owner: ProcessOwner,
    pub(crate) registration: Registration,
    pub(crate) unstored: UnstoredShare,
    /// The log lines of its load.
    pub(crate) early_logs: Vec<LogLine>,
}

impl Tenant {
    /// A tenant that has loaded its code.
    pub(super) fn new(
        number: TenantNumber,
        new: NewTenant,
        limits: &Limits,
    ) -> (Arc<Tenant>, ProcessEvents) {
        let (tenant, receiver) = Tenant::with(number, new, limits, Load::Done);
        (Arc::new(tenant), receiver)
    }

    /// A tenant that is going to load its code.
    pub(super) fn loading(
        number: TenantNumber,
        new: NewTenant,
        limits: &Limits,
    ) -> (Arc<Tenant>, ProcessEvents, oneshot::Receiver<Loaded>) {
        let (sender, loaded) = oneshot::channel();
        let load = Load::Loading(sender, Vec::new());
        let (tenant, receiver) = Tenant::with(number, new, limits, load);
        (Arc::new(tenant), receiver, loaded)
    }

    fn with(
        number: TenantNumber,
        new: NewTenant,
        limits: &Limits,
        load: Load,
    ) -> (Tenant, ProcessEvents) {
        let (events, receiver) = mpsc::channel(MAX_BATCHES);
        if !new.early_logs.is_empty() {
            let _ = events.try_send(strays(new.early_logs));
        }
        let tenant = Tenant {
            number,
            owner: new.owner,
            inflight: Mutex::new(Inflight::new(ReportLimits::of(limits), new.unstored)),
            events,
            pending_answers: PendingAnswers::default(),
            strays: Mutex::new(StrayBudget::new(limits, Instant::now())),
            load: Mutex::new(load),
            leaving: Mutex::default(),
            _registration: new.registration,
        };
        (tenant, receiver)
    }

    pub(super) fn is_loading(&self) -> bool {
        matches!(*self.load.lock(), Load::Loading(..))
    }

    /// Its code has loaded, or has not. Returns false if it was not loading.
    pub(super) fn loaded(&self, outcome: Loaded) -> bool {
        match std::mem::replace(&mut *self.load.lock(), Load::Done) {
            Load::Done => false,
            Load::Loading(sender, early) => {
                if !early.is_empty() {
                    let _ = self.events.try_send(strays(early));
                }
                let _ = sender.send(outcome);
                true
            }
        }
    }

    /// The event of a line that belongs to no running invocation, unless there are too many of them.
    pub(super) fn stray(
        &self,
        id: Option<sluice_model::InvocationId>,
        line: Option<LogLine>,
    ) -> Option<ProcessEvent> {
        let line = line.filter(|line| self.strays.lock().take(line, Instant::now()))?;
        match &mut *self.load.lock() {
            Load::Loading(_, early) => {
                early.push(line);
                None
            }
            Load::Done => Some(ProcessEvent::Stray(id, line)),
        }
    }

    pub(super) fn tell_to_leave(&self) {
        self.leaving.lock().get_or_insert_with(Instant::now);
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.lock().is_some()
    }

    /// Whether it has been told to leave and is idle. A tenant that is not gets no more to do: at once if all that it runs
    /// began a short while ago, and otherwise after a while.
    pub(super) fn may_leave(&self) -> bool {
        let now = Instant::now();
        let Some(since) = *self.leaving.lock() else {
            return false;
        };
        if self.is_loading() {
            return false;
        }
        let mut inflight = self.inflight.lock();
        if !inflight.has_run_for(SHORT, now) || now.saturating_duration_since(since) > LONG {
            inflight.close();
        }
        inflight.is_closed() && inflight.is_idle()
    }

    /// The time of its invocations since the last call: of running ones, and of ended ones, which their outcomes report.
    pub(super) fn take_times(&self) -> (Duration, Duration) {
        self.inflight.lock().take_times(Instant::now())
    }
}

fn strays(lines: Vec<LogLine>) -> Vec<ProcessEvent> {
    let lines = lines.into_iter();
    lines.map(|line| ProcessEvent::Stray(None, line)).collect()
}
