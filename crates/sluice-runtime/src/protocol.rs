//! The messages on the channel. A line that does not parse is a protocol error of the process.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};
use sluice_model::{CodeError, InvocationId, RawShape};

use crate::{
    ask::Ask,
    channel::Key,
    outcome::{Emit, EmitId, Failure, Invocation, LogLevel, LogLine, Writes},
    reply::{Reply, body},
    step::{Flow, Send, SendKind},
    step_report::{RawFlow, RawReply},
    tenant_number::TenantNumber,
};

/// One line from the harness.
#[derive(Debug)]
pub(crate) enum Message {
    Ready,
    /// It handles messages.
    Pong,
    /// The shapes of its modules, in their order.
    Loaded(Vec<RawShape>),
    /// The error of the load, and its stack.
    Failed(CodeError, String),
    Log(Option<InvocationId>, LogLine),
    Emit(InvocationId, Emit),
    Respond(InvocationId, Reply),
    /// The resolved inputs of a step: a JSON object without secrets.
    Inputs(InvocationId, Box<RawValue>),
    /// A named export of a step. A later one with the same name replaces it.
    Export(InvocationId, String, Box<RawValue>),
    Send(InvocationId, Send),
    /// The invocation has ended. Its end is reported after those of others.
    Held(InvocationId),
    /// Writes of an invocation that may never end.
    Write(InvocationId, Writes),
    End(InvocationId, End),
    /// A question that needs an answer.
    Ask(InvocationId, Ask),
}

#[derive(Debug)]
pub(crate) struct End {
    pub(crate) writes: Writes,
    pub(crate) failure: Option<Failure>,
    pub(crate) answer: Option<Box<RawValue>>,
    pub(crate) flow: Option<Flow>,
    pub(crate) reply: Option<Reply>,
}

/// All fields of all messages. An internally tagged enum would buffer them, which raw JSON does not support.
#[derive(Deserialize)]
struct Line<'a> {
    t: &'a str,
    i: Option<&'a str>,
    #[serde(borrow)]
    e: Option<&'a RawValue>,
    #[serde(borrow)]
    m: Option<&'a RawValue>,
    shapes: Option<Vec<RawShape>>,
    error: Option<LoadFailure>,
    k: Option<&'a str>,
    l: Option<&'a str>,
    ts: Option<i64>,
    s: Option<u16>,
    h: Option<Vec<(String, String)>>,
    b: Option<String>,
    x: Option<&'a str>,
    err: Option<Thrown>,
    n: Option<u64>,
    op: Option<String>,
    #[serde(borrow)]
    a: Option<&'a RawValue>,
    #[serde(borrow)]
    db: Option<Vec<Vec<&'a RawValue>>>,
    #[serde(borrow)]
    ret: Option<&'a RawValue>,
    module: Option<String>,
    #[serde(borrow)]
    flow: Option<RawFlow<'a>>,
    #[serde(borrow)]
    reply: Option<RawReply<'a>>,
}

