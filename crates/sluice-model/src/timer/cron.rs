//! Cron expressions: how they are parsed, why one is invalid, and when one fires.

use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};
use jiff::{Timestamp, tz::TimeZone};

const MAX_LENGTH: usize = 200;
/// Of more occurrences only so many are counted, because each of them has to be found.
const MAX_COUNTED: u64 = 1_000;
/// The year 4900. Dates repeat, so every expression that ever fires does so in the century after it. The search for an occurrence
/// ends with the year 5000, so a search that begins here is short.
const CHECK_FROM_MS: i64 = 92_461_910_400_000;
/// The fields of an expression, each with its values. The first one is optional.
const FIELDS: [(&str, &str); 6] = [
    ("second", "0-59"),
    ("minute", "0-59"),
    ("hour", "0-23"),
    ("day of the month", "1-31 or L"),
    ("month", "1-12 or JAN-DEC"),
    ("weekday", "0-7 or SUN-SAT"),
];
const ORDER: &str =
    "minute, hour, day of the month, month and weekday, with seconds optionally before them";
const NAMES: &str = "@hourly, @daily, @weekly, @monthly and @yearly";
/// Longer values are not repeated in an error.
const MAX_SHOWN: usize = 40;

/// The parsed expression. The error continues after the name of the prop.
fn parse(expression: &str) -> Result<Cron, String> {
    if expression.len() > MAX_LENGTH {
        return Err(invalid(&format!("longer than {MAX_LENGTH} characters")));
    }
    parser(expression).ok_or_else(|| invalid(&reason(expression)))
}

/// Checks an expression that a user wrote. The error continues after the name of the prop.
pub(super) fn check(expression: &str) -> Result<(), String> {
    let cron = parse(expression)?;
    match occurrence(&cron, TimeZone::UTC, CHECK_FROM_MS) {
        Some(_) => Ok(()),
        None => Err(format!(
            "never fires: no date matches the cron expression {expression:?}"
        )),
    }
}

/// The first occurrence after `now_ms`. An expression such as 30 February has none.
pub(super) fn next(expression: &str, timezone: Option<&str>, now_ms: i64) -> Option<i64> {
    occurrence(&parse(expression).ok()?, zone(timezone)?, now_ms)
}

/// The number of occurrences after `after_ms`, until `until_ms`.
pub(super) fn count(
    expression: &str,
    timezone: Option<&str>,
    after_ms: i64,
    until_ms: i64,
) -> Option<u64> {
    let zone = zone(timezone)?;
    let cron = parse(expression).ok()?;
    let mut last = after_ms;
    let mut count = 0;
    while count < MAX_COUNTED && last < until_ms {
        match occurrence(&cron, zone.clone(), last) {
            Some(next) if next <= until_ms => last = next,
            _ => break,
        }
        count += 1;
    }
    Some(count)
}

fn parser(expression: &str) -> Option<Cron> {
    CronParser::builder()
        .seconds(Seconds::Optional)
        .year(Year::Disallowed)
        .build()
        .parse(expression)
        .ok()
}

fn zone(name: Option<&str>) -> Option<TimeZone> {
    name.map_or(Ok(TimeZone::UTC), TimeZone::get).ok()
}

fn occurrence(cron: &Cron, zone: TimeZone, now_ms: i64) -> Option<i64> {
    // Occurrences are whole seconds, so "after this second" is "after this millisecond".
    let now = Timestamp::from_second(now_ms.div_euclid(1000)).ok()?;
    let next = cron.find_next_occurrence(&now.to_zoned(zone), false).ok()?;
    Some(next.timestamp().as_millisecond())
}

fn invalid(reason: &str) -> String {
    format!("is not a valid cron expression: {reason}")
}

/// Names the field that is invalid, and its values.
fn reason(expression: &str) -> String {
    let given: Vec<&str> = expression.split_whitespace().collect();
    if let [name] = given[..]
        && name.starts_with('@')
    {
        return format!("{} is not one of {NAMES}", shown(name));
    }
    let skipped = match given.len() {
        6 => 0,
        5 => 1,
        1 => return format!("it has 1 field in place of 5 or 6: {ORDER}"),
        count => return format!("it has {count} fields in place of 5 or 6: {ORDER}"),
    };
    let fields = FIELDS[skipped..].iter().zip(&given).enumerate();
    for (position, ((name, values), given)) in fields {
        if let Some(part) = invalid_part(given, position + skipped) {
            return format!("{} is not a valid {name} ({values})", shown(part));
        }
    }
    format!("its fields are {ORDER}")
}

/// The part of a field's list that is invalid, when all other fields are `*`.
fn invalid_part(field: &str, position: usize) -> Option<&str> {
    let is_valid = |value: &str| {
        let mut fields = ["*"; FIELDS.len()];
        fields[position] = value;
        parser(&fields.join(" ")).is_some()
    };
    if is_valid(field) {
        return None;
    }
    field
        .split(',')
        .find(|part| !is_valid(part))
        .or(Some(field))
}

fn shown(value: &str) -> String {
    let short: String = value.chars().take(MAX_SHOWN).collect();
    if short.len() == value.len() {
        format!("{value:?}")
    } else {
        format!("{short:?}…")
    }
}
