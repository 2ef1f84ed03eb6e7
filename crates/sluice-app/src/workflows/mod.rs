//! Workflows: deploy, change and delete them, read and replay their runs, and continue waiting runs.

mod delete;
mod deploy;
mod document_errors;
mod emitters;
mod environment;
mod error_place;
mod pauses;
mod replay;
mod requests;
mod resolve;
mod run_list;
mod runs;
mod service;
mod step_code;
mod step_props;
mod store;
mod test_run;
mod triggers;
mod versions;
mod view;

pub use error_place::ErrorPlace;
pub use pauses::{Callback, CancelledRun, ResumedRun};
pub use replay::{ReplayFrom, ReplayRuns};
pub use requests::{ChangeWorkflow, Deploy};
pub use run_list::{RunList, RunPage};
pub use runs::{ErrorPlaces, RunView};
pub use service::Workflows;
pub use test_run::{FromRun, TestView, TestWorkflow, TestedSend, TestedStep};
pub use versions::{VersionView, WholeVersionView};
pub use view::{StepView, TriggerView, WorkflowView};
