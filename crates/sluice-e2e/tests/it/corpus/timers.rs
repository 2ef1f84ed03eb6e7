//! Timers as components declare them.

use rstest::rstest;
use serde_json::{Value, json};

use super::stage::user;
use crate::support::{Deployed, Form, deploy, deploy_with};

async fn deployed(form: Form, before: &str, rest: &str) -> Deployed {
    deploy(&user().await, &form.module(before, rest)).await
}

fn interval(source: &Deployed) -> &Value {
    &source.source["configured_props"]["timer"]["interval_seconds"]
}

#[rstest]
#[tokio::test]
async fn point_10_the_interval_of_a_poller_is_the_constant_of_the_platform(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let before = form.import(
        "DEFAULT_POLLING_SOURCE_TIMER_INTERVAL",
        "@pipedream/platform",
    );
    let rest = "props: { timer: { type: '$.interface.timer', default: { intervalSeconds: DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } } }, run(event) { this.$emit(event.interval_seconds); }";
    let source = deployed(form, &before, rest).await;
    assert_eq!(interval(&source), 900);
    assert_eq!(source.events(1).await, [900]);
}

#[rstest]
#[tokio::test]
async fn point_10_a_static_timer_is_not_the_user_s_to_set(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let rest = "props: { timer: { type: '$.interface.timer', static: { intervalSeconds: 60 * 60 } } }, run(event) { this.$emit(event.interval_seconds); }";
    let code = form.module("", rest);
    let source = deploy(&user().await, &code).await;
    assert_eq!(interval(&source), 3600);
    assert_eq!(source.events(1).await, [3600]);
    let given = json!({ "timer": { "intervalSeconds": 5 } });
    let stubborn = deploy_with(&source.api, &code, given).await;
    assert_eq!(interval(&stubborn), 3600);
}

#[rstest]
#[tokio::test]
async fn point_10_a_source_with_both_interfaces_tells_them_apart(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let rest = "props: { http: { type: '$.interface.http', customResponse: true }, timer: { type: '$.interface.timer', default: { intervalSeconds: 900 } } },
        run(event) {
            if (event.interval_seconds && event.timestamp) return this.$emit('tick');
            if (!event.headers) return this.$emit('by hand');
            this.http.respond({ status: 200 });
            this.$emit('request');
        }";
    let source = deployed(form, "", rest).await;
    assert_eq!(source.events(1).await, ["tick"]);
    source.send(&json!({})).await.expect(200);
    source.run(json!({})).await;
    let mut events = source.events(3).await.split_off(1);
    events.sort_by_key(ToString::to_string);
    assert_eq!(events, ["by hand", "request"]);
}

#[rstest]
#[tokio::test]
async fn point_11_a_source_with_a_timer_and_no_run_emits_the_event_of_the_timer(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let rest = "props: { timer: { type: '$.interface.timer', default: { intervalSeconds: 60 } } }";
    let source = deployed(form, "", rest).await;
    let tick = source.events(1).await.remove(0);
    assert_eq!(tick["interval_seconds"], 60);
    assert!(tick["timestamp"].is_u64(), "{tick}");
}
