//! What a step of a workflow gives back beside what every invocation does.

use serde_json::value::RawValue;

use crate::outcome::Reply;

/// Everything that a step did for its run, also when it failed.
#[derive(Debug)]
pub struct StepOutcome {
    /// A JSON object: named exports, `$summary` among them, and `$return_value` unless that is `undefined`.
    pub exports: Box<RawValue>,
    /// How the run goes on, when not with the next step. None for a step that failed.
    pub flow: Option<Flow>,
    /// In the order of the calls.
    pub sends: Vec<Send>,
    /// The answer to the client that triggered the run, for when the run ends.
    pub reply: Option<Reply>,
}

/// What becomes of a run after the step.
#[derive(Debug)]
pub enum Flow {
    /// It is over.
    Exit { reason: Option<String> },
    /// The next step begins later.
    Delay { ms: u64 },
    /// The next step begins when somebody asks for it, or later.
    Suspend { ms: u64 },
    /// The same step runs again, when somebody asks for it or later, with this context, so many times at most.
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

/// Something to be sent when the run has ended. The parameters were checked by the harness, which runs beside the code
/// that gave them: they are not to be trusted.
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
