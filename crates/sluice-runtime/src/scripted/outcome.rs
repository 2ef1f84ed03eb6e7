//! The outcome that a script decides for an invocation.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    outcome::{Call, Emit, EmitId, Failure, LogLevel, LogLine, Outcome, Writes},
    reply::Reply,
    step::{Flow, Send, StepOutcome},
    unstored::HeldReport,
};

/// The effects of an invocation and how it ends. Starts from [`ScriptedOutcome::success`], [`ScriptedOutcome::failure`],
/// [`ScriptedOutcome::never`] or [`ScriptedOutcome::exit`].
#[derive(Debug)]
#[must_use]
pub struct ScriptedOutcome {
    pub(super) reply: Option<Reply>,
    pub(super) delay: Option<Duration>,
    pub(super) end: End,
    effects: Effects,
}

#[derive(Debug)]
pub(super) enum End {
    Returns(Option<Failure>),
    Never,
    Exits(String),
}

#[derive(Debug, Default)]
struct Effects {
    emits: Vec<Emit>,
    writes: Writes,
    logs: Vec<LogLine>,
    answer: Option<Box<RawValue>>,
    inputs: Option<Value>,
    exports: BTreeMap<String, Value>,
    flow: Option<Flow>,
    sends: Vec<Send>,
}

impl ScriptedOutcome {
    fn new(end: End) -> ScriptedOutcome {
        ScriptedOutcome {
            reply: None,
            delay: None,
            end,
            effects: Effects::default(),
        }
    }

    /// The invocation returns.
    pub fn success() -> ScriptedOutcome {
        ScriptedOutcome::new(End::Returns(None))
    }

    /// The invocation throws.
    pub fn failure(name: &str, message: &str) -> ScriptedOutcome {
        ScriptedOutcome::new(End::Returns(Some(Failure {
            name: name.to_owned(),
            message: message.to_owned(),
            stack: String::new(),
            code: None,
            prop: None,
        })))
    }

    /// The invocation does not end before its process does.
    pub fn never() -> ScriptedOutcome {
        ScriptedOutcome::new(End::Never)
    }

    /// The process dies, and all its running invocations with it.
    pub fn exit(reason: &str) -> ScriptedOutcome {
        ScriptedOutcome::new(End::Exits(reason.to_owned()))
    }

    /// Emits an event to the default channel.
    pub fn emit(self, data: &Value) -> ScriptedOutcome {
        self.emit_with(Emit {
            data: raw(data),
            id: EmitId::Missing,
            channel: String::new(),
            summary: None,
            ts: None,
            delivery_ts: None,
        })
    }

    pub fn emit_with(mut self, emit: Emit) -> ScriptedOutcome {
        self.effects.emits.push(emit);
        self
    }

    /// Writes to the key-value store; `None` deletes the key.
    pub fn write(mut self, key: &str, value: Option<&Value>) -> ScriptedOutcome {
        self.effects.writes.push((key.to_owned(), value.map(raw)));
        self
    }

    pub fn log(self, level: LogLevel, message: &str) -> ScriptedOutcome {
        self.log_at(0, level, message)
    }

    /// Writes a log line at this time, in epoch milliseconds.
    pub fn log_at(mut self, ts: i64, level: LogLevel, message: &str) -> ScriptedOutcome {
        self.effects.logs.push(LogLine {
            ts,
            kind: "stdout".to_owned(),
            level,
            message: message.to_owned(),
        });
        self
    }

    /// Answers the HTTP request. For a step it is the answer of the run.
    pub fn respond(mut self, reply: Reply) -> ScriptedOutcome {
        self.reply = Some(reply);
        self
    }

    /// The answer to a question of a form.
    pub fn answer(mut self, answer: &Value) -> ScriptedOutcome {
        self.effects.answer = Some(raw(answer));
        self
    }

    /// The resolved inputs of a step, without secrets.
    pub fn inputs(mut self, inputs: Value) -> ScriptedOutcome {
        self.effects.inputs = Some(inputs);
        self
    }

    /// A named export of a step; `$return_value` is its return value.
    pub fn export(mut self, name: &str, value: Value) -> ScriptedOutcome {
        self.effects.exports.insert(name.to_owned(), value);
        self
    }

    /// How the run of a step continues.
    pub fn flow(mut self, flow: Flow) -> ScriptedOutcome {
        self.effects.flow = Some(flow);
        self
    }

    pub fn send(mut self, send: Send) -> ScriptedOutcome {
        self.effects.sends.push(send);
        self
    }

    /// The invocation takes this long, by the clock of tokio.
    pub fn after(mut self, delay: Duration) -> ScriptedOutcome {
        self.delay = Some(delay);
        self
    }

    pub(super) fn writes(&self) -> &Writes {
        &self.effects.writes
    }

    pub(super) fn into_logs(self) -> Vec<LogLine> {
        self.effects.logs
    }

    /// The outcome as a process reports it; `None` if the invocation does not return.
    pub(super) fn into_outcome(self, call: Call) -> Option<Outcome> {
        let End::Returns(failure) = self.end else {
            return None;
        };
        let effects = self.effects;
        let step = (call == Call::Step).then(|| {
            Box::new(StepOutcome {
                inputs: effects.inputs.as_ref().map(raw),
                exports: to_raw_value(&effects.exports).unwrap_or_default(),
                flow: effects.flow.filter(|_| failure.is_none()),
                sends: effects.sends,
                reply: self.reply,
            })
        });
        Some(Outcome {
            emits: effects.emits,
            writes: effects.writes,
            logs: effects.logs,
            failure,
            duration: self.delay.unwrap_or_default(),
            uncharged: self.delay.unwrap_or_default(),
            answer: effects.answer,
            step,
            held: HeldReport::default(),
        })
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_default()
}
