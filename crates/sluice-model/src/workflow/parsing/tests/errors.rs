//! Every semantic error, with its position and its message.

use super::*;

/// The errors of a document with `lines` in front of its steps.
fn before_steps(lines: &str) -> Vec<String> {
    errors(&format!("name: x\n{lines}\n{STEPS}"))
}

/// The errors of a document whose only step has these lines, of which the first is line 4.
fn in_step(lines: &str) -> Vec<String> {
    let lines: Vec<_> = lines.lines().map(|line| format!("    {line}\n")).collect();
    errors(&format!("name: x\nsteps:\n  -\n{}", lines.concat()))
}

#[test]
fn all_errors_are_reported_at_once_and_in_order() {
    let text = "titel: x\nenv: { 1A: x }\ntriggers:\n  - http: { custom_response: 1 }\nsteps:\n  - name: 5\n  - code: ''\nsettings: { concurrency: 0 }\n";
    assert_eq!(
        errors(text),
        [
            "line 1, column 1: titel: is not a field of a workflow; there are `name`, `description`, `env`, `triggers`, `steps` and `settings`",
            "line 1, column 1: name: is required",
            "line 2, column 8: env.1A: the name of a value must be letters, digits and _, and not begin with a digit",
            "line 4, column 30: triggers[0].http.custom_response: must be true or false, not a number",
            "line 6, column 5: steps[0]: needs one of `code`, `file` and `action`",
            "line 6, column 11: steps[0].name: must be a string, not a number; put it in quotes",
            "line 7, column 5: steps[1].name: is required",
            "line 7, column 11: steps[1].code: must not be empty",
            "line 8, column 26: settings.concurrency: must be a whole number from 1 to 1000",
        ]
    );
}

#[test]
fn required_fields_of_a_workflow() {
    assert_eq!(
        errors("{}"),
        [
            "line 1, column 1: name: is required",
            "line 1, column 1: steps: is required"
        ]
    );
    assert_eq!(
        errors("name: ' '\ndescription: [x]\nsteps: []\n"),
        [
            "line 1, column 7: name: must not be empty",
            "line 2, column 14: description: must be a string, not a list",
            "line 3, column 8: steps: must have at least one step",
        ]
    );
    assert_eq!(
        errors("name:\nstep: []\nsteps: {}\n"),
        [
            "line 1, column 5: name: must be a string, not nothing",
            "line 2, column 1: step: is not a field of a workflow; did you mean `steps`?",
            "line 3, column 8: steps: must be a list, not an object",
        ]
    );
}

#[test]
fn environment_values() {
    assert_eq!(
        before_steps(
            "env:\n  PIPEDREAM_X: a\n  A-B: a\n  __proto__: a\n  LIST: [1]\n  NONE:\n  S: { secret: false }\n  T: { secert: true }"
        ),
        [
            "line 3, column 3: env.PIPEDREAM_X: names that begin with PIPEDREAM_ are the server's own",
            "line 4, column 3: env.A-B: the name of a value must be letters, digits and _, and not begin with a digit",
            "line 5, column 3: env.__proto__: the name of a value must be letters, digits and _, and not begin with a digit",
            "line 6, column 9: env.LIST: must be a string, a number, a boolean or `{ secret: true }`, not a list",
            "line 7, column 7: env.NONE: must be a string, a number, a boolean or `{ secret: true }`, not nothing",
            "line 8, column 16: env.S.secret: must be true; write a value that is no secret without it",
            "line 9, column 6: env.T.secret: is required",
            "line 9, column 8: env.T.secert: is not a field of a secret value; did you mean `secret`?",
        ]
    );
}

