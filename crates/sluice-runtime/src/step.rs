//! The outcome of a step, in addition to that of every invocation.

use serde_json::value::RawValue;

use crate::reply::Reply;

/// The effects of a step on its run, also if it failed.
#[derive(Debug)]
pub struct StepOutcome {
    /// A JSON object: the values of its props, without secrets. None if it did not get as far.
    pub inputs: Option<Box<RawValue>>,
    /// A JSON object: named exports, `$summary` among them, and `$return_value` unless that is `undefined`.
    pub exports: Box<RawValue>,
    /// How the run continues, if not with the next step. `None` for a failed step.
    pub flow: Option<Flow>,
    /// In the order of the calls.
    pub sends: Vec<Send>,
    /// The response to the client that triggered the run, sent when the run ends.
    pub reply: Option<Reply>,
}

/// How a run continues after the step.
#[derive(Debug)]
pub enum Flow {
    /// The run ends.
    Exit { reason: Option<String> },
    /// The next step begins later.
    Delay { ms: u64 },
    /// The next step begins when it is resumed by its URL, or after this time.
    Suspend { ms: u64 },
    /// The same step runs again with this context, when it is resumed by its URL or after this time, at most so many times.
    Rerun {
        ms: u64,
        context: Box<RawValue>,
        max_retries: u32,
    },
}

impl Flow {
    pub(crate) fn context_bytes(&self) -> usize {
        match self {
            Flow::Rerun { context, .. } => context.get().len(),
            Flow::Exit { .. } | Flow::Delay { .. } | Flow::Suspend { .. } => 0,
        }
    }
}

/// A request to send when the run has ended. The harness checked the parameters, but user code runs beside it, so they are
/// not trusted.
#[derive(Debug)]
pub struct Send {
    pub kind: SendKind,
    /// A JSON object with the parameters of the call.
    pub payload: Box<RawValue>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendKind {
    Http,
    Email,
    S3,
    Emit,
    Sse,
}

impl SendKind {
    const ALL: [SendKind; 5] = [
        SendKind::Http,
        SendKind::Email,
        SendKind::S3,
        SendKind::Emit,
        SendKind::Sse,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            SendKind::Http => "http",
            SendKind::Email => "email",
            SendKind::S3 => "s3",
            SendKind::Emit => "emit",
            SendKind::Sse => "sse",
        }
    }

    pub fn parse(name: &str) -> Option<SendKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
