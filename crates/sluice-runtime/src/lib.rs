//! Running people's code: analysis of a component, sandboxed Deno processes, and the pipe to them.
//!
//! This crate knows no database. It is handed invocations and hands back outcomes; whatever a process
//! does to itself (crash, hang, garbage on the pipe) ends as an [`ProcessEvent`], never as a panic here.

mod ask;
mod assets;
mod census;
mod deno;
mod inflight;
pub mod launcher;
mod limits;
mod lines;
mod load_message;
mod loading;
mod memory;
mod outcome;
mod packages;
mod pool;
mod process;
mod prop_template;
mod protocol;
mod question;
mod runtime;
mod sandbox;
mod spec;
mod step;
mod step_report;
mod survey;
mod test_run;
mod verdict;
mod watchdog;

pub use ask::{Answer, Answers, Ask};
pub use census::RunningProcess;
pub use deno::{DENO_VERSION, DenoError, find_deno};
pub use limits::Limits;
pub use outcome::{
    Call, Emit, Failure, Invocation, LogLevel, LogLine, Outcome, ProcessEvent, Question, Reply,
    Unfinished, Writes,
};
pub use packages::PackageLock;
pub use process::{Process, ProcessEvents};
pub use question::QuestionOutcome;
pub use runtime::{Runtime, RuntimeOptions};
pub use sandbox::{EgressProxy, Exceptions, Network, PrivateNetworks, own_addresses};
pub use spec::{
    Analysis, BindingKind, Lines, LoadError, ModuleSpec, ProcessOwner, ProcessSpec, PropBinding,
    Role,
};
pub use step::{Flow, Send, SendKind, StepOutcome};
pub use survey::SurveyModule;
pub use test_run::{TestEnd, TestReport, TestSpec};
