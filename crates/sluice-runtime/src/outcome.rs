//! What goes into a component process and what comes out of it.

use std::time::Duration;

use bytes::Bytes;
use serde_json::value::RawValue;
use sluice_model::{Hook, InvocationId};

use crate::{ask::Ask, step::StepOutcome};

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
    /// A step of a workflow. The event says which, and what the steps before it exported.
    Step,
}

/// What a form asks of a component; the event says more, and the outcome has the answer.
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

/// Keys of the key-value store that changed, with their new value; `None` deletes.
pub type Writes = Vec<(String, Option<Box<RawValue>>)>;

/// Everything an invocation did, known when it has ended.
#[derive(Debug, Default)]
pub struct Outcome {
    pub emits: Vec<Emit>,
    pub writes: Writes,
    pub logs: Vec<LogLine>,
    pub failure: Option<Failure>,
    pub duration: Duration,
    /// What a question gave back, as JSON.
    pub answer: Option<Box<RawValue>>,
    /// Of a step, and of no other call.
    pub step: Option<Box<StepOutcome>>,
}

#[derive(Debug)]
pub struct Emit {
    pub data: Box<RawValue>,
    pub id: Option<String>,
    /// Empty for the default channel.
    pub channel: String,
    pub summary: Option<String>,
    pub ts: Option<serde_json::Value>,
    /// When it is to be delivered, in epoch milliseconds.
    pub delivery_ts: Option<i64>,
}

/// Why an invocation did not end well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub name: String,
    pub message: String,
    pub stack: String,
    pub code: Option<String>,
}

impl Failure {
    /// The text a log shows: the stack, which begins with name and message, or those alone.
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

/// The answer a component gave to the HTTP request it is handling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// What a process reports, in the order it happened.
#[derive(Debug)]
pub enum ProcessEvent {
    Replied(InvocationId, Reply),
    Ended(InvocationId, Outcome),
    /// A question of a running invocation; it waits for the answer.
    Asked(Ask),
    /// A line of no running invocation: of one that has ended, or of none at all.
    Stray(Option<InvocationId>, LogLine),
    /// The process is gone; nothing follows.
    Exited {
        reason: String,
        unfinished: Vec<Unfinished>,
    },
}

/// An invocation that died with its process: its logs tell why, and nothing else of it stands.
#[derive(Debug)]
pub struct Unfinished {
    pub id: InvocationId,
    pub logs: Vec<LogLine>,
}
