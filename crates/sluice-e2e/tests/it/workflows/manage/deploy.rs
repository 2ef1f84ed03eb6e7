//! `POST`, `GET`, `PUT` and `DELETE /workflows`: what they answer, and what a version is made of.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Method};

use crate::{
    support::{new_user, new_user_on},
    workflows::fixtures::{ECHO, deploy, deploy_with, returned},
};

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_new_workflow_has_all_fields_and_is_active(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let workflow = deploy(&api, ECHO).await.shown;
    let text = |name: &str| workflow[name].as_str().expect("text");
    assert!(text("id").starts_with("p_") && text("deployment_id").starts_with("d_"));
    let http = &workflow["triggers"][0];
    assert!(
        http["endpoint_url"]
            .as_str()
            .expect("a url")
            .contains("/e/")
    );
    let step = &workflow["steps"][0];
    assert!(
        step["component_id"]
            .as_str()
            .expect("an id")
            .starts_with("sc_")
    );
    assert!(step["cell_id"].as_str().expect("an id").starts_with("c_"));
    let retry = json!({ "max_retries": 0, "delay_seconds": 10, "max_delay_seconds": 3600 });
    let expected = json!({
        "id": workflow["id"], "user_id": api.get("/users/me").await.ok()["id"], "name": "Echo", "name_slug": "echo",
        "description": null, "active": true, "version": 1, "deployment_id": workflow["deployment_id"],
        "triggers": [{ "type": "http", "endpoint_url": http["endpoint_url"], "custom_response": false }],
        "steps": [{ "name": "echo", "cell_id": step["cell_id"], "component_id": step["component_id"] }],
        "settings": { "timeout_seconds": null, "concurrency": 16, "throttle": null, "queue": 10_000, "retry": retry },
        "queued": 0, "created_at": workflow["created_at"], "updated_at": workflow["created_at"],
    });
    assert_eq!(workflow, expected);
    let id = text("id");
    assert_eq!(api.get(&format!("/workflows/{id}")).await.ok(), expected);
    assert_eq!(
        api.get("/workflows/echo").await.ok(),
        expected,
        "by its slug"
    );
    let list = api.get("/workflows").await.expect(200);
    assert_eq!(list["data"], json!([expected]));
    assert_eq!(list["page_info"]["total_count"], 1);
}

