//! Tests of schedules.

use jiff::Timestamp;
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
    assert_eq!(ticks, 1_000);
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
fn an_invalid_cron_expression_is_explained_by_its_field() {
    let error = |given: &str| TimerSpec::from_json(&json!({ "cron": given })).unwrap_err();
    let order =
        "minute, hour, day of the month, month and weekday, with seconds optionally before them";
    for (given, reason) in [
        ("", format!("it has 0 fields in place of 5 or 6: {order}")),
        (
            "hourly",
            format!("it has 1 field in place of 5 or 6: {order}"),
        ),
        (
            "* * *",
            format!("it has 3 fields in place of 5 or 6: {order}"),
        ),
        (
            "61 * * * *",
            "\"61\" is not a valid minute (0-59)".to_owned(),
        ),
        (
            "60 0 9 * * *",
            "\"60\" is not a valid second (0-59)".to_owned(),
        ),
        (
            "0 9,25 * * *",
            "\"25\" is not a valid hour (0-23)".to_owned(),
        ),
        (
            "0 9 0 * *",
            "\"0\" is not a valid day of the month (1-31 or L)".to_owned(),
        ),
        (
            "0 9 * FOO *",
            "\"FOO\" is not a valid month (1-12 or JAN-DEC)".to_owned(),
        ),
        (
            "0 9 * * MON-FUN",
            "\"MON-FUN\" is not a valid weekday (0-7 or SUN-SAT)".to_owned(),
        ),
        (
            "*/0 * * * *",
            "\"*/0\" is not a valid minute (0-59)".to_owned(),
        ),
        (
            "@often",
            "\"@often\" is not one of @hourly, @daily, @weekly, @monthly and @yearly".to_owned(),
        ),
    ] {
        assert_eq!(
            error(given),
            format!("is not a valid cron expression: {reason}"),
            "{given:?}"
        );
    }
}

#[test]
fn a_schedule_that_never_fires_is_invalid() {
    for never in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 0 30 FEB *"] {
        let error = TimerSpec::from_json(&json!({ "cron": never })).unwrap_err();
        assert_eq!(
            error,
            format!("never fires: no date matches the cron expression {never:?}")
        );
    }
    for rare in ["0 0 29 2 *", "0 0 31 12 *", "0 0 30 2 1"] {
        cron(rare, None);
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
    let never = TimerSpec::Cron {
        expression: "0 0 30 2 *".to_owned(),
        timezone: None,
    };
    assert_eq!(never.next_after(0), None);
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