#[test]
fn triggers() {
    assert_eq!(
        before_steps(
            "triggers:\n  - cron: x\n  - http:\n    events: {}\n  - {}\n  - http\n  - http:\n  - http: { customResponse: true }\n  - http: yes"
        ),
        [
            "line 3, column 5: triggers[0].cron: is not a kind of trigger; there are `http`, `schedule` and `events`",
            "line 4, column 5: triggers[1]: must be exactly one of `http`, `schedule` and `events`; each has a dash of its own",
            "line 6, column 5: triggers[2]: must be exactly one of `http`, `schedule` and `events`; each has a dash of its own",
            "line 7, column 5: triggers[3]: must be an object, not a string",
            "line 8, column 5: triggers[4]: a workflow has at most one http trigger; the first is on line 4",
            "line 9, column 5: triggers[5]: a workflow has at most one http trigger; the first is on line 4",
            "line 9, column 13: triggers[5].http.customResponse: is not a field of an http trigger; did you mean `custom_response`?",
            "line 10, column 5: triggers[6]: a workflow has at most one http trigger; the first is on line 4",
            "line 10, column 11: triggers[6].http: must be an object, not a string",
        ]
    );
    let json = r#"{"name": "x", "triggers": [{"http": {}}, {"http": {}}], "steps": [{"name": "a", "code": "x"}]}"#;
    assert_eq!(
        errors(json),
        [
            "line 1, column 42: triggers[1]: a workflow has at most one http trigger; the first is on line 1"
        ]
    );
}

#[test]
fn schedules() {
    let schedules = [
        "{ cron: 61 * * * *, timezone: Mars/Base }",
        "{ interval_seconds: 0 }",
        "{ interval_seconds: 5, timezone: UTC }",
        "{ cron: 5 }",
        "{ intervalSeconds: 5, interval_seconds: 5 }",
        "{ timezone: UTC }",
        "{ interval_seconds: 31536001 }",
        "{ interval_seconds: soon }",
        "hourly",
    ];
    let lines = schedules.map(|schedule| format!("\n  - schedule: {schedule}"));
    assert_eq!(
        before_steps(&format!("triggers:{}", lines.concat())),
        [
            "line 3, column 23: triggers[0].schedule.cron: is not a valid cron expression: \"61\" is not a valid minute (0-59)",
            "line 3, column 45: triggers[0].schedule.timezone: \"Mars/Base\" is not known",
            "line 4, column 35: triggers[1].schedule.interval_seconds: must be at least 1 second",
            "line 5, column 48: triggers[2].schedule.timezone: goes with cron only",
            "line 6, column 23: triggers[3].schedule.cron: must be a string, not a number; put it in quotes",
            "line 7, column 34: triggers[4].schedule.intervalSeconds: a schedule has only one of `cron` and `interval_seconds`",
            "line 8, column 15: triggers[5].schedule: needs `cron` or `interval_seconds`",
            "line 9, column 35: triggers[6].schedule.interval_seconds: must be at most 31536000 seconds",
            "line 10, column 35: triggers[7].schedule.interval_seconds: must be a whole number of seconds",
            "line 11, column 15: triggers[8].schedule: must be an object, not a string",
        ]
    );
}

#[test]
fn events() {
    let long = "x".repeat(501);
    let events = [
        "{}",
        "{ from: '*' }",
        "{ from: dc_, event_name: $error }",
        "{ from: My Source }",
        &format!("{{ from: dc_*, event_name: {long} }}"),
    ];
    let lines = events.map(|events| format!("\n  - events: {events}"));
    let emitter = "must be the id of a source or a workflow (dc_… or p_…), its slug, or all of them: `dc_*` or `p_*`";
    assert_eq!(
        before_steps(&format!("triggers:{}", lines.concat())),
        [
            "line 3, column 13: triggers[0].events.from: is required",
            &format!("line 4, column 21: triggers[1].events.from: {emitter}"),
            &format!("line 5, column 21: triggers[2].events.from: {emitter}"),
            "line 5, column 38: triggers[2].events.event_name: must be `$errors` or `$logs` when it begins with $",
            &format!("line 6, column 21: triggers[3].events.from: {emitter}"),
            "line 7, column 39: triggers[4].events.event_name: must not be longer than 500 bytes",
        ]
    );
}

#[test]
fn step_names() {
    let words = "must be letters, digits and _, and not begin with a digit";
    for (name, error) in [
        (
            "trigger",
            "must not be `trigger`, which is what started the run",
        ),
        ("my-step", words),
        ("2nd", words),
        ("__proto__", words),
        ("''", "must not be empty"),
    ] {
        let expected = format!("line 4, column 11: steps[0].name: {error}");
        assert_eq!(in_step(&format!("name: {name}\ncode: x")), [expected]);
    }
    let long = format!("name: {}\ncode: x", "a".repeat(65));
    let expected = "line 4, column 11: steps[0].name: must not be longer than 64 characters";
    assert_eq!(in_step(&long), [expected]);
    assert_eq!(
        errors(&format!("name: x\n{STEPS}  - code: y\n    name: a\n")),
        ["line 6, column 11: steps[1].name: is the name of the step on line 3 too"]
    );
}

