//! Runs: what is shown of them, and how they are listed.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use crate::{
    support::{new_user, new_user_on},
    workflows::fixtures::{ECHO, FRAGILE, deploy, returned},
};

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_run_shows_each_step_with_duration_exports_and_logs(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let code = FRAGILE.replace("return \"one\"", "console.log(\"said\"); return \"one\"");
    let workflow = deploy(&api, &code).await;
    let run = workflow.run_and_wait(&json!({ "n": 1 })).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(run["workflow_id"], workflow.id.as_str());
    assert_eq!(run["deployment_id"], workflow.shown["deployment_id"]);
    assert_eq!(
        (&run["version"], &run["source_type"]),
        (&json!(1), &json!("manual"))
    );
    assert_eq!(run["event"], json!({ "n": 1 }));
    let number = |name: &str| {
        run[name]
            .as_i64()
            .unwrap_or_else(|| panic!("{name}: {run}"))
    };
    assert!(number("accepted_at_ms") <= number("started_at_ms"));
    assert_eq!(
        number("finished_at_ms") - number("started_at_ms"),
        number("duration_ms")
    );
    assert_eq!(
        (&run["due_at_ms"], &run["sends"]),
        (&Value::Null, &json!([]))
    );
    let steps = run["steps"].as_array().expect("steps");
    let names: Vec<_> = steps.iter().map(|step| &step["name"]).collect();
    assert_eq!(names, ["first", "second", "third"]);
    for (position, step) in steps.iter().enumerate() {
        assert_eq!(
            (&step["position"], &step["attempt"]),
            (&json!(position), &json!(1))
        );
        assert_eq!(step["state"], "completed");
        assert!(step["duration_ms"].is_u64() && step["started_at_ms"].is_i64());
    }
    assert!(steps[0]["exports"]["at"].is_number(), "{run}");
    assert_eq!(returned(&run, "third"), "one two three");
    let line = &steps[0]["logs"][0];
    assert_eq!(
        (&line["message"], &line["level"]),
        (&json!("said"), &json!("info")),
        "{run}"
    );
    assert!(line["ts"].is_i64());
}

#[tokio::test]
async fn a_failed_run_shows_its_error_and_so_does_the_step() {
    let api = new_user().await;
    let workflow = deploy(&api, FRAGILE).await;
    let run = workflow.run_and_wait(&json!({ "fail": true })).await;
    assert_eq!(run["state"], "failed");
    let error = &run["error"];
    assert_eq!(
        (&error["step"], &error["message"]),
        (&json!("second"), &json!("as asked"))
    );
    let steps = run["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2, "the third did not run");
    assert_eq!(steps[1]["state"], "failed");
    assert_eq!(steps[1]["error"]["message"], "as asked");
    let errors = workflow.errors(1).await;
    assert_eq!(errors[0]["error"]["msg"], "as asked", "{errors:?}");
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn runs_are_listed_newest_first_in_pages_and_by_state(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let workflow = deploy(&api, FRAGILE).await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let run = workflow
            .run_and_wait(&json!({ "fail": number % 2 == 1 }))
            .await;
        ids.insert(0, run["id"].clone());
    }
    let each =
        |runs: &[Value]| -> Vec<Value> { runs.iter().map(|run| run["id"].clone()).collect() };
    assert_eq!(each(&workflow.runs("").await), ids);
    assert_eq!(
        each(&workflow.runs("state=failed").await),
        [ids[1].clone(), ids[3].clone()]
    );
    assert_eq!(workflow.runs("state=waiting").await, Vec::<Value>::new());
    let first = api.get(&workflow.path("/runs?limit=2")).await.expect(200);
    assert_eq!(first["page_info"]["total_count"], 5);
    let cursor = first["page_info"]["end_cursor"].as_str().expect("a cursor");
    let path = workflow.path(&format!("/runs?limit=2&after={cursor}"));
    let second = api.get(&path).await.expect(200);
    assert_eq!(each(second["data"].as_array().expect("runs")), ids[2..4]);
    let cursor = second["page_info"]["start_cursor"]
        .as_str()
        .expect("a cursor");
    let path = workflow.path(&format!("/runs?limit=1&before={cursor}"));
    let back = api.get(&path).await.expect(200);
    assert_eq!(each(back["data"].as_array().expect("runs")), ids[1..2]);
    for bad in ["state=odd", "after=x", "limit=0", "expand=event"] {
        api.get(&workflow.path(&format!("/runs?{bad}")))
            .await
            .expect(400);
    }
}

#[tokio::test]
async fn lists_cut_what_is_large_to_a_preview_unless_expanded() {
    let api = new_user().await;
    let workflow = deploy(&api, ECHO).await;
    let large = json!({ "text": "x".repeat(5000) });
    let run = workflow.run_and_wait(&large).await;
    assert_eq!(run["event"], large, "one run is whole");
    let listed = &workflow.runs("").await[0];
    assert_eq!(listed["event"]["$truncated"], true);
    assert_eq!(listed["steps"][0]["exports"]["$truncated"], true);
    assert_eq!(listed["steps"][0]["logs"], json!([]));
    assert_eq!(workflow.runs("expand=run").await[0]["event"], large);
}

#[tokio::test]
async fn an_unknown_run_is_404() {
    let api = new_user().await;
    let workflow = deploy(&api, ECHO).await;
    for id in ["x", "000000000000000000000000000", "%00"] {
        api.get(&workflow.path(&format!("/runs/{id}")))
            .await
            .expect(404);
        let replay = workflow.path(&format!("/runs/{id}/replay"));
        api.post(&replay, &json!({})).await.expect(404);
    }
}
