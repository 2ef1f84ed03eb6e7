//! How a run goes on after a step.

use serde_json::json;
use sluice_runtime::Flow;

use crate::support::{parsed, run};

const DAY: u64 = 24 * 3600 * 1000;

#[tokio::test]
async fn a_step_says_how_the_run_goes_on() {
    let ran = run("return $.flow.exit('not today')").await;
    assert_eq!(ran.ok(), json!({}));
    assert!(
        matches!(&ran.step().flow, Some(Flow::Exit { reason: Some(reason) }) if reason == "not today")
    );
    let ran = run("$.flow.exit(); return 'after'").await;
    assert_eq!(ran.returned(), "after");
    assert!(matches!(ran.step().flow, Some(Flow::Exit { reason: None })));
    let ran = run("$.flow.delay(1500.2)").await;
    assert!(matches!(ran.step().flow, Some(Flow::Delay { ms: 1501 })));
    let ran = run("$.flow.suspend()").await;
    assert!(matches!(ran.step().flow, Some(Flow::Suspend { ms: DAY })));
    let ran = run("$.flow.suspend(20)").await;
    assert!(matches!(ran.step().flow, Some(Flow::Suspend { ms: 20 })));
    assert!(run("").await.step().flow.is_none());
}

#[tokio::test]
async fn rerun_takes_a_context_and_has_ten_retries_unless_told() {
    let ran = run("$.flow.rerun(5000, { page: 2 })").await;
    let Some(Flow::Rerun {
        ms: 5000,
        context,
        max_retries: 10,
    }) = &ran.step().flow
    else {
        panic!("{:?}", ran.step().flow);
    };
    assert_eq!(parsed(context), json!({ "page": 2 }));
    let ran = run("$.flow.rerun(1, undefined, 3)").await;
    let Some(Flow::Rerun {
        ms: 1,
        context,
        max_retries: 3,
    }) = &ran.step().flow
    else {
        panic!("{:?}", ran.step().flow);
    };
    assert_eq!(parsed(context), json!(null));
    assert_eq!(
        run("$.flow.rerun(1, 10n)").await.failure().name,
        "ExportError"
    );
}

#[tokio::test]
async fn pauses_give_the_addresses_that_end_them() {
    for call in ["delay(1)", "suspend()", "rerun(1)"] {
        let ran = run(&format!("return $.flow.{call}")).await;
        assert_eq!(
            ran.returned(),
            json!({ "resume_url": "https://sluice.test/resume", "cancel_url": "https://sluice.test/cancel" })
        );
    }
}

#[tokio::test]
async fn the_last_call_wins() {
    let ran = run("$.flow.suspend(); $.flow.exit(); $.flow.delay(7)").await;
    assert!(matches!(ran.step().flow, Some(Flow::Delay { ms: 7 })));
}

#[tokio::test]
async fn a_pause_lasts_from_a_millisecond_to_a_year() {
    let ran = run("$.flow.delay(365 * 24 * 3600 * 1000)").await;
    assert!(matches!(ran.step().flow, Some(Flow::Delay { ms }) if ms == 365 * DAY));
    for ms in [
        "0",
        "-1",
        "365 * 24 * 3600 * 1000 + 1",
        "NaN",
        "Infinity",
        "'soon'",
        "undefined",
        "{}",
    ] {
        for call in ["delay", "rerun"] {
            let ran = run(&format!("$.flow.{call}({ms})")).await;
            assert_eq!(ran.failure().name, "RangeError", "{ms}");
            assert!(
                ran.failure()
                    .message
                    .starts_with(&format!("$.flow.{call}: invalid value"))
            );
        }
    }
    let ran = run("$.flow.rerun(1, null, -1)").await;
    assert_eq!(
        ran.failure().message,
        "$.flow.rerun: invalid value -1 for maxRetries"
    );
}
