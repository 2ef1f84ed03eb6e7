//! The owner of a source: it takes work from the mailbox, runs it in the source's process, and commits the outcome.

mod authorize;
mod direct;
mod dispatch;
mod hooks;
mod load;
mod operation;
mod outcome;
mod owner;
mod process;

use std::sync::Arc;

use tokio::{sync::mpsc, time::Instant};

use self::{
    load::load,
    owner::{SourceOwner, SourceTask},
};
use super::{
    actor::{self, Actor, Core},
    gauge::GaugeGuard,
    handle::{Owner, SourceHandle},
    lifecycle::SourceControl,
    services::Services,
};
use crate::{commit::committer::Committed, process::HostEvent};

/// Runs the owner of a source until it has nothing to do.
pub(super) async fn run(
    services: Services,
    handle: Arc<SourceHandle>,
    controls: mpsc::UnboundedReceiver<SourceControl>,
) {
    let Some(((definition, memory), fence)) = load(&services, &handle.id).await else {
        handle.mailbox.close();
        return;
    };
    let _live = GaugeGuard::new(&services.infra.metrics.live_sources);
    let commit_no = memory.commit_no;
    let user = definition.source.user_id.clone();
    let owner = Owner::Source(handle);
    let core = Core::new(services, owner, user, controls, fence, commit_no);
    let mut owner = SourceOwner::new(core, definition, memory);
    actor::run(&mut owner).await;
}

impl Actor for SourceOwner {
    type Control = SourceControl;
    type ProcessKey = ();
    type Program = ();
    type Task = SourceTask;

    fn core(&mut self) -> &mut Core<Self> {
        &mut self.core
    }

    fn advance(&mut self) {
        self.hold_over_quota();
        self.take_due_events();
        self.store_overdue();
        self.fail_stalled();
        self.commit_finished();
        self.run_hooks();
        self.dispatch();
        // After dispatch, which may have emptied the queue.
        if self.is_open() {
            self.core.refill();
        }
        self.ensure_process();
        self.confirm_dispatch();
        self.update_idleness();
    }

    fn can_stop(&mut self) -> bool {
        if self.core.stopping {
            return true;
        }
        if !self.is_quiet() || self.operation.is_some() {
            return false;
        }
        if self.core.is_ending() {
            // Direct requests are stored first.
            return !self.core.mailbox().has_direct();
        }
        if !self.core.hosts.are_stopped() || self.core.is_refilling() || self.core.has_controls() {
            return false;
        }
        // The work of an inactive source stays in the store until it is active again.
        !self.definition.source.active || self.core.mailbox().close_if_unused()
    }

    fn deadline(&self) -> Option<Instant> {
        self.direct_deadline()
    }

    fn watches_stall(&self) -> bool {
        self.awaits_pause() || (self.core.mailbox().has_direct() && !self.gives_up())
    }

    async fn on_control(&mut self, control: SourceControl) {
        self.handle_control(control).await;
    }

    fn on_process(&mut self, (): (), event: HostEvent) {
        self.handle_process_event(event);
    }

    fn on_committed(&mut self, committed: Committed) {
        self.committed(&committed);
    }

    fn on_commit_stalled(&mut self) {
        self.reject_pause();
        if self.core.mailbox().has_direct() {
            self.give_up_direct();
        }
    }

    async fn recover(&mut self) {
        if self.can_recover() {
            self.gives_up_until = None;
            self.reload().await;
        }
    }

    fn on_task(&mut self, task: SourceTask) {
        match task {
            SourceTask::Uploaded(uploaded) => self.uploaded(uploaded),
            SourceTask::Stored { ids, result } => self.stored(&ids, &result),
        }
    }
}
