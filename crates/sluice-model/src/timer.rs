//! Schedules of timer props: how they are parsed and stored, and when they are due next.

mod cron;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::json_value::whole_number;

const HOUR: u32 = 3600;
const YEAR: u32 = 31_536_000;

/// A valid schedule. Its JSON form is that of `configured_props`: `{cron, interval_seconds}`, of which one is null, and
/// `timezone` if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Value", try_from = "Value")]
pub enum TimerSpec {
    Interval {
        seconds: u32,
    },
    /// In UTC unless a zone is named.
    Cron {
        expression: String,
        timezone: Option<String>,
    },
}

impl TimerSpec {
    /// The default schedule.
    pub const HOURLY: TimerSpec = TimerSpec::Interval { seconds: HOUR };

    /// Reads the form that users and components write (`intervalSeconds`) and the stored form (`interval_seconds`). A cron
    /// expression that never fires is an error. The error continues after the name of the prop: "must be at least 1 second".
    pub fn from_json(value: &Value) -> Result<TimerSpec, String> {
        let field = |key: &str| value.get(key).filter(|part| !part.is_null());
        let intervals = [field("intervalSeconds"), field("interval_seconds")];
        let mut intervals = intervals.into_iter().flatten();
        match (intervals.next(), intervals.next(), field("cron")) {
            (Some(interval), None, None) => Ok(TimerSpec::Interval {
                seconds: parse_interval(interval)?,
            }),
            (None, None, Some(cron)) => parse_cron_spec(cron, field("timezone")),
            (None, None, None) => Err("needs intervalSeconds or cron".to_owned()),
            _ => Err("needs only one of intervalSeconds and cron".to_owned()),
        }
    }

    pub fn to_json(&self) -> Value {
        let (cron, interval, timezone) = match self {
            Self::Interval { seconds } => (None, Some(*seconds), None),
            Self::Cron {
                expression,
                timezone,
            } => (Some(expression), None, timezone.as_ref()),
        };
        let mut fields = Map::new();
        fields.insert("cron".to_owned(), json!(cron));
        fields.insert("interval_seconds".to_owned(), json!(interval));
        if let Some(timezone) = timezone {
            fields.insert("timezone".to_owned(), json!(timezone));
        }
        Value::Object(fields)
    }

    /// When it is due again after a tick that was due at `due_at` and has run by `now_ms`.
    pub fn next_tick(&self, due_at: i64, now_ms: i64) -> Option<i64> {
        match self {
            Self::Interval { seconds } => Some(next_interval_slot(due_at, *seconds, now_ms)),
            Self::Cron { .. } => self.next_after(now_ms),
        }
    }

    /// The number of ticks between one that was due at `due_at` and `until_ms`, the former excluded.
    pub fn ticks_after(&self, due_at: i64, until_ms: i64) -> u64 {
        match self {
            Self::Interval { seconds } => {
                let time = until_ms.saturating_sub(due_at).max(0);
                (time / interval_ms(*seconds)).unsigned_abs()
            }
            Self::Cron {
                expression,
                timezone,
            } => cron::count(expression, timezone.as_deref(), due_at, until_ms).unwrap_or(0),
        }
    }

    /// When it is due next, strictly after `now_ms`.
    pub fn next_after(&self, now_ms: i64) -> Option<i64> {
        match self {
            Self::Interval { seconds } => now_ms.checked_add(i64::from(*seconds) * 1000),
            Self::Cron {
                expression,
                timezone,
            } => cron::next(expression, timezone.as_deref(), now_ms),
        }
    }
}

impl From<TimerSpec> for Value {
    fn from(spec: TimerSpec) -> Value {
        spec.to_json()
    }
}

impl TryFrom<Value> for TimerSpec {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        Self::from_json(&value)
    }
}

/// The first time after `now_ms` that is a whole number of intervals, at least one, after `previous_due_ms`. Missed ticks
/// are skipped, and the phase stays the same.
pub fn next_interval_slot(previous_due_ms: i64, seconds: u32, now_ms: i64) -> i64 {
    let interval = interval_ms(seconds);
    let missed = now_ms.saturating_sub(previous_due_ms).max(0) / interval;
    previous_due_ms.saturating_add((missed + 1).saturating_mul(interval))
}

fn interval_ms(seconds: u32) -> i64 {
    i64::from(seconds.max(1)) * 1000
}

fn parse_interval(value: &Value) -> Result<u32, String> {
    let seconds = whole_number(value).ok_or("must be a whole number of seconds")?;
    if seconds < 1 {
        return Err("must be at least 1 second".to_owned());
    }
    u32::try_from(seconds)
        .ok()
        .filter(|seconds| *seconds <= YEAR)
        .ok_or_else(|| format!("must be at most {YEAR} seconds"))
}

fn parse_cron_spec(given: &Value, timezone: Option<&Value>) -> Result<TimerSpec, String> {
    let expression = given.as_str().ok_or("cron must be a string")?.trim();
    cron::check(expression)?;
    let timezone = match timezone {
        None => None,
        Some(name) => {
            let name = name.as_str().ok_or("timezone must be a string")?;
            check_timezone(name).map_err(|reason| format!("timezone {reason}"))?;
            Some(name.to_owned())
        }
    };
    Ok(TimerSpec::Cron {
        expression: expression.to_owned(),
        timezone,
    })
}

/// Whether a time zone of this name exists. The error continues after the name of the field.
pub(crate) fn check_timezone(name: &str) -> Result<(), String> {
    TimeZone::get(name)
        .map(|_| ())
        .map_err(|_| format!("{name:?} is not known"))
}

#[cfg(test)]
mod tests;
