//! The owner of a workflow: it turns events into runs, runs their steps one after another, and commits each step before the
//! next one starts.

mod authorize;
mod events;
mod intake;
mod load;
mod outcome;
mod overflow;
mod owner;
mod process;
mod resume;
mod step;
mod step_input;
pub(super) mod test_run;
mod throttle;
mod version;

use std::sync::Arc;

use sluice_model::DeploymentId;
use tokio::{sync::mpsc, time::Instant};

pub use self::step_input::RunUrls;
use self::{
    load::load,
    owner::{Task, WorkflowOwner},
    version::Version,
};
use super::{
    actor::{self, Actor, Core},
    gauge::GaugeGuard,
    handle::{Owner, WorkflowControl, WorkflowHandle},
    services::Services,
};
use crate::{commit::committer::Committed, process::HostEvent};

/// Runs the owner of a workflow until it has nothing to do.
pub(super) async fn run(
    services: Services,
    handle: Arc<WorkflowHandle>,
    controls: mpsc::UnboundedReceiver<WorkflowControl>,
) {
    let Some(((definition, memory), fence)) = load(&services, &handle.id).await else {
        handle.mailbox.close();
        return;
    };
    let _live = GaugeGuard::new(&services.infra.metrics.live_workflows);
    let commit_no = memory.commit_no;
    let user = definition.workflow.user_id.clone();
    let owner = Owner::Workflow(handle);
    let core = Core::new(services, owner, user, controls, fence, commit_no);
    let mut owner = WorkflowOwner::new(core, definition, memory);
    actor::run(&mut owner).await;
}

impl Actor for WorkflowOwner {
    type Control = WorkflowControl;
    type ProcessKey = DeploymentId;
    type Program = Arc<Version>;
    type Task = Task;

    fn core(&mut self) -> &mut Core<Self> {
        &mut self.core
    }

    fn advance(&mut self) {
        self.commit_pending();
        self.retire_outdated();
        self.start_runs();
        self.start_steps();
        if self.is_open() && self.core.hold_until.is_none() {
            self.core.refill();
        }
        self.check_overflow();
        self.ensure_processes();
        self.update_idleness();
        // Runs that failed on the way are committed too.
        self.commit_pending();
    }

    fn can_stop(&mut self) -> bool {
        if self.core.stopping {
            return true;
        }
        if !self.pending.is_empty() || self.core.is_committing() || !self.steps.is_empty() {
            return false;
        }
        if self.core.is_ending() {
            return true;
        }
        if !self.runs.is_empty()
            || !self.core.hosts.are_stopped()
            || !self.loading.is_empty()
            || !self.to_continue.is_empty()
            || self.core.is_refilling()
            || self.is_checking_overflow
            || self.core.has_controls()
        {
            return false;
        }
        // The work of an inactive workflow stays in the store until it is active again.
        !self.workflow.active || self.core.mailbox().close_if_unused()
    }

    fn deadline(&self) -> Option<Instant> {
        self.commit_after.filter(|_| !self.core.is_committing())
    }

    fn watches_stall(&self) -> bool {
        false
    }

    async fn on_control(&mut self, control: WorkflowControl) {
        self.handle_control(control).await;
    }

    fn on_process(&mut self, version: DeploymentId, event: HostEvent) {
        self.handle_process_event(&version, event);
    }

    fn on_committed(&mut self, committed: Committed) {
        self.committed(&committed);
    }

    async fn recover(&mut self) {}

    fn on_commit_stalled(&mut self) {}

    fn on_task(&mut self, task: Task) {
        match task {
            Task::Loaded(id, stored) => self.loaded(id, stored.map(|stored| *stored)),
            Task::Uploaded {
                run,
                generation,
                result,
            } => self.uploaded(run, generation, result),
            Task::Overflow(items) => self.overflowed(items),
        }
    }
}
