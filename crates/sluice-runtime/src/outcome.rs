//! Invocations, their outcomes, and the events of a process.

use std::time::Duration;

use serde_json::value::RawValue;
use sluice_model::{Hook, InvocationId};

use crate::{ask::Ask, reply::Reply, step::StepOutcome, unstored::HeldReport};

/// One call into a component.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub id: InvocationId,
    pub call: Call,
    /// The event as JSON text, on one line.
    pub event: std::sync::Arc<str>,
    pub timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Run,
    Hook(Hook),
    Ask(Question),
    /// A step of a workflow. The event has its name and the exports of the steps before it.
    Step,
}

/// A question of a form. The event has its arguments, and the outcome has the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The options of one prop.
    Options,
    /// The props that depend on the values so far.
    AdditionalProps,
}

impl Call {
    pub fn as_str(self) -> &'static str {
        match self {
            Call::Run => "run",
            Call::Hook(hook) => hook.as_str(),
            Call::Ask(Question::Options) => "options",
            Call::Ask(Question::AdditionalProps) => "additionalProps",
            Call::Step => "step",
        }
    }
}

/// Changed keys of the key-value store, with their new values; `None` deletes.
pub type Writes = Vec<(String, Option<Box<RawValue>>)>;

/// The effects of an invocation, known when it has ended.
#[derive(Debug, Default)]
pub struct Outcome {
    pub emits: Vec<Emit>,
    pub writes: Writes,
    pub logs: Vec<LogLine>,
    pub failure: Option<Failure>,
    /// From its dispatch to its end.
    pub duration: Duration,
    /// The part of it that no [`ProcessEvent::Computed`] has reported.
    pub uncharged: Duration,
    /// The answer to a question, as JSON.
    pub answer: Option<Box<RawValue>>,
    /// Only for a step.
    pub step: Option<Box<StepOutcome>>,
    /// To be dropped when the effects are stored.
    pub held: HeldReport,
}

/// The id of an emitted event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EmitId {
    #[default]
    Missing,
    /// A string or a number.
    Text(String),
    /// Neither a string nor a number.
    Invalid,
}

impl EmitId {
    pub fn as_text(&self) -> Option<&str> {
        match self {
            EmitId::Text(id) => Some(id),
            EmitId::Missing | EmitId::Invalid => None,
        }
    }
}

#[derive(Debug)]
pub struct Emit {
    pub data: Box<RawValue>,
    pub id: EmitId,
    /// Empty for the default channel.
    pub channel: String,
    pub summary: Option<String>,
    pub ts: Option<serde_json::Value>,
    /// When to deliver it, in epoch milliseconds.
    pub delivery_ts: Option<i64>,
}

/// The error of an invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub name: String,
    pub message: String,
    pub stack: String,
    pub code: Option<String>,
    /// The prop of a step whose expression failed.
    pub prop: Option<String>,
}

impl Failure {
    /// The text for a log: the stack, which starts with name and message, or only these.
    pub fn to_log(&self) -> String {
        if self.stack.contains(&self.message) && !self.stack.is_empty() {
            self.stack.clone()
        } else {
            format!("{}: {}", self.name, self.message)
        }
    }
}

#[derive(Debug, Clone)]
pub struct LogLine {
    pub ts: i64,
    pub kind: String,
    pub level: LogLevel,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

impl LogLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }
}

/// The events of a process, in order.
#[derive(Debug)]
pub enum ProcessEvent {
    Replied(InvocationId, Reply),
    Ended(InvocationId, Outcome),
    /// A question of a running invocation, which waits for the answer.
    Asked(Ask),
    /// A log line of an invocation that has ended, or of none.
    Stray(Option<InvocationId>, LogLine),
    /// Compute time of running invocations, or without one.
    Computed(Duration),
    /// The process has exited. No event follows.
    Exited {
        reason: String,
        unfinished: Vec<Unfinished>,
        /// Whether its own code is the cause, or may be. Otherwise another tenant of its process is.
        is_at_fault: bool,
    },
}

/// An invocation that died with its process. All its effects but the logs are lost.
#[derive(Debug)]
pub struct Unfinished {
    pub id: InvocationId,
    pub logs: Vec<LogLine>,
}
