//! `POST /workflows/test`: steps run without being deployed.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use crate::{
    server::User,
    support::{PATIENCE, new_user},
};

/// A document whose steps have these names, and these descriptions of `run`.
fn document(steps: &[(&str, Value)]) -> String {
    let step = |(name, run): &(&str, Value)| json!({ "name": name, "code": format!("module.exports = {}", json!({ "run": run })) });
    let steps: Vec<Value> = steps.iter().map(step).collect();
    json!({ "name": "Orders", "steps": steps }).to_string()
}

fn three() -> String {
    document(&[
        ("a", json!({ "return": 1, "log": "hello" })),
        ("b", json!({ "return": "steps" })),
        ("c", json!({ "return": "steps" })),
    ])
}

async fn test(user: &User, body: &Value) -> Value {
    user.post("/workflows/test", body).await.ok()
}

async fn deploy(user: &User, document: &str) -> String {
    let body = json!({ "document": document });
    let workflow = user.post("/workflows", &body).await.ok();
    workflow["id"].as_str().expect("an id").to_owned()
}

/// Runs a workflow to its end and returns the run.
async fn run(user: &User, workflow: &str, event: &Value) -> Value {
    let path = format!("/workflows/{workflow}");
    let body = json!({ "event": event });
    let started = user.post(&format!("{path}/run"), &body).await.ok();
    let path = format!("{path}/runs/{}", started["id"].as_str().expect("an id"));
    wait_for(PATIENCE, "the end of the run", async || {
        let run = user.get(&path).await;
        let run = (run.status == 200).then(|| run.body["data"].clone())?;
        run["finished_at_ms"].is_number().then_some(run)
    })
    .await
}

fn names(test: &Value) -> Vec<&str> {
    let steps = test["steps"].as_array().expect("steps");
    steps
        .iter()
        .map(|step| step["name"].as_str().expect("a name"))
        .collect()
}

fn returned(test: &Value, index: usize) -> &Value {
    &test["steps"][index]["exports"]["$return_value"]
}

#[tokio::test]
async fn steps_of_a_new_document_run_up_to_the_tested_one() {
    let user = new_user().await;
    let body = json!({ "document": three(), "step": "b", "event": { "id": 7 } });
    let tested = test(&user, &body).await;
    assert_eq!(tested["state"], "succeeded");
    assert_eq!(tested["event"], json!({ "id": 7 }));
    assert_eq!(names(&tested), ["a", "b"]);
    let first = &tested["steps"][0];
    assert_eq!(first["state"], "completed");
    assert_eq!(first["inputs"], json!({}));
    assert_eq!(first["logs"][0]["message"], "hello");
    let seen = returned(&tested, 1);
    assert_eq!(seen["trigger"]["event"], json!({ "id": 7 }));
    assert_eq!(seen["trigger"]["context"]["test"], true);
    assert_eq!(seen["a"]["$return_value"], 1);
    let page = user.get("/workflows").await.expect(200);
    assert_eq!(page["data"], json!([]), "nothing is deployed");
}

#[tokio::test]
async fn a_step_alone_has_the_exports_that_are_given() {
    let user = new_user().await;
    let body = json!({
        "document": three(), "step": "c", "only": true,
        "exports": { "a": { "$return_value": "mine" } },
    });
    let tested = test(&user, &body).await;
    assert_eq!(names(&tested), ["c"]);
    assert_eq!(tested["given"], json!(["a"]));
    assert_eq!(tested["missing"], json!(["b"]));
    let seen = returned(&tested, 0);
    assert_eq!(seen["a"]["$return_value"], "mine");
    assert_eq!(seen.get("b"), None);
}

