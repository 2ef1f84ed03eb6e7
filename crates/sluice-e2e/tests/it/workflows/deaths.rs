//! Steps that take their process with them, overrun their time, or hand out too much.

use serde_json::{Value, json};
use sluice_testkit::receiver::{Answer, Receiver};

use crate::{
    support::new_user,
    workflows::fixtures::{
        Workflow, deploy, deploy_running, exports, returned, running, user_of_open_server,
    },
};

/// Waits for four runs one by one, since each may need a process of its own.
async fn all_ended(workflow: &Workflow) -> Vec<Value> {
    for count in 1..4 {
        workflow.ended_runs(count).await;
    }
    workflow.ended_runs(4).await
}

#[tokio::test]
async fn a_step_that_exits_is_tried_three_times_and_completed_ones_do_not_run_again() {
    let told = Receiver::start(|_| Answer::status(200));
    let bodies = [
        ("first", "await fetch(steps.trigger.event.url + '/first')"),
        (
            "second",
            "await fetch(steps.trigger.event.url + '/second'); process.exit(1)",
        ),
        ("third", "await fetch(steps.trigger.event.url + '/third')"),
    ];
    let workflow = deploy_running(&user_of_open_server().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({ "url": told.url("") })).await;
    assert_eq!(run["state"], "failed");
    assert_eq!(run["error"]["code"], "ProcessDied", "{run}");
    assert_eq!(run["error"]["step"], "second");
    let paths: Vec<String> = told.requests().into_iter().map(|got| got.path).collect();
    assert_eq!(paths, ["/first", "/second", "/second", "/second"]);
    assert_eq!(workflow.errors(1).await[0]["error"]["code"], "ProcessDied");
}

#[tokio::test]
async fn a_step_that_exits_once_goes_on() {
    let told = Receiver::start(|request| {
        let body = if request.number == 1 { "exit" } else { "stay" };
        Answer::status(200).body(body)
    });
    let bodies = [
        ("first", "return Math.random()"),
        (
            "second",
            "if (await (await fetch(steps.trigger.event.url)).text() === 'exit') process.exit(1); return 'fine'",
        ),
    ];
    let workflow = deploy_running(&user_of_open_server().await, &bodies).await;
    let run = workflow
        .run_and_wait(&json!({ "url": told.url("/") }))
        .await;
    assert_eq!(returned(&run, "second"), "fine", "{run}");
    assert_eq!(run["steps"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn one_run_that_exits_does_not_fail_those_beside_it() {
    let bodies = [(
        "only",
        "await new Promise((go) => setTimeout(go, 100)); if (steps.trigger.event.exit) process.exit(1)",
    )];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    for n in 0..4 {
        workflow.run(&json!({ "exit": n == 1 })).await;
    }
    for run in all_ended(&workflow).await {
        let guilty = run["event"]["exit"] == true;
        let expected = if guilty { "failed" } else { "succeeded" };
        assert_eq!(run["state"], expected, "{run}");
    }
}

#[tokio::test]
async fn a_step_that_overruns_its_time_fails_with_timeout() {
    let mut document = running(&[
        ("quick", "return 1"),
        ("slow", "$.export('far', 1); await new Promise(() => {})"),
        ("never", ""),
    ]);
    document["steps"][1]["timeout_seconds"] = json!(1);
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["error"]["code"], "Timeout", "{run}");
    assert_eq!(run["error"]["step"], "slow");
    assert_eq!(run["steps"][1]["exports"], json!({ "far": 1 }));
    assert_eq!(run["steps"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_step_that_never_gives_way_does_not_fail_runs_beside_it() {
    let mut document = running(&[
        ("first", "return 1"),
        ("second", "if (steps.trigger.event.spin) for (;;) {}"),
    ]);
    document["settings"] = json!({ "timeout_seconds": 2 });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    for n in 0..4 {
        workflow.run(&json!({ "spin": n == 1 })).await;
    }
    for run in all_ended(&workflow).await {
        let spins = run["event"]["spin"] == true;
        let expected = if spins { "failed" } else { "succeeded" };
        assert_eq!(run["state"], expected, "{run}");
        if spins {
            assert_eq!(run["error"]["code"], "Timeout", "{run}");
        }
    }
}

#[tokio::test]
async fn a_flood_of_lines_ends_the_step_and_nothing_else() {
    let bodies = [(
        "only",
        "if (steps.trigger.event.flood) for (;;) console.log('x'.repeat(10000)); return 'dry'",
    )];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({ "flood": true })).await;
    assert_eq!(run["error"]["code"], "LogLimit");
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "only"), "dry");
}

#[tokio::test]
async fn five_megabytes_pass_from_step_to_step_and_out() {
    let bodies = [
        (
            "first",
            "for (let n = 0; n < 5; n++) $.export(`part${n}`, 'x'.repeat(1_000_000))",
        ),
        (
            "second",
            "return Object.values(steps.first).map((part) => part.length)",
        ),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["state"], "succeeded", "{}", run["error"]);
    assert_eq!(returned(&run, "second"), &Value::from(vec![1_000_000; 5]));
    let part = exports(&run, "first")["part4"].as_str();
    assert_eq!(part.map(str::len), Some(1_000_000));
}

#[tokio::test]
async fn an_export_that_is_too_large_fails_the_step_and_nothing_else() {
    let bodies = [(
        "only",
        "$.export('small', 1); return 'x'.repeat(steps.trigger.event)",
    )];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!(100 * 1024 * 1024)).await;
    assert_eq!(run["state"], "failed");
    assert_eq!(run["steps"][0]["exports"], json!({ "small": 1 }));
    assert_ne!(run["error"]["message"], Value::Null);
    let run = workflow.run_and_wait(&json!(3)).await;
    assert_eq!(returned(&run, "only"), "xxx");
}

#[tokio::test]
async fn memory_that_runs_out_fails_the_run_that_used_it() {
    let bodies = [(
        "only",
        "if (!steps.trigger.event.hoard) return 'modest'; const all = []; for (;;) { all.push(Buffer.alloc(32 << 20, 1)); await new Promise((go) => setTimeout(go, 5)) }",
    )];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({ "hoard": true })).await;
    let message = run["error"]["message"].as_str().expect("a message");
    assert!(message.contains("memory"), "{message}");
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "only"), "modest");
}
