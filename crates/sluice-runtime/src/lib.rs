//! Runs user code: sandboxed Deno processes, the channel to their harness, and the analysis of components.
//!
//! This crate knows no database. It takes invocations and returns outcomes. A process that crashes, hangs or writes invalid
//! lines is reported as a [`ProcessEvent`] and never causes a panic here. The engine depends on the trait [`Processes`];
//! [`Runtime`] implements it, and so does `ScriptedProcesses` for tests (feature `scripted`).

mod accounts;
mod analysis_cache;
mod ask;
mod assets;
mod box_future;
mod broker;
mod channel;
mod code_cache_filling;
mod component_users;
mod control_groups;
mod cpu_times;
mod deno;
mod deno_process;
mod fair_permits;
mod fair_queue;
mod harness_limits;
mod inflight;
mod inner;
mod isolation;
mod kill_reason;
pub mod launcher;
mod lease;
mod limits;
mod lines;
mod load_limit;
mod load_message;
mod loading;
mod memory;
mod meter;
mod node_use;
mod options;
mod outcome;
mod output;
mod overuse;
mod pace;
mod packages;
mod pool;
mod pool_filling;
mod preload;
mod process;
mod process_group;
mod processes;
mod prop_template;
mod protocol;
mod question;
mod reply;
mod report_limits;
mod running;
mod runtime;
mod sandbox;
mod scheduling;
#[cfg(any(test, feature = "scripted"))]
pub mod scripted;
mod sharing;
mod spec;
mod start_permit;
mod status_field;
mod step;
mod step_report;
mod survey;
mod tenant_number;
mod test_run;
mod test_spec;
mod tmp_folder;
mod trees;
mod unstored;
mod watchdog;

pub use ask::{Answer, Answers, Ask};
pub use box_future::BoxFuture;
pub use broker::AllowedAddress;
pub use component_users::ComponentUsers;
pub use control_groups::{
    AccountLimits, ControlGroupOptions, Controllers, GroupPlace, memory_limit, offered_controllers,
};
pub use deno::{DENO_VERSION, DenoError, InstallProgress, find_deno};
pub use fair_permits::{FairPermit, FairPermits, PermitWait};
pub use fair_queue::{OwnLimit, PermitLimits, PermitUse, PermitUser};
pub use isolation::Isolation;
pub use lease::Lease;
pub use limits::Limits;
pub use options::{DenoPermissions, RuntimeOptions};
pub use outcome::{
    Call, Emit, EmitId, Failure, Invocation, LogLevel, LogLine, Outcome, ProcessEvent, Question,
    Unfinished, Writes,
};
pub use packages::{PackageArchives, PackageError, PackageLimits, PackageLock, PackageSettings};
pub use process::{Process, ProcessControl, ProcessEvents, SharedPlace};
pub use processes::Processes;
pub use question::QuestionOutcome;
pub use reply::Reply;
pub use running::RunningProcess;
pub use runtime::Runtime;
pub use sandbox::{
    EgressProxy, Exceptions, Network, PrivateNetworks, own_addresses, probe_protections,
};
pub use spec::{
    Analysis, BindingKind, LoadError, ModuleSpec, ProcessOwner, ProcessSpec, PropBinding, Role,
};
pub use start_permit::StartPermit;
pub use step::{Flow, Send, SendKind, StepOutcome};
pub use test_spec::{TestEnd, TestReport, TestSpec};
pub use tmp_folder::TmpFolder;
pub use unstored::HeldReport;
