//! `$.flow.delay`, `suspend` and `rerun`: runs that wait, and what makes them go on.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Answer, Backend, Method, Server};

use crate::{
    support::{new_user, new_user_on, own_server},
    workflows::fixtures::{Workflow, deploy_running, exports, returned},
};

async fn post(workflow: &Workflow, url: &Value, body: &Value) -> Answer {
    let url = url.as_str().expect("an address");
    let request = workflow.api.absolute(Method::POST, url);
    request.json(body).send().await
}

/// Begins a run and waits until it waits.
async fn waiting(workflow: &Workflow, event: &Value) -> Value {
    let id = workflow.run(event).await;
    workflow.run_in(&id, "waiting").await
}

async fn over(workflow: &Workflow, run: &Value) -> Value {
    workflow.ended(run["id"].as_str().expect("an id")).await
}

#[tokio::test]
async fn flow_delay_goes_on_with_the_next_step_after_its_time() {
    let bodies = [
        ("first", "$.flow.delay(700); return Date.now()"),
        ("second", "return Date.now() - steps.first.$return_value"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = waiting(&workflow, &json!({})).await;
    assert_eq!(run["waits_for"]["kind"], "delay");
    assert_eq!(run["waits_for"]["step"], "first");
    assert!(run["due_at_ms"].is_number() && run["finished_at_ms"].is_null());
    let run = over(&workflow, &run).await;
    assert_eq!(run["state"], "succeeded");
    let waited = returned(&run, "second").as_i64().expect("milliseconds");
    assert!(waited >= 700, "{waited}");
    let waits = |step: usize| &run["steps"][step]["waited_for"];
    assert_eq!((waits(0), waits(1)), (&json!("delay"), &Value::Null));
    assert_eq!(
        (&run["waits_for"], &run["due_at_ms"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn flow_delay_ends_early_when_it_is_resumed_or_cancelled() {
    let bodies = [
        ("first", "return $.flow.delay(3600 * 1000)"),
        ("second", "return 'went on'"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = waiting(&workflow, &json!({})).await;
    let address = &returned(&run, "first")["resume_url"];
    assert_eq!(address, &run["waits_for"]["resume_url"]);
    let told = post(&workflow, address, &json!({})).await.ok();
    assert_eq!(told["id"], run["id"]);
    assert_eq!(returned(&over(&workflow, &run).await, "second"), "went on");
    let run = waiting(&workflow, &json!({})).await;
    let address = &returned(&run, "first")["cancel_url"];
    post(&workflow, address, &json!({})).await.ok();
    assert_eq!(over(&workflow, &run).await["state"], "cancelled");
}

#[tokio::test]
async fn a_delay_in_the_last_step_ends_the_run_after_its_time() {
    let bodies = [("only", "$.flow.delay(1)")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(run["steps"].as_array().map(Vec::len), Some(1));
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn flow_suspend_waits_until_somebody_resumes_it(#[case] backend: Backend) {
    let bodies = [
        ("first", "$.flow.suspend(); return 'asked'"),
        (
            "second",
            "return [steps.first.$return_value, steps.first.$resume_data]",
        ),
    ];
    let workflow = deploy_running(&new_user_on(backend).await, &bodies).await;
    let run = waiting(&workflow, &json!({})).await;
    assert_eq!(run["waits_for"]["kind"], "suspend");
    let a_day = run["due_at_ms"].as_i64().zip(run["started_at_ms"].as_i64());
    let a_day = a_day.map(|(due, start)| due - start).expect("times");
    assert!((86_400_000..86_460_000).contains(&a_day), "{a_day}");
    let address = &run["waits_for"]["resume_url"];
    let body = json!({ "approved": true, "by": ["ä"] });
    post(&workflow, address, &body).await.ok();
    let run = over(&workflow, &run).await;
    assert_eq!(returned(&run, "second"), &json!(["asked", body]));
    assert_eq!(exports(&run, "first")["$resume_data"], body);
    assert_eq!(run["steps"][0]["waited_for"], "suspend");
    // The address works once.
    post(&workflow, address, &body).await.expect(404);
}

#[tokio::test]
async fn flow_suspend_resumes_without_a_body_too() {
    let bodies = [
        ("first", "$.flow.suspend(60000)"),
        ("second", "return Object.keys(steps.first)"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = waiting(&workflow, &json!({})).await;
    let address = run["waits_for"]["resume_url"].as_str().expect("an address");
    let request = workflow.api.absolute(Method::POST, address);
    request.send().await.expect(200);
    assert_eq!(over(&workflow, &run).await["state"], "succeeded");
}

#[tokio::test]
async fn flow_suspend_is_cancelled_by_its_address_and_when_its_time_is_up() {
    let bodies = [
        ("first", "$.flow.suspend(steps.trigger.event.ms)"),
        ("second", "throw new Error('it must not come to this')"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = waiting(&workflow, &json!({ "ms": 60000 })).await;
    let cancel = &run["waits_for"]["cancel_url"];
    let told = post(&workflow, cancel, &json!({})).await.ok();
    assert_eq!(told, json!({ "id": run["id"], "state": "cancelled" }));
    let run = over(&workflow, &run).await;
    assert_eq!(run["state"], "cancelled");
    post(&workflow, cancel, &json!({})).await.expect(404);

    let run = workflow.run_and_wait(&json!({ "ms": 200 })).await;
    assert_eq!(run["state"], "cancelled", "{run}");
    assert_eq!(run["exit_reason"], "nobody resumed the run in time");
    assert_eq!(run["error"], Value::Null);
}

#[tokio::test]
async fn flow_rerun_runs_the_step_again_with_its_context() {
    let bodies = [
        (
            "poll",
            "const { runs, context } = $.context.run; if (runs < 4) { $.flow.rerun(1, { sum: (context?.sum ?? 0) + runs }); return 'not yet' } return context.sum",
        ),
        ("after", "return steps.poll.$return_value"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "after"), &json!(6), "{run}");
    let polls: Vec<(&Value, &Value)> = run["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter(|step| step["name"] == "poll")
        .map(|step| (&step["attempt"], &step["state"]))
        .collect();
    let expected = [1, 2, 3, 4].map(|attempt| {
        let state = if attempt < 4 { "repeated" } else { "completed" };
        (json!(attempt), json!(state))
    });
    assert!(
        polls
            .iter()
            .zip(&expected)
            .all(|(found, wanted)| found.0 == &wanted.0 && found.1 == &wanted.1),
        "{polls:?}"
    );
}

#[tokio::test]
async fn flow_rerun_is_called_back_with_the_request() {
    let bodies = [(
        "only",
        "const { callback_request, context } = $.context.run; if (!callback_request) { $.flow.rerun(3600000, 'kept'); return } return { callback_request, context }",
    )];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = waiting(&workflow, &json!({})).await;
    assert_eq!(run["waits_for"]["kind"], "rerun");
    let address = run["waits_for"]["resume_url"].as_str().expect("an address");
    let request = workflow
        .api
        .absolute(Method::PUT, &format!("{address}?a=1"));
    let request = request.header("x-b", "2").json(&json!({ "c": 3 }));
    request.send().await.expect(200);
    let run = over(&workflow, &run).await;
    let given = returned(&run, "only");
    assert_eq!(given["context"], "kept", "{run}");
    let request = &given["callback_request"];
    assert_eq!(request["method"], "PUT");
    assert_eq!(request["query"], json!({ "a": "1" }));
    assert_eq!(request["headers"]["x-b"], "2");
    assert_eq!(request["body"], json!({ "c": 3 }));
}

#[tokio::test]
async fn flow_rerun_ends_with_its_last_retry() {
    let bodies = [
        (
            "poll",
            "$.flow.rerun(1, null, 2); return $.context.run.runs",
        ),
        ("after", "return 'reached'"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "poll"), &json!(3), "{run}");
    assert_eq!(returned(&run, "after"), "reached");
}

#[tokio::test]
async fn flow_rerun_keeps_its_context_when_the_server_is_killed_meanwhile() {
    let mut server = Server::start(own_server()).await;
    let bodies = [(
        "only",
        "if ($.context.run.runs === 1) { $.flow.rerun(1, 'kept'); return }
         await new Promise((go) => setTimeout(go, 1500)); return [$.context.run.runs, $.context.run.context]",
    )];
    let workflow = deploy_running(&server.api(), &bodies).await;
    let id = workflow.run(&json!({})).await;
    sluice_testkit::wait_for(
        crate::support::PATIENCE,
        "the second run of it",
        async || {
            let run = workflow.run_of(&id).await;
            let repeated = run["steps"].as_array().map(Vec::len) == Some(1);
            (repeated && run["state"] == "running").then_some(())
        },
    )
    .await;
    server.restart().await;
    let run = workflow.ended(&id).await;
    assert_eq!(returned(&run, "only"), &json!([2, "kept"]), "{run}");
}
