//! A workflow as an actor: one owner task with a mailbox and a process, which takes events through the steps.

mod actor;
mod handle;

pub(crate) use actor::Actor;
pub(crate) use handle::WorkflowHandle;
