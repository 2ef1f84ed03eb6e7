//! Automatic retry of a step that failed.

use serde_json::{Value, json};

use crate::{
    support::new_user,
    workflows::fixtures::{deploy, returned, running},
};

/// When each attempt at the step began, and how it ended.
fn attempts(run: &Value, step: &str) -> Vec<(i64, String)> {
    let steps = run["steps"].as_array().expect("steps");
    let of_step = steps.iter().filter(|one| one["name"] == step);
    of_step
        .map(|one| {
            let state = one["state"].as_str().expect("a state");
            let started = one["started_at_ms"].as_i64().expect("a time");
            (started, state.to_owned())
        })
        .collect()
}

#[tokio::test]
async fn a_failed_step_runs_again_after_pauses_that_double() {
    let mut document = running(&[
        ("before", "return Math.random()"),
        (
            "flaky",
            "const { runs } = $.context.run; if (runs < 3) throw new Error(`try ${runs}`); return runs",
        ),
        (
            "after",
            "return [steps.before.$return_value, steps.flaky.$return_value]",
        ),
    ]);
    document["steps"][1]["retry"] = json!({ "max_retries": 5, "delay_seconds": 1 });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let id = workflow.run(&json!({})).await;
    let waiting = workflow.run_in(&id, "waiting").await;
    assert_eq!(waiting["waits_for"]["kind"], "retry");
    let run = workflow.ended(&id).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    let tries = attempts(&run, "flaky");
    let states: Vec<&str> = tries.iter().map(|(_, state)| state.as_str()).collect();
    assert_eq!(states, ["failed", "failed", "completed"]);
    assert!(tries[1].0 - tries[0].0 >= 1000, "{tries:?}");
    assert!(tries[2].0 - tries[1].0 >= 2000, "{tries:?}");
    let steps = run["steps"].as_array().expect("steps");
    let waits: Vec<&Value> = steps.iter().map(|step| &step["waited_for"]).collect();
    let retry = json!("retry");
    assert_eq!(
        waits,
        [&Value::Null, &retry, &retry, &Value::Null, &Value::Null]
    );
    // Steps that completed do not run again.
    assert_eq!(attempts(&run, "before").len(), 1);
    assert_eq!(returned(&run, "after")[0], *returned(&run, "before"));
    assert_eq!(returned(&run, "after")[1], 3);
    let path = workflow.path("/$errors/event_summaries");
    let errors = workflow.api.get(&path).await.expect(200);
    assert_eq!(errors["data"], json!([]), "it did not fail");
}

#[tokio::test]
async fn the_last_retry_that_fails_is_the_end() {
    let mut document = running(&[("only", "throw new Error(`try ${$.context.run.runs}`)")]);
    document["settings"] = json!({ "retry": { "max_retries": 2, "delay_seconds": 0 } });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["state"], "failed");
    assert_eq!(run["error"]["message"], "try 3");
    assert_eq!(attempts(&run, "only").len(), 3);
}

#[tokio::test]
async fn a_step_that_says_so_is_not_retried() {
    let mut document = running(&[("only", "throw new Error('no')")]);
    document["settings"] = json!({ "retry": { "max_retries": 2, "delay_seconds": 0 } });
    document["steps"][0]["retry"] = json!({ "max_retries": 0 });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(attempts(&run, "only").len(), 1);
}

#[tokio::test]
async fn a_timeout_is_not_retried() {
    let mut document = running(&[("only", "await new Promise(() => {})")]);
    document["settings"] =
        json!({ "timeout_seconds": 1, "retry": { "max_retries": 2, "delay_seconds": 0 } });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["error"]["code"], "Timeout", "{run}");
    assert_eq!(attempts(&run, "only").len(), 1);
}

#[tokio::test]
async fn what_a_step_sent_before_it_failed_goes_once() {
    let mut document = running(&[(
        "only",
        "$.send.emit($.context.run.runs); if ($.context.run.runs < 3) throw new Error('no')",
    )]);
    document["settings"] = json!({ "retry": { "max_retries": 2, "delay_seconds": 0 } });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(workflow.emitted(1).await, [json!({ "raw_event": 3 })]);
}

#[tokio::test]
async fn a_retry_is_cancelled_or_hurried_by_its_addresses() {
    let mut document = running(&[(
        "only",
        "if ($.context.run.runs === 1) throw new Error('no')",
    )]);
    document["settings"] = json!({ "retry": { "max_retries": 1, "delay_seconds": 3600 } });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    for (address, state) in [("resume_url", "succeeded"), ("cancel_url", "cancelled")] {
        let id = workflow.run(&json!({})).await;
        let run = workflow.run_in(&id, "waiting").await;
        let url = run["waits_for"][address].as_str().expect("an address");
        let request = workflow.api.absolute(sluice_testkit::Method::POST, url);
        request.send().await.expect(200);
        assert_eq!(workflow.ended(&id).await["state"], state);
    }
}