#[derive(Deserialize)]
struct LoadFailure {
    message: String,
    #[serde(default)]
    stack: String,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

impl LoadFailure {
    /// The error and its stack.
    fn into_parts(self) -> (CodeError, String) {
        let error = CodeError {
            message: self.message,
            file: self.file,
            line: self.line,
            column: self.column,
        };
        (error, self.stack)
    }
}

#[derive(Deserialize)]
struct Thrown {
    name: String,
    message: String,
    stack: String,
    code: Option<String>,
    prop: Option<String>,
}

#[derive(Deserialize, Default)]
struct Meta {
    /// `false` for an id that is neither a string nor a number.
    id: Option<serde_json::Value>,
    name: Option<String>,
    summary: Option<String>,
    ts: Option<serde_json::Value>,
    delivery_ts: Option<i64>,
}

/// The message of a line that begins with `key`, and the tenant that it is from.
pub(crate) fn parse(line: &[u8], key: Key) -> Result<(TenantNumber, Message), String> {
    match Key::split(line) {
        Some((found, rest)) if found == key => {
            let rest = str::from_utf8(rest).map_err(|error| error.to_string())?;
            let (tenant, json) = rest.split_at(rest.find('{').unwrap_or(0));
            let tenant = TenantNumber::parse(tenant).ok_or("a message without its tenant")?;
            Ok((tenant, parse_message(json)?))
        }
        _ => Err("a message that is not the harness's".to_owned()),
    }
}

fn parse_message(line: &str) -> Result<Message, String> {
    let fields: Line<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let missing = |field: &str| format!("a {} message without {field}", fields.t);
    let id = || {
        fields
            .i
            .and_then(InvocationId::parse)
            .ok_or_else(|| missing("its invocation"))
    };
    match fields.t {
        "ready" => Ok(Message::Ready),
        "pong" => Ok(Message::Pong),
        "loaded" => {
            let shapes = fields.shapes.ok_or("a loaded message without shapes")?;
            Ok(Message::Loaded(shapes))
        }
        "failed" => {
            let (error, stack) = fields
                .error
                .ok_or_else(|| missing("an error"))?
                .into_parts();
            Ok(Message::Failed(error, stack))
        }
        "log" => {
            let text = fields.m.ok_or_else(|| missing("a text"))?;
            let line = LogLine {
                ts: fields.ts.unwrap_or_default(),
                kind: fields.k.unwrap_or("log").to_owned(),
                level: level(fields.l),
                message: serde_json::from_str(text.get()).map_err(|error| error.to_string())?,
            };
            Ok(Message::Log(fields.i.and_then(InvocationId::parse), line))
        }
        "emit" => Ok(Message::Emit(id()?, emit(fields.e, fields.m)?)),
        "inputs" => {
            let inputs = fields.e.ok_or_else(|| missing("inputs"))?;
            Ok(Message::Inputs(id()?, inputs.to_owned()))
        }
        "export" => {
            let name = fields.m.ok_or_else(|| missing("a name"))?;
            let name = serde_json::from_str(name.get()).map_err(|error| error.to_string())?;
            let value = fields.e.unwrap_or(RawValue::NULL).to_owned();
            Ok(Message::Export(id()?, name, value))
        }
        "send" => {
            let kind = fields.k.and_then(SendKind::parse);
            let send = Send {
                kind: kind.ok_or_else(|| missing("a kind"))?,
                payload: fields.e.ok_or_else(|| missing("a payload"))?.to_owned(),
            };
            Ok(Message::Send(id()?, send))
        }
        "respond" => {
            let reply = Reply {
                status: fields.s.ok_or_else(|| missing("a status"))?,
                headers: fields.h.unwrap_or_default(),
                body: body(fields.b, fields.x)?,
            };
            let id = fields
                .i
                .and_then(InvocationId::parse)
                .ok_or("a respond message without its invocation")?;
            Ok(Message::Respond(id, reply))
        }
        "ask" => {
            let id = id()?;
            let ask = Ask {
                number: fields.n.ok_or_else(|| missing("a number"))?,
                module: fields.module.clone().ok_or_else(|| missing("its module"))?,
                op: fields.op.clone().ok_or_else(|| missing("what is asked"))?,
                args: fields.a.unwrap_or(RawValue::NULL).to_owned(),
            };
            Ok(Message::Ask(id, ask))
        }
        "held" => Ok(Message::Held(id()?)),
        "write" => Ok(Message::Write(
            id()?,
            writes(fields.db.unwrap_or_default())?,
        )),
        "end" => {
            let id = id()?;
            Ok(Message::End(
                id,
                End {
                    writes: writes(fields.db.unwrap_or_default())?,
                    failure: fields.err.map(failure),
                    answer: fields.ret.map(ToOwned::to_owned),
                    flow: fields.flow.map(RawFlow::read).transpose()?,
                    reply: fields.reply.map(RawReply::read).transpose()?,
                },
            ))
        }
        other => Err(format!("an unknown message {other:?}")),
    }
}

fn level(name: Option<&str>) -> LogLevel {
    match name {
        Some("debug") => LogLevel::Debug,
        Some("warn") => LogLevel::Warn,
        Some("error") => LogLevel::Error,
        _ => LogLevel::Info,
    }
}

/// An event that is `null` deserializes like one that is absent.
fn emit(data: Option<&RawValue>, meta: Option<&RawValue>) -> Result<Emit, String> {
    let Meta {
        id,
        name,
        summary,
        ts,
        delivery_ts,
    } = match meta {
        None => Meta::default(),
        Some(meta) if meta.get() == "{}" => Meta::default(),
        Some(meta) => serde_json::from_str(meta.get()).map_err(|error| error.to_string())?,
    };
    Ok(Emit {
        data: data.unwrap_or(RawValue::NULL).to_owned(),
        id: match id {
            None => EmitId::Missing,
            Some(serde_json::Value::String(id)) => EmitId::Text(id),
            Some(_) => EmitId::Invalid,
        },
        channel: name.unwrap_or_default(),
        summary,
        ts,
        delivery_ts,
    })
}

fn failure(thrown: Thrown) -> Failure {
    let Thrown {
        name,
        message,
        stack,
        code,
        prop,
    } = thrown;
    Failure {
        name,
        message,
        stack,
        code,
        prop,
    }
}

fn writes(rows: Vec<Vec<&RawValue>>) -> Result<Writes, String> {
    rows.into_iter()
        .map(|row| {
            let key = row.first().ok_or("a write without a key")?;
            let key = serde_json::from_str(key.get()).map_err(|error| error.to_string())?;
            Ok((key, row.get(1).map(|value| (*value).to_owned())))
        })
        .collect()
}

/// The line that runs an invocation. Its event must be on one line, as all events in the inbox are.
pub(crate) fn run_line(tenant: TenantNumber, invocation: &Invocation, out: &mut String) {
    debug_assert!(!invocation.event.contains(['\n', '\r']));
    let _ = writeln!(
        out,
        r#"{{"t":"run","s":{tenant},"i":"{}","c":"{}","ms":{},"e":{}}}"#,
        invocation.id,
        invocation.call.as_str(),
        invocation.timeout.as_millis(),
        invocation.event
    );
}

/// The line that sets `$auth` of a module's app props.
pub(crate) fn auth_line(tenant: TenantNumber, module: &str, auths: &Map<String, Value>) -> String {
    let tenant = tenant.value();
    let line = json!({ "t": "auth", "tenant": tenant, "module": module, "props": auths });
    format!("{line}\n")
}

/// The line that removes a tenant.
pub(crate) fn leave_line(tenant: TenantNumber) -> String {
    format!("{{\"t\":\"leave\",\"tenant\":{tenant}}}\n")
}

/// The line that is answered with [`Message::Pong`].
pub(crate) const PING: &str = "{\"t\":\"ping\"}\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_the_key_is_not_the_harness_s() {
        let (key, other) = (Key::random(), Key::random());
        let ready = r#"{"t":"ready"}"#;
        let line = format!("{key}0{ready}");
        assert!(matches!(
            parse(line.as_bytes(), key),
            Ok((TenantNumber::PROCESS, Message::Ready))
        ));
        for forged in [
            ready.to_owned(),
            format!("{other}0{ready}"),
            format!("{key}{ready}"),
            format!("{key}-1{ready}"),
            key.to_string()[1..].to_owned(),
        ] {
            assert!(parse(forged.as_bytes(), key).is_err(), "{forged}");
        }
    }

    #[test]
    fn a_question_names_its_invocation_its_number_and_what_is_asked() {
        let id = "2FZ8vXW1Y3kQ9mB7nC5dE4fG6hJ";
        let whole =
            format!(r#"{{"t":"ask","i":"{id}","n":7,"module":"m","op":"x.y","a":{{"deep":[1]}}}}"#);
        let Ok(Message::Ask(asker, ask)) = parse_message(&whole) else {
            panic!("{whole} is a question");
        };
        assert_eq!(asker.as_str(), id);
        assert_eq!(
            (ask.number, ask.module.as_str(), ask.op.as_str()),
            (7, "m", "x.y")
        );
        assert_eq!(ask.args.get(), r#"{"deep":[1]}"#);
        for broken in [
            r#"{"t":"ask","n":7,"module":"m","op":"x"}"#.to_owned(),
            r#"{"t":"ask","i":"short","n":7,"module":"m","op":"x"}"#.to_owned(),
            format!(r#"{{"t":"ask","i":"{id}","module":"m","op":"x"}}"#),
            format!(r#"{{"t":"ask","i":"{id}","n":-1,"module":"m","op":"x"}}"#),
            format!(r#"{{"t":"ask","i":"{id}","n":7,"module":"m"}}"#),
            format!(r#"{{"t":"ask","i":"{id}","n":7,"op":"x"}}"#),
        ] {
            assert!(parse_message(&broken).is_err(), "{broken}");
        }
    }
}
