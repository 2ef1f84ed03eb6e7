//! Parses the settings of a workflow and of its steps.

use super::fields::{Field, optional};
use crate::workflow::{
    error::ParseResult,
    settings::{RetryPolicy, Throttle, WorkflowSettings},
};

const FIELDS: [&str; 5] = [
    "timeout_seconds",
    "concurrency",
    "throttle",
    "queue",
    "retry",
];
const RETRY: [&str; 3] = ["max_retries", "delay_seconds", "max_delay_seconds"];

pub(super) fn read(field: &Field<'_>) -> ParseResult<WorkflowSettings> {
    let fields = field.fields("the settings", &FIELDS)?;
    let timeout_seconds = optional(fields.get("timeout_seconds"), timeout);
    let concurrency = optional(fields.get("concurrency"), |field| {
        field.whole(&WorkflowSettings::CONCURRENCY)
    });
    let throttle = optional(fields.get("throttle"), throttle);
    let queue = optional(fields.get("queue"), |field| {
        field.whole(&WorkflowSettings::QUEUE)
    });
    let retry = optional(fields.get("retry"), retry);
    Ok(WorkflowSettings {
        timeout_seconds: timeout_seconds?,
        concurrency: concurrency?.unwrap_or(WorkflowSettings::DEFAULT_CONCURRENCY),
        throttle: throttle?,
        queue: queue?.unwrap_or(WorkflowSettings::DEFAULT_QUEUE),
        retry: retry?.unwrap_or_default(),
    })
}

pub(super) fn timeout(field: &Field<'_>) -> ParseResult<u32> {
    field.whole(&WorkflowSettings::TIMEOUT_SECONDS)
}

fn throttle(field: &Field<'_>) -> ParseResult<Throttle> {
    let fields = field.fields("a throttle", &["limit", "interval_seconds"])?;
    let limit = fields
        .required("limit")
        .and_then(|limit| limit.whole(&Throttle::LIMIT));
    let interval_seconds = fields
        .required("interval_seconds")
        .and_then(|interval| interval.whole(&Throttle::INTERVAL_SECONDS));
    Ok(Throttle {
        limit: limit?,
        interval_seconds: interval_seconds?,
    })
}

pub(super) fn retry(field: &Field<'_>) -> ParseResult<RetryPolicy> {
    let fields = field.fields("a retry policy", &RETRY)?;
    let seconds = |key| {
        let read = |field: &Field<'_>| field.whole(&RetryPolicy::DELAY_SECONDS);
        optional(fields.get(key), read)
    };
    let default = RetryPolicy::default();
    let max_retries = fields
        .required("max_retries")
        .and_then(|retries| retries.whole(&RetryPolicy::MAX_RETRIES));
    let (delay, longest) = (seconds("delay_seconds"), seconds("max_delay_seconds"));
    let delay = delay?.unwrap_or(default.delay_seconds);
    // A first delay that is longer than the default limit raises the limit.
    let longest = longest?.unwrap_or(default.max_delay_seconds.max(delay));
    if delay > longest {
        let limit = fields.get("max_delay_seconds").unwrap_or(field.clone());
        let message = format!("must not be shorter than delay_seconds, {delay}");
        return Err(limit.error(message));
    }
    Ok(RetryPolicy {
        max_retries: max_retries?,
        delay_seconds: delay,
        max_delay_seconds: longest,
    })
}
