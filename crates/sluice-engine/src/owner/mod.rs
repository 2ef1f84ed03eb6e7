//! Owners: each source and each workflow that has work is run by one task, the only writer of its state.

mod accounts;
mod actor;
pub(crate) mod after_commit;
pub(crate) mod claims;
pub(crate) mod direct;
mod gauge;
pub(crate) mod hand_over;
pub(crate) mod handle;
mod idleness;
pub mod lifecycle;
pub(crate) mod mailbox;
mod next_tick;
pub mod observations;
mod ownership;
mod refill;
pub(crate) mod registry;
mod replies;
pub(crate) mod reply;
pub(crate) mod services;
mod source;
mod store_access;
pub(crate) mod supervise;
pub(crate) mod waker;
mod workflow;

pub use claims::Stay;
pub use handle::{Owner, SourceHandle, WorkflowHandle};
pub use ownership::Ownership;
pub use registry::Owners;
pub use replies::Replies;
pub use reply::NoReply;
pub use waker::Waker;
pub use workflow::{
    RunUrls,
    test_run::{TestEnd, TestPlan, TestedStep, WorkflowTests},
};