#[tokio::test]
async fn a_run_supplies_event_and_exports() {
    let user = new_user().await;
    let workflow = deploy(&user, &three()).await;
    let missing = user
        .post(
            "/workflows/test",
            &json!({ "workflow": workflow, "from_run": "last" }),
        )
        .await;
    assert_eq!(missing.status, 404);
    let first = run(&user, &workflow, &json!({ "id": 1 })).await;
    let second = run(&user, &workflow, &json!({ "id": 2 })).await;
    for (from, of) in [("last", &second), (first["id"].as_str().unwrap(), &first)] {
        let body = json!({ "workflow": workflow, "step": "c", "only": true, "from_run": from });
        let tested = test(&user, &body).await;
        assert_eq!(tested["from_run"], of["id"]);
        assert_eq!(tested["event"], of["event"]);
        assert_eq!(tested["missing"], json!([]));
        let seen = returned(&tested, 0);
        assert_eq!(seen["b"]["$return_value"]["trigger"]["event"], of["event"]);
    }
    // Without `only` the steps run again, with the event of the run.
    let body = json!({ "workflow": workflow, "step": "b", "from_run": "last" });
    assert_eq!(names(&test(&user, &body).await), ["a", "b"]);
    let runs = user.get(&format!("/workflows/{workflow}/runs")).await;
    assert_eq!(runs.expect(200)["data"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_undeployed_document_of_a_workflow_is_tested() {
    let user = new_user().await;
    let workflow = deploy(&user, &three()).await;
    let changed = document(&[("a", json!({ "return": "changed" }))]);
    let body = json!({ "workflow": workflow, "document": changed });
    assert_eq!(returned(&test(&user, &body).await, 0), "changed");
    let version = user.get(&format!("/workflows/{workflow}")).await.ok();
    assert_eq!(version["version"], 1);
}

#[tokio::test]
async fn errors_of_other_steps_do_not_matter() {
    let user = new_user().await;
    let document =
        json!({ "name": "Half", "triggers": [{ "events": { "from": "gone" } }], "steps": [
            { "name": "good", "code": "module.exports = { \"run\": { \"return\": 1 } }" },
            { "name": "bad", "action": "no-such-action" },
        ]})
        .to_string();
    let body = json!({ "document": document, "step": "good" });
    assert_eq!(test(&user, &body).await["state"], "succeeded");
    let body = json!({ "document": document, "step": "bad" });
    let refused = user.post("/workflows/test", &body).await.expect(422);
    let error = &refused["details"]["document"][0];
    assert_eq!(error["path"], "steps[1].action", "{refused}");
}

#[tokio::test]
async fn a_failed_step_ends_the_test_with_its_place() {
    let user = new_user().await;
    let document = "name: Bad\nsteps:\n  - name: a\n    retry: { max_retries: 3 }\n    code: |\n      module.exports =                     {\"run\": {\"fail\": \"no\"}}\n  - name: b\n    code: |\n      module.exports = {\"run\": {}}\n";
    let tested = test(&user, &json!({ "document": document })).await;
    assert_eq!(tested["state"], "failed", "{tested}");
    assert_eq!(names(&tested), ["a"]);
    let step = &tested["steps"][0];
    assert_eq!(step["state"], "failed");
    assert_eq!(step["error"]["message"], "no");
    assert_eq!(step["waited_for"], "retry");
    assert_eq!(tested["error_place"]["line"], 3);
    assert_eq!(step["error_place"], tested["error_place"]);
    let excerpt = tested["error_place"]["excerpt"].as_array().unwrap();
    assert_eq!(excerpt[2], "  - name: a");
}

#[tokio::test]
async fn pauses_are_reported_and_not_waited_for() {
    let user = new_user().await;
    let document = document(&[
        ("later", json!({ "flow": "delay" })),
        ("again", json!({ "flow": "rerun", "return": 2 })),
        ("filter", json!({ "flow": "exit" })),
        ("never", json!({})),
    ]);
    let tested = test(&user, &json!({ "document": document })).await;
    assert_eq!(names(&tested), ["later", "again", "filter"]);
    let pauses = |index: usize| {
        let step = &tested["steps"][index];
        (step["waited_for"].clone(), step["pause_ms"].clone())
    };
    assert_eq!(pauses(0), (json!("delay"), json!(60_000)));
    assert_eq!(pauses(1), (json!("rerun"), json!(60_000)));
    assert_eq!(tested["exit_reason"], "");
    assert_eq!(tested["state"], "succeeded");
}

#[tokio::test]
async fn sends_are_shown_unless_they_are_allowed() {
    let user = new_user().await;
    // An address of this machine, which the server refuses.
    let request = json!({ "method": "POST", "url": "http://127.0.0.1:1/" });
    let sends = json!([["http", request], ["emit", { "raw_event": 1, "channel": "" }]]);
    let document = document(&[("tell", json!({ "send": sends }))]);
    let tested = test(&user, &json!({ "document": document })).await;
    let shown = &tested["steps"][0]["sends"];
    assert_eq!(shown[0]["kind"], "http");
    assert_eq!(shown[0]["state"], "shown");
    assert_eq!(shown[0]["payload"], request);
    let tested = test(&user, &json!({ "document": document, "send": true })).await;
    let sent = &tested["steps"][0]["sends"];
    assert_eq!(sent[0]["state"], "failed", "{sent}");
    assert!(sent[0]["result"].is_string());
    assert_eq!(sent[1]["state"], "shown", "an event is never emitted");
}

#[tokio::test]
async fn unknown_steps_and_bad_parameters_are_refused() {
    let user = new_user().await;
    for (body, status, field) in [
        (json!({}), 400, None),
        (json!({ "document": three(), "from_run": "x" }), 400, None),
        (
            json!({ "document": three(), "from_run": "last" }),
            422,
            Some("from_run"),
        ),
        (
            json!({ "document": three(), "step": "z" }),
            422,
            Some("step"),
        ),
        (
            json!({ "document": three(), "step": "a", "exports": { "b": {} } }),
            422,
            Some("exports"),
        ),
        (
            json!({ "document": three(), "exports": { "a": 1 } }),
            422,
            Some("exports"),
        ),
        (json!({ "workflow": "p_unknown" }), 404, None),
    ] {
        let refused = user.post("/workflows/test", &body).await;
        assert_eq!(refused.status, status, "{body}: {}", refused.body);
        if let Some(field) = field {
            let reason = &refused.body["details"][field][0];
            assert!(reason.is_string(), "{}", refused.body);
        }
    }
}

#[tokio::test]
async fn a_workflow_may_have_the_slug_test() {
    let user = new_user().await;
    let document = three().replace("Orders", "Test");
    let id = deploy(&user, &document).await;
    assert_eq!(user.get("/workflows/test").await.ok()["id"], id);
    assert_eq!(run(&user, "test", &json!({})).await["state"], "succeeded");
    let off = user
        .put("/workflows/test", &json!({ "active": false }))
        .await
        .ok();
    assert_eq!(off["active"], false);
    user.delete("/workflows/test").await.expect(204);
}

#[tokio::test]
async fn runs_record_inputs_and_the_places_of_their_errors() {
    let user = new_user().await;
    let bad = document(&[("a", json!({ "fail": "no" }))]);
    let workflow = deploy(&user, &bad).await;
    let failed = run(&user, &workflow, &json!({})).await;
    assert_eq!(failed["steps"][0]["inputs"], json!({}));
    assert_eq!(failed["error_place"]["line"], 1);
    assert_eq!(failed["steps"][0]["error_place"], failed["error_place"]);
    let list = user.get(&format!("/workflows/{workflow}/runs")).await;
    let listed = &list.expect(200)["data"][0];
    assert_eq!(listed["steps"][0]["inputs"], json!({}));
    assert_eq!(listed.get("error_place"), None);
}
