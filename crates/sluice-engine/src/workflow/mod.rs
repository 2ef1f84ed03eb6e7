//! A workflow as an actor: one owner task with a mailbox and a process, which takes events through the steps.

mod actor;
mod batch;
mod commit;
mod handle;
mod manage;
mod progress;
mod step_input;
mod throttle;
mod version;
mod waking;

pub(crate) use actor::Actor;
pub(crate) use handle::WorkflowHandle;
pub use manage::{
    Callback, Cancelled, ChangeWorkflow, Deploy, ReplayFrom, ReplayRuns, Resumed, RunPage, RunView,
    TriggerView, VersionView, WorkflowView,
};
pub use step_input::Addresses;
pub(crate) use waking::{go_on, tell_owner, wake_due};