#[tokio::test]
async fn a_request_to_the_endpoint_is_a_run() {
    let api = new_user().await;
    let workflow = deploy(&api, ECHO).await;
    let accepted = workflow.send(&json!({ "n": 5 })).await.expect(200);
    let run = workflow
        .ended(accepted["id"].as_str().expect("an id"))
        .await;
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(run["source_type"], "http");
    assert_eq!(returned(&run, "echo")["body"], json!({ "n": 5 }));
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_document_makes_a_new_version_and_the_endpoint_stays(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let workflow = deploy(&api, ECHO).await;
    let endpoint = workflow.endpoint().await;
    let changed = workflow
        .redeploy(&ECHO.replace("return steps.trigger.event", "return 'new'"))
        .await;
    assert_eq!(changed["version"], 2);
    assert_ne!(changed["deployment_id"], workflow.shown["deployment_id"]);
    assert_eq!(
        changed["steps"][0]["cell_id"],
        workflow.shown["steps"][0]["cell_id"]
    );
    assert_eq!(workflow.endpoint().await, endpoint);
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(
        (returned(&run, "echo"), &run["version"]),
        (&json!("new"), &json!(2))
    );
    let without = ECHO.replace("  - http: {}", "  - schedule: { cron: \"0 9 * * *\" }");
    workflow.redeploy(&without).await;
    let gone = api.absolute(Method::POST, &endpoint).send().await;
    gone.expect(404);
}

#[tokio::test]
async fn json_is_a_document_too() {
    let api = new_user().await;
    let code = "export default defineComponent({ async run() { return 1 } })";
    let document = json!({ "name": "As JSON", "steps": [{ "name": "one", "code": code }] });
    let workflow = deploy(&api, &document.to_string()).await;
    let run = workflow.run_and_wait(&Value::Null).await;
    assert_eq!(returned(&run, "one"), &json!(1));
}

#[tokio::test]
async fn the_same_name_again_is_another_workflow_with_another_slug() {
    let api = new_user().await;
    deploy(&api, ECHO).await;
    let second = deploy(&api, ECHO).await.shown;
    assert_eq!(
        (&second["name"], &second["name_slug"]),
        (&json!("Echo"), &json!("echo-1"))
    );
}

#[tokio::test]
async fn a_new_name_changes_the_slug() {
    let api = new_user().await;
    let workflow = deploy(&api, ECHO).await;
    let renamed = workflow
        .redeploy(&ECHO.replace("name: Echo", "name: Two Words"))
        .await;
    assert_eq!(
        (&renamed["name"], &renamed["name_slug"]),
        (&json!("Two Words"), &json!("two-words"))
    );
    let again = workflow
        .redeploy(&ECHO.replace("name: Echo", "name: two words"))
        .await;
    assert_eq!(
        again["name_slug"], "two-words",
        "as before: its slug is its own"
    );
}

#[tokio::test]
async fn nothing_to_change_is_400_and_so_is_no_document() {
    let api = new_user().await;
    let workflow = deploy(&api, ECHO).await;
    api.put(&workflow.path(""), &json!({})).await.expect(400);
    api.put(&workflow.path(""), &json!({ "files": {} }))
        .await
        .expect(400);
    api.post("/workflows", &json!({})).await.expect(400);
    api.post("/workflows", &json!({ "document": 5 }))
        .await
        .expect(400);
    api.post("/workflows", &json!({ "document": "nul\0" }))
        .await
        .expect(400);
}

#[tokio::test]
async fn an_inactive_workflow_has_no_endpoint_and_does_not_run() {
    let api = new_user().await;
    let workflow = deploy_with(&api, &json!({ "document": ECHO, "active": false })).await;
    assert_eq!(workflow.shown["active"], false);
    workflow.send(&json!({})).await.expect(404);
    let run = json!({ "event": {} });
    api.post(&workflow.path("/run"), &run).await.expect(409);
    assert_eq!(
        workflow.redeploy(ECHO).await["active"],
        false,
        "left out keeps it"
    );
    let changed = workflow.change(&json!({ "active": true })).await;
    assert_eq!(
        (&changed["active"], &changed["version"]),
        (&json!(true), &json!(2))
    );
    workflow.send(&json!({})).await.expect(200);
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_deleted_workflow_is_gone_with_everything(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let workflow = deploy(&api, ECHO).await;
    let endpoint = workflow.endpoint().await;
    let run = workflow.run_and_wait(&json!({})).await;
    let answer = api.delete(&workflow.path("")).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    for path in [
        "",
        "/runs",
        "/versions",
        "/event_summaries",
        "/$errors/event_summaries",
    ] {
        api.get(&workflow.path(path)).await.expect(404);
    }
    let run = format!("/runs/{}", run["id"].as_str().expect("an id"));
    api.get(&workflow.path(&run)).await.expect(404);
    api.absolute(Method::POST, &endpoint)
        .send()
        .await
        .expect(404);
    api.delete(&workflow.path("")).await.expect(404);
    assert_eq!(
        deploy(&api, ECHO).await.shown["name_slug"],
        "echo",
        "the name is free"
    );
}

#[tokio::test]
async fn what_is_somebody_elses_is_404() {
    let (owner, other) = (new_user().await, new_user().await);
    let workflow = deploy(&owner, ECHO).await;
    let run = workflow.run_and_wait(&json!({})).await;
    let run = format!("/runs/{}", run["id"].as_str().expect("an id"));
    for path in [
        "",
        "/runs",
        &run,
        "/versions",
        "/versions/1",
        "/event_summaries",
        "/$errors/event_summaries",
    ] {
        other.get(&workflow.path(path)).await.expect(404);
    }
    let body = json!({ "document": ECHO, "version": 1 });
    other.put(&workflow.path(""), &body).await.expect(404);
    other.delete(&workflow.path("")).await.expect(404);
    for path in [
        "/run",
        "/rollback",
        "/runs/replay",
        &format!("{run}/replay"),
    ] {
        other.post(&workflow.path(path), &body).await.expect(404);
    }
}

#[tokio::test]
async fn the_schema_needs_no_key() {
    let api = new_user().await;
    for path in ["/workflows/schema.json", "/v1/workflows/schema.json"] {
        let answer = api.root(Method::GET, path).send().await;
        assert_eq!(
            answer.header("content-type"),
            Some("application/schema+json")
        );
        assert_eq!(answer.expect(200)["type"], "object");
    }
}