#[test]
fn code_of_steps() {
    assert_eq!(
        in_step("name: a\ncode: x\naction: y"),
        ["line 6, column 13: steps[0].action: a step has only one of `code`, `file` and `action`"]
    );
    assert_eq!(
        in_step("name: a\nfile: ../other.js"),
        ["line 5, column 11: steps[0].file: must not lead out of the folder of the document"]
    );
    assert_eq!(
        in_step("name: a\nuses: x"),
        [
            "line 4, column 5: steps[0]: needs one of `code`, `file` and `action`",
            "line 5, column 5: steps[0].uses: is not a field of a step; there are `name`, `code`, `file`, `action`, `props`, `timeout_seconds` and `retry`",
        ]
    );
}

#[test]
fn values_of_props() {
    assert_eq!(
        in_step(
            "name: a\ncode: x\nprops:\n  big: 9007199254740993\n  bigger: [123456789012345678901234567890]\n  inf: .inf\n  fine: 1e300"
        ),
        [
            "line 7, column 12: steps[0].props.big: is too large for JavaScript to keep its digits; put it in quotes",
            "line 8, column 16: steps[0].props.bigger[0]: is too large for JavaScript to keep its digits; put it in quotes",
            "line 9, column 12: steps[0].props.inf: is not a number that JSON has; put it in quotes if it is text",
        ]
    );
    assert_eq!(
        in_step("name: a\ncode: x\nprops: [1]"),
        ["line 6, column 12: steps[0].props: must be an object, not a list"]
    );
}

#[test]
fn expressions_in_props() {
    let open = "has {{ without the }} that ends it; a quote or a bracket in between may be open";
    assert_eq!(
        in_step(
            "name: a\ncode: x\nprops:\n  open: Grüße {{ event\n  list: ['{{ }}', { deep: 'a {{ \"}}\" }} {{' }]\n  text: |\n    one\n    two {{}}\n  fine: '}} {'"
        ),
        [
            &format!("line 7, column 19: steps[0].props.open: {open}"),
            "line 8, column 15: steps[0].props.list[0]: has {{ }} with nothing in between",
            &format!("line 8, column 45: steps[0].props.list[1].deep: {open}"),
            "line 11, column 13: steps[0].props.text: has {{ }} with nothing in between",
        ]
    );
}

#[test]
fn settings() {
    assert_eq!(
        before_steps(
            "settings:\n  timeout_seconds: 3601\n  concurrency: many\n  throttle: { limit: 10001 }\n  queue: 1.5\n  retry: { max_retries: 101, delay_seconds: 20, max_delay_seconds: 10 }\n  timeout: 5"
        ),
        [
            "line 3, column 20: settings.timeout_seconds: must be a whole number from 1 to 3600",
            "line 4, column 16: settings.concurrency: must be a whole number, not a string",
            "line 5, column 13: settings.throttle.interval_seconds: is required",
            "line 5, column 22: settings.throttle.limit: must be a whole number from 0 to 10000",
            "line 6, column 10: settings.queue: must be a whole number from 1 to 1000000",
            "line 7, column 25: settings.retry.max_retries: must be a whole number from 0 to 100",
            "line 7, column 68: settings.retry.max_delay_seconds: must not be shorter than delay_seconds, 20",
            "line 8, column 3: settings.timeout: is not a field of the settings; there are `timeout_seconds`, `concurrency`, `throttle`, `queue` and `retry`",
        ]
    );
    assert_eq!(
        in_step("name: a\ncode: x\nretry: { delay_seconds: -1 }\ntimeout_seconds: 0"),
        [
            "line 6, column 12: steps[0].retry.max_retries: is required",
            "line 6, column 29: steps[0].retry.delay_seconds: must be a whole number from 0 to 86400",
            "line 7, column 22: steps[0].timeout_seconds: must be a whole number from 1 to 3600",
        ]
    );
}
