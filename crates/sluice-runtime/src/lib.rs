//! Running people's code: analysis of a component, sandboxed Deno processes, and the pipe to them.
//!
//! This crate knows no database. It is handed invocations and hands back outcomes; whatever a process
//! does to itself (crash, hang, garbage on the pipe) ends as an [`ProcessEvent`], never as a panic here.

mod analysis;
mod ask;
mod assets;
mod auth_fields;
mod census;
mod deep_stack;
mod deno;
mod expressions;
mod imports;
mod inflight;
pub mod launcher;
mod likeness;
mod limits;
mod lines;
mod load_message;
mod loading;
mod memory;
mod outcome;
mod packages;
mod pool;
mod process;
mod protocol;
mod question;
mod runtime;
mod sandbox;
mod scheduled_script;
mod spec;
mod stand_ins;
mod step;
mod step_code;
mod step_report;
mod survey;
mod test_run;
mod verdict;
mod watchdog;

pub use analysis::{CodeFault, Language, NamedPackage, Reading, RelativeImport, language, read};
pub use ask::{Answer, Answers, Ask};
pub use auth_fields::{AuthFields, auth_fields};
pub use census::RunningProcess;
pub use deno::{DENO_VERSION, DenoError, find_deno};
pub use expressions::{ExpressionFault, check_expressions};
pub use likeness::looks_like_component;
pub use limits::Limits;
pub use outcome::{
    Call, Emit, Failure, Invocation, LogLevel, LogLine, Outcome, ProcessEvent, Question, Reply,
    Unfinished, Writes,
};
pub use packages::{PackageLock, PackageRequest};
pub use process::{Process, ProcessEvents};
pub use question::QuestionOutcome;
pub use runtime::{Runtime, RuntimeOptions};
pub use sandbox::{EgressProxy, Exceptions, Network, PrivateNetworks, own_addresses};
pub use scheduled_script::scheduled_script;
pub use spec::{
    Analysis, BindingKind, Lines, LoadError, ModuleSpec, ProcessOwner, ProcessSpec, PropBinding,
    Role,
};
pub use step::{Flow, Send, SendKind, StepOutcome};
pub use step_code::step_code;
pub use survey::SurveyModule;
pub use test_run::{TestEnd, TestReport, TestSpec};
