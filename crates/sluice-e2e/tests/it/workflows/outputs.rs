//! Action outputs: what a step hands to the steps after it, and what it knows about its run.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, now_ms};

use crate::{
    support::{new_user, new_user_on},
    workflows::fixtures::{deploy_running, exports, returned},
};

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn return_value_is_available_to_later_steps(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let bodies = [
        ("first", "return { text: 'ä\\u0000\\n', list: [1, null] }"),
        ("second", "return steps.first.$return_value.list.length"),
        (
            "third",
            "return [steps.first.$return_value, steps.second.$return_value]",
        ),
    ];
    let workflow = deploy_running(&api, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    let first = json!({ "text": "ä\0\n", "list": [1, null] });
    assert_eq!(returned(&run, "first"), &first, "{run}");
    assert_eq!(returned(&run, "third"), &json!([first, 2]));
}

#[tokio::test]
async fn a_step_that_returns_nothing_has_no_return_value() {
    let bodies = [("first", ""), ("second", "return Object.keys(steps.first)")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(exports(&run, "first"), &json!({}));
    assert_eq!(returned(&run, "second"), &json!([]));
}

#[tokio::test]
async fn export_is_a_named_export() {
    let bodies = [
        (
            "first",
            "$.export('a', { n: 1 }); $.export('b c', 2); $.export('a', { n: 3 }); return 4",
        ),
        ("second", "return [steps.first.a, steps.first['b c']]"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    let first = json!({ "a": { "n": 3 }, "b c": 2, "$return_value": 4 });
    assert_eq!(exports(&run, "first"), &first);
    assert_eq!(returned(&run, "second"), &json!([{ "n": 3 }, 2]));
}

#[tokio::test]
async fn export_summary_is_shown_with_the_step() {
    let bodies = [("only", "$.export('$summary', 'Created 3 rows')")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(exports(&run, "only")["$summary"], "Created 3 rows");
}

#[tokio::test]
async fn what_a_step_exported_before_it_threw_is_shown() {
    let bodies = [("only", "$.export('far', 1); throw new Error('no')")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(exports(&run, "only"), &json!({ "far": 1 }));
}

#[tokio::test]
async fn steps_cannot_change_what_earlier_ones_exported() {
    let bodies = [
        ("first", "return { n: 1 }"),
        (
            "second",
            "try { steps.first.$return_value.n = 2; steps.trigger.event.n = 2 } catch {}",
        ),
        (
            "third",
            "return [steps.first.$return_value.n, steps.trigger.event.n]",
        ),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({ "n": 1 })).await;
    assert_eq!(returned(&run, "third"), &json!([1, 1]));
}

#[tokio::test]
async fn context_has_every_field() {
    let api = new_user().await;
    let bodies = [(
        "only",
        "return [$.context, steps.trigger.context, Date.parse($.context.ts)]",
    )];
    let workflow = deploy_running(&api, &bodies).await;
    let before = now_ms();
    let run = workflow.run_and_wait(&json!({})).await;
    let me = api.get("/users/me").await.ok();
    let (own, of_trigger) = (&returned(&run, "only")[0], &returned(&run, "only")[1]);
    let expected = json!({
        "id": run["id"],
        "ts": own["ts"],
        "workflow_id": workflow.id,
        "workflow_name": "Test",
        "deployment_id": workflow.shown["deployment_id"],
        "source_type": "manual",
        "verified": false,
        "owner_id": me["id"],
        "platform_version": env!("CARGO_PKG_VERSION"),
        "emitter_id": null,
        "trace_id": run["id"],
        "replay": false,
        "test": false,
    });
    assert_eq!(of_trigger, &expected);
    let mut of_step = expected;
    of_step["JIT"] = json!(false);
    of_step["run"] = json!({ "runs": 1, "context": null, "callback_request": null });
    of_step["deadline"] = own["deadline"].clone();
    assert_eq!(own, &of_step);
    let deadline = own["deadline"].as_i64().expect("epoch milliseconds");
    assert!(deadline >= before + 30_000, "the time limit is 30 s");
    assert_eq!(returned(&run, "only")[2], run["started_at_ms"]);
}

#[tokio::test]
async fn the_context_of_a_replay_names_the_run_it_is_one_of() {
    let bodies = [("only", "return $.context")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let first = workflow.run_and_wait(&json!({})).await;
    let id = first["id"].as_str().expect("an id");
    let path = workflow.path(&format!("/runs/{id}/replay"));
    let replay = workflow.api.post(&path, &json!({})).await.ok();
    let run = workflow.ended(replay["id"].as_str().expect("an id")).await;
    let context = returned(&run, "only");
    assert_eq!(context["replay"], true);
    assert_eq!(context["trace_id"], id);
    assert_ne!(context["id"], id);
    assert_ne!(context["ts"], returned(&first, "only")["ts"]);
}

#[tokio::test]
async fn flow_exit_terminates_the_whole_workflow_and_shows_its_reason() {
    let bodies = [
        ("first", "return $.flow.exit('nothing to do')"),
        ("second", "throw new Error('it must not come to this')"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(run["exit_reason"], "nothing to do");
    assert_eq!(run["error"], Value::Null);
    assert_eq!(run["steps"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn flow_exit_that_is_not_returned_ends_the_run_after_the_step() {
    let bodies = [
        ("first", "$.flow.exit(); return 'went on'"),
        ("second", "throw new Error('it must not come to this')"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(returned(&run, "first"), "went on");
}
