//! The report of the harness on a step: collected while it runs and completed by its end.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    reply::{Reply, body},
    step::{Flow, Send, StepOutcome},
};

/// The longest pause of a run: a year.
const MAX_PAUSE_MS: u64 = 365 * 24 * 3600 * 1000;

/// The effects of a step so far. They are reported at once, so that they are kept if the step never ends.
#[derive(Default)]
pub(crate) struct StepReport {
    pub(crate) inputs: Option<Box<RawValue>>,
    pub(crate) exports: BTreeMap<String, Box<RawValue>>,
    pub(crate) sends: Vec<Send>,
}

impl StepReport {
    pub(crate) fn into_outcome(self, flow: Option<Flow>, reply: Option<Reply>) -> StepOutcome {
        StepOutcome {
            inputs: self.inputs,
            // Serializing texts and raw JSON does not fail.
            exports: to_raw_value(&self.exports).unwrap_or_default(),
            flow,
            sends: self.sends,
            reply,
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct RawFlow<'a> {
    k: &'a str,
    ms: Option<u64>,
    reason: Option<String>,
    #[serde(borrow)]
    context: Option<&'a RawValue>,
    max: Option<u32>,
}

impl RawFlow<'_> {
    pub(crate) fn read(self) -> Result<Flow, String> {
        let ms = self
            .ms
            .filter(|ms| (1..=MAX_PAUSE_MS).contains(ms))
            .ok_or("a pause without a valid length");
        Ok(match self.k {
            "exit" => Flow::Exit {
                reason: self.reason,
            },
            "delay" => Flow::Delay { ms: ms? },
            "suspend" => Flow::Suspend { ms: ms? },
            "rerun" => Flow::Rerun {
                ms: ms?,
                context: self.context.unwrap_or(RawValue::NULL).to_owned(),
                max_retries: self.max.unwrap_or_default(),
            },
            other => return Err(format!("an unknown flow {other:?}")),
        })
    }
}

#[derive(Deserialize)]
pub(crate) struct RawReply<'a> {
    s: u16,
    #[serde(default)]
    h: Vec<(String, String)>,
    b: Option<String>,
    x: Option<&'a str>,
}

impl RawReply<'_> {
    pub(crate) fn read(self) -> Result<Reply, String> {
        Ok(Reply {
            status: self.s,
            headers: self.h,
            body: body(self.b, self.x)?,
        })
    }
}
