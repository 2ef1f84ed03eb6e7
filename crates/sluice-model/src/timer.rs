//! Schedules of timer props: how they are parsed and stored, and when they are due next.

use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};
use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::json_value::whole_number;

const HOUR: u32 = 3600;
const YEAR: u32 = 31_536_000;
const MAX_CRON_LENGTH: usize = 200;
/// Of more ticks only so many are counted, because each occurrence of a cron expression has to be found.
const MAX_COUNTED: u64 = 1_000;

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

    /// Reads the form that users and components write (`intervalSeconds`) and the stored form (`interval_seconds`). The
    /// error continues after the name of the prop: "must be at least 1 second".
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
            } => count_crons(expression, timezone.as_deref(), due_at, until_ms).unwrap_or(0),
        }
    }

    /// When it is due next, strictly after `now_ms`. A cron expression such as 30 February never is.
    pub fn next_after(&self, now_ms: i64) -> Option<i64> {
        match self {
            Self::Interval { seconds } => now_ms.checked_add(i64::from(*seconds) * 1000),
            Self::Cron {
                expression,
                timezone,
            } => next_cron(expression, timezone.as_deref(), now_ms),
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

fn parse_cron_spec(cron: &Value, timezone: Option<&Value>) -> Result<TimerSpec, String> {
    let expression = cron.as_str().ok_or("cron must be a string")?.trim();
    parse_cron(expression)?;
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

fn parse_cron(expression: &str) -> Result<Cron, String> {
    if expression.len() > MAX_CRON_LENGTH {
        return Err(format!(
            "is not a valid cron expression: longer than {MAX_CRON_LENGTH} characters"
        ));
    }
    CronParser::builder()
        .seconds(Seconds::Optional)
        .year(Year::Disallowed)
        .build()
        .parse(expression)
        .map_err(|error| format!("is not a valid cron expression: {error}"))
}

fn next_cron(expression: &str, timezone: Option<&str>, now_ms: i64) -> Option<i64> {
    let zone = timezone.map_or(Ok(TimeZone::UTC), TimeZone::get).ok()?;
    next_occurrence(&parse_cron(expression).ok()?, zone, now_ms)
}

fn count_crons(
    expression: &str,
    timezone: Option<&str>,
    after_ms: i64,
    until_ms: i64,
) -> Option<u64> {
    let zone = timezone.map_or(Ok(TimeZone::UTC), TimeZone::get).ok()?;
    let cron = parse_cron(expression).ok()?;
    let mut last = after_ms;
    let mut count = 0;
    while count < MAX_COUNTED && last < until_ms {
        match next_occurrence(&cron, zone.clone(), last) {
            Some(next) if next <= until_ms => last = next,
            _ => break,
        }
        count += 1;
    }
    Some(count)
}

fn next_occurrence(cron: &Cron, zone: TimeZone, now_ms: i64) -> Option<i64> {
    // Occurrences are whole seconds, so "after this second" is "after this millisecond".
    let now = Timestamp::from_second(now_ms.div_euclid(1000)).ok()?;
    let next = cron.find_next_occurrence(&now.to_zoned(zone), false).ok()?;
    Some(next.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cron(expression: &str, timezone: Option<&str>) -> TimerSpec {
        TimerSpec::from_json(&json!({"cron": expression, "timezone": timezone})).unwrap()
    }

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn ticks_are_counted_up_to_a_time() {
        let minutely = TimerSpec::Interval { seconds: 60 };
        for (until, ticks) in [(-1, 0), (0, 0), (59_999, 0), (60_000, 1), (180_001, 3)] {
            assert_eq!(minutely.ticks_after(1_000, 1_000 + until), ticks);
        }
        let hourly = cron("0 * * * *", None);
        let due = ms("2024-03-01T10:00:00Z");
        for (until, ticks) in [
            ("2024-03-01T09:00:00Z", 0),
            ("2024-03-01T10:59:59Z", 0),
            ("2024-03-01T11:00:00Z", 1),
            ("2024-03-02T10:00:00Z", 24),
        ] {
            assert_eq!(hourly.ticks_after(due, ms(until)), ticks, "{until}");
        }
        let every_second = cron("* * * * * *", None);
        let ticks = every_second.ticks_after(due, ms("2024-03-02T10:00:00Z"));
        assert_eq!(ticks, MAX_COUNTED);
    }

    #[test]
    fn both_spellings_of_an_interval_are_read() {
        let expected = TimerSpec::Interval { seconds: 15 };
        for given in [
            json!({"intervalSeconds": 15}),
            json!({"interval_seconds": 15.0, "cron": null}),
        ] {
            assert_eq!(TimerSpec::from_json(&given), Ok(expected.clone()));
        }
        assert_eq!(
            expected.to_json(),
            json!({"cron": null, "interval_seconds": 15})
        );
    }

    #[test]
    fn stored_specs_read_back() {
        for spec in [
            TimerSpec::HOURLY,
            cron("0 9 * * 1-5", Some("Europe/Berlin")),
            cron("*/5 * * * * *", None),
        ] {
            assert_eq!(TimerSpec::from_json(&spec.to_json()), Ok(spec.clone()));
            let text = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<TimerSpec>(&text).unwrap(), spec);
        }
        assert_eq!(
            cron("0 9 * * *", Some("Asia/Tokyo")).to_json().to_string(),
            r#"{"cron":"0 9 * * *","interval_seconds":null,"timezone":"Asia/Tokyo"}"#
        );
    }

    #[test]
    fn errors_name_the_problem() {
        let error = |given: Value| TimerSpec::from_json(&given).unwrap_err();
        assert_eq!(
            error(json!({"intervalSeconds": 0})),
            "must be at least 1 second"
        );
        assert_eq!(
            error(json!({"intervalSeconds": -5})),
            "must be at least 1 second"
        );
        assert_eq!(
            error(json!({"intervalSeconds": 31_536_001})),
            "must be at most 31536000 seconds"
        );
        assert_eq!(
            error(json!({"intervalSeconds": "60"})),
            "must be a whole number of seconds"
        );
        assert_eq!(
            error(json!({"intervalSeconds": 1.5})),
            "must be a whole number of seconds"
        );
        assert_eq!(
            error(json!({"intervalSeconds": 1, "cron": "* * * * *"})),
            "needs only one of intervalSeconds and cron"
        );
        for nothing in [
            json!({}),
            json!(null),
            json!(5),
            json!("hourly"),
            json!({"cron": null}),
            json!([]),
        ] {
            assert_eq!(error(nothing), "needs intervalSeconds or cron");
        }
        assert_eq!(error(json!({"cron": 5})), "cron must be a string");
        assert_eq!(
            error(json!({"cron": "0 0 * * *", "timezone": "Mars/Base"})),
            "timezone \"Mars/Base\" is not known"
        );
        for bad in [
            "",
            "* * *",
            "61 * * * *",
            "0 0 0 * * * 2030",
            "nonsense",
            "* * * * \u{0}",
            &"1,".repeat(200),
        ] {
            assert!(
                error(json!({"cron": bad})).starts_with("is not a valid cron expression"),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn cron_fires_strictly_after_now() {
        let hourly = cron("0 * * * *", None);
        assert_eq!(
            hourly.next_after(ms("2024-05-01T10:00:00Z")),
            Some(ms("2024-05-01T11:00:00Z"))
        );
        assert_eq!(
            hourly.next_after(ms("2024-05-01T09:59:59.999Z")),
            Some(ms("2024-05-01T10:00:00Z"))
        );
        let secondly = cron("* * * * * *", None);
        assert_eq!(
            secondly.next_after(ms("2024-05-01T10:00:00.500Z")),
            Some(ms("2024-05-01T10:00:01Z"))
        );
    }

    #[test]
    fn cron_follows_its_zone() {
        let nine = cron("0 9 * * *", Some("America/New_York"));
        assert_eq!(
            nine.next_after(ms("2024-01-10T00:00:00Z")),
            Some(ms("2024-01-10T14:00:00Z"))
        );
        assert_eq!(
            nine.next_after(ms("2024-07-10T00:00:00Z")),
            Some(ms("2024-07-10T13:00:00Z"))
        );
    }

    #[test]
    fn a_date_that_does_not_exist_is_never_due() {
        assert_eq!(cron("0 0 30 2 *", None).next_after(0), None);
        assert_eq!(cron("* * * * *", None).next_after(i64::MAX), None);
        assert_eq!(TimerSpec::HOURLY.next_after(i64::MAX), None);
    }

    #[test]
    fn missed_ticks_are_skipped_and_the_phase_stays() {
        assert_eq!(next_interval_slot(1000, 10, 1000), 11_000);
        assert_eq!(next_interval_slot(1000, 10, 10_999), 11_000);
        assert_eq!(next_interval_slot(1000, 10, 11_000), 21_000);
        assert_eq!(next_interval_slot(1000, 10, 95_000), 101_000);
        // A clock that was set back must not tick twice in one interval.
        assert_eq!(next_interval_slot(50_000, 10, 1000), 60_000);
    }

    proptest! {
        #[test]
        fn cron_is_strictly_later(
            expression in prop::sample::select(vec![
                "* * * * *", "*/7 * * * * *", "30 2 * * *", "0 */3 * * 1", "15 1 L * *", "0 0 29 2 *", "@hourly",
            ]),
            zone in prop::sample::select(vec![
                None, Some("Europe/Berlin"), Some("America/St_Johns"), Some("Australia/Lord_Howe"), Some("Pacific/Apia"),
            ]),
            now in 0..4_102_444_800_000_i64,
        ) {
            let next = cron(expression, zone).next_after(now);
            prop_assert!(next.is_some_and(|next| next > now), "{next:?}");
        }

        #[test]
        fn interval_slots_are_the_first_after_now(due in -1_000_000..1_000_000_i64, seconds in 1..1000_u32, now in -1_000_000..1_000_000_i64) {
            let interval = i64::from(seconds) * 1000;
            let slot = next_interval_slot(due, seconds, now);
            prop_assert!(slot > now && slot > due);
            prop_assert_eq!((slot - due) % interval, 0);
            prop_assert!(slot - interval <= now.max(due));
        }

        #[test]
        fn any_text_as_cron_is_answered(text in "[-0-9*/,LW#?+@A-Za-z \u{e9}\u{df}]{0,30}") {
            if let Ok(spec) = TimerSpec::from_json(&json!({"cron": text})) {
                let _ = spec.next_after(0);
            }
        }
    }
}
