//! What the harness reports of a step: gathered while it runs, and completed by its end.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    outcome::Reply,
    protocol::body,
    step::{Flow, Send, StepOutcome},
};

/// No pause of a run is longer: a year.
const LONGEST_PAUSE_MS: u64 = 365 * 24 * 3600 * 1000;

/// What a step has done so far. Reported as it happens, so that it stands when the step never ends.
#[derive(Default)]
pub(crate) struct StepReport {
    pub(crate) exports: BTreeMap<String, Box<RawValue>>,
    pub(crate) sends: Vec<Send>,
}

impl StepReport {
    pub(crate) fn into_outcome(self, flow: Option<Flow>, reply: Option<Reply>) -> StepOutcome {
        StepOutcome {
            // Texts and raw JSON can always be written.
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
            .filter(|ms| (1..=LONGEST_PAUSE_MS).contains(ms))
            .ok_or("a pause without a length that it can have");
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
