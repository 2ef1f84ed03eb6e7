//! Valid documents, and the result of parsing them.

use serde_json::json;

use super::*;
use crate::{
    timer::TimerSpec,
    workflow::{
        document::{EnvValue, StepCode, Trigger},
        settings::{RetryPolicy, Throttle, WorkflowSettings},
    },
};

pub(super) const EVERYTHING: &str = r#"# yaml-language-server: $schema=http://127.0.0.1:3000/workflows/schema.json
---
name: Filter and forward
description: Forwards events
env:
  TARGET: https://example.com
  PORT: 1.10
  DEBUG: True
  TOKEN: { secret: true }
triggers:
  - http: { custom_response: true }
  - schedule: { cron: "0 9 * * *", timezone: Europe/Berlin }
  - schedule: { intervalSeconds: 60 }
  - events: { from: my-source, event_name: default }
  - events: { from: p_*, event_name: $errors }
steps:
  - name: filter
    code: |
      export default defineComponent({
        async run({ steps, $ }) {},
      });
  - name: forward
    file: ./lib/forward.mjs
    props: { url: "{{ process.env.TARGET }}", body: "{{ steps.trigger.event.body }}" }
    timeout_seconds: 60
    retry: { max_retries: 3, max_delay_seconds: 600 }
  - name: note
    action: acme-note
    props:
      slack: { authProvisionId: apn_1 }
      text: Hello {{ event.body.name }}
      nested: [1, 2.5, null, false, { deep: ~ }]
settings:
  timeout_seconds: 30
  concurrency: 8
  throttle: { limit: 0, interval_seconds: 86400 }
  queue: 1000000
  retry: { max_retries: 1, delay_seconds: 7200 }
"#;

#[test]
fn every_field_is_read() {
    let document = document(EVERYTHING);
    assert_eq!(document.name, "Filter and forward");
    assert_eq!(document.description.as_deref(), Some("Forwards events"));
    let env = |name: &str| document.env[name].clone();
    assert_eq!(env("PORT"), EnvValue::Value("1.10".to_owned()));
    assert_eq!(env("DEBUG"), EnvValue::Value("true".to_owned()));
    assert_eq!(env("TOKEN"), EnvValue::Secret);
    let events = |from: &str, event_name: &str| Trigger::Events {
        from: from.to_owned(),
        event_name: event_name.to_owned(),
    };
    let nine = TimerSpec::Cron {
        expression: "0 9 * * *".to_owned(),
        timezone: Some("Europe/Berlin".to_owned()),
    };
    assert_eq!(
        document.triggers,
        [
            Trigger::Http {
                custom_response: Some(true)
            },
            Trigger::Schedule(nine),
            Trigger::Schedule(TimerSpec::Interval { seconds: 60 }),
            events("my-source", ""),
            events("p_*", "$errors"),
        ]
    );
    let throttle = Throttle {
        limit: 0,
        interval_seconds: 86_400,
    };
    let retry = RetryPolicy {
        max_retries: 1,
        delay_seconds: 7200,
        max_delay_seconds: 7200,
    };
    assert_eq!(
        document.settings,
        WorkflowSettings {
            timeout_seconds: Some(30),
            concurrency: 8,
            throttle: Some(throttle),
            queue: 1_000_000,
            retry,
        }
    );
}

#[test]
fn steps_have_their_code_and_their_props() {
    let steps = document(EVERYTHING).steps;
    let [filter, forward, note] = steps.as_slice() else {
        panic!("{steps:?}");
    };
    let code = "export default defineComponent({\n  async run({ steps, $ }) {},\n});\n";
    assert_eq!(filter.code, StepCode::Inline(code.to_owned()));
    assert_eq!((filter.timeout_seconds, filter.retry), (None, None));
    assert_eq!(forward.code, StepCode::File("lib/forward.mjs".to_owned()));
    assert_eq!(forward.timeout_seconds, Some(60));
    let retry = RetryPolicy {
        max_retries: 3,
        delay_seconds: 10,
        max_delay_seconds: 600,
    };
    assert_eq!(forward.retry, Some(retry));
    assert_eq!(note.code, StepCode::Action("acme-note".to_owned()));
    let expected = json!({
        "slack": { "authProvisionId": "apn_1" },
        "text": "Hello {{ event.body.name }}",
        "nested": [1, 2.5, null, false, { "deep": null }],
    });
    assert_eq!(json!(note.props), expected);
}

#[test]
fn most_of_it_may_be_left_out() {
    let document = document(&format!("name: Small\n{STEPS}"));
    assert_eq!(document.description, None);
    assert!(document.env.is_empty() && document.triggers.is_empty());
    assert_eq!(document.settings, WorkflowSettings::default());
    assert!(document.steps[0].props.is_empty());
}

#[test]
fn null_lists_and_objects_count_as_empty() {
    let text = "name: x\nenv:\nsettings: ~\ntriggers:\n  - http:\nsteps:\n  - name: a\n    code: x\n    props:\n";
    let http = Trigger::Http {
        custom_response: None,
    };
    assert_eq!(document(text).triggers, [http]);
    assert_eq!(
        document(&format!("name: x\ntriggers:\n{STEPS}")).triggers,
        []
    );
}

#[test]
fn json_is_read_like_yaml() {
    let json = r#"{
	"name": "Gr\u00fc\u00dfe \ud83d\ude00 \/",
	"triggers": [{"schedule": {"interval_seconds": 6e1}}, {"http": null}],
	"steps": [{"name": "a", "code": "one\ntwo", "props": {"list": [], "object": {}, "text": "}\"]{", "n": -1.5e3}}]
}"#;
    let yaml = "name: \"Grüße 😀 /\"\ntriggers: [{schedule: {interval_seconds: 60}}, http:]\nsteps:\n- name: a\n  code: |-\n    one\n    two\n  props:\n    list: []\n    object: {}\n    text: '}\"]{'\n    n: -1500.0\n";
    assert_eq!(document(json), document(yaml));
    assert_eq!(document(&format!("\u{feff}{json}")), document(yaml));
    assert_eq!(document(&json.replace('\n', "\r\n")), document(yaml));
}

#[test]
fn anchors_and_aliases_share_values() {
    let text = "name: x\nsteps:\n  - name: a\n    code: &code return\n    retry: &retry { max_retries: 2 }\n  - name: b\n    code: *code\n    retry: *retry\n";
    let steps = document(text).steps;
    assert_eq!(steps[0].retry, steps[1].retry);
    assert_eq!(steps[0].code, steps[1].code);
}
