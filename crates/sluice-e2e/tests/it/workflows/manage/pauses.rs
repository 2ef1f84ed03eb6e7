//! Runs that wait for somebody: a request to their address makes them go on, or ends them, once.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Method};

use crate::{
    support::{new_user, new_user_on},
    workflows::{
        fixtures::{Workflow, deploy, returned},
        link_page::press,
    },
};

const APPROVAL: &str = r"
name: Approval
steps:
  - name: ask
    code: |
      export default defineComponent({ async run({ $ }) { return $.flow.suspend(60_000) } })
  - name: after
    code: |
      export default defineComponent({ async run({ steps }) { return steps.ask.$resume_data ?? null } })
";

/// A run that waits.
async fn waiting(api: &Api) -> (Workflow, Value) {
    let workflow = deploy(api, APPROVAL).await;
    let id = workflow.run(&json!({ "n": 1 })).await;
    let run = workflow.run_in(&id, "waiting").await;
    (workflow, run)
}

fn address<'a>(run: &'a Value, which: &str) -> &'a str {
    run["waits_for"][which].as_str().expect("an address")
}

async fn after(workflow: &Workflow, run: &Value) -> Value {
    let ended = workflow.ended(run["id"].as_str().expect("an id")).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert!(ended.get("waits_for").is_none(), "{ended}");
    returned(&ended, "after").clone()
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_run_that_is_resumed_goes_on_with_the_body_of_the_request(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let (workflow, run) = waiting(&api).await;
    assert_eq!(
        (&run["waits_for"]["kind"], &run["waits_for"]["step"]),
        (&json!("suspend"), &json!("ask"))
    );
    assert!(run["due_at_ms"].is_i64() && run["finished_at_ms"].is_null());
    let request = api.absolute(Method::PUT, address(&run, "resume_url"));
    let answer = request
        .json(&json!({ "approved": true }))
        .send()
        .await
        .expect(200);
    assert_eq!(
        answer,
        json!({ "data": { "id": run["id"], "state": "queued" } })
    );
    assert_eq!(after(&workflow, &run).await, json!({ "approved": true }));
    let again = api
        .absolute(Method::POST, address(&run, "resume_url"))
        .send()
        .await;
    let error = again.expect(404)["error"].clone();
    assert!(
        error.as_str().expect("text").contains("works once"),
        "{error}"
    );
    api.absolute(Method::POST, address(&run, "cancel_url"))
        .send()
        .await
        .expect(404);
}

#[tokio::test]
async fn a_link_that_somebody_clicks_gives_its_query() {
    let api = new_user().await;
    let (workflow, run) = waiting(&api).await;
    let url = format!("{}?answer=yes&by=Ada", address(&run, "resume_url"));
    let resumed = press(&api, &url, "Resume").await;
    assert_eq!(resumed.status, 200, "{}", resumed.text);
    assert_eq!(
        after(&workflow, &run).await,
        json!({ "answer": "yes", "by": "Ada" })
    );
}

#[tokio::test]
async fn the_question_of_a_browser_whether_it_may_ask_resumes_nothing() {
    let api = new_user().await;
    let (workflow, run) = waiting(&api).await;
    let preflight = api.absolute(Method::OPTIONS, address(&run, "resume_url"));
    let preflight = preflight
        .header("origin", "https://example.com")
        .header("access-control-request-method", "POST");
    assert!(preflight.send().await.status < 300);
    let id = run["id"].as_str().expect("an id");
    assert_eq!(workflow.run_of(id).await["state"], "waiting");
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_cancelled_run_ends_there(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let (workflow, run) = waiting(&api).await;
    let answer = api
        .absolute(Method::POST, address(&run, "cancel_url"))
        .send()
        .await;
    assert_eq!(
        answer.expect(200),
        json!({ "data": { "id": run["id"], "state": "cancelled" } })
    );
    let ended = workflow.run_of(run["id"].as_str().expect("an id")).await;
    assert_eq!(ended["state"], "cancelled");
    assert!(ended["finished_at_ms"].is_i64());
    assert_eq!(ended["steps"].as_array().expect("steps").len(), 1);
    api.absolute(Method::POST, address(&run, "resume_url"))
        .send()
        .await
        .expect(404);
}

#[tokio::test]
async fn an_unknown_key_is_404() {
    let api = new_user().await;
    for key in ["unknown", "%00", "a%2Fb", "%F0%9F%A6%80", &"x".repeat(500)] {
        for what in ["resume", "cancel"] {
            let path = format!("/workflows/{what}/{key}");
            for method in [Method::GET, Method::POST] {
                api.root(method, &path).send().await.expect(404);
            }
        }
    }
}

#[tokio::test]
async fn a_run_that_is_resumed_while_the_workflow_is_inactive_waits_for_it() {
    let api = new_user().await;
    let (workflow, run) = waiting(&api).await;
    workflow.change(&json!({ "active": false })).await;
    api.absolute(Method::POST, address(&run, "resume_url"))
        .json(&json!("go"))
        .send()
        .await
        .expect(200);
    assert_eq!(workflow.now().await["queued"], 1);
    workflow.change(&json!({ "active": true })).await;
    assert_eq!(after(&workflow, &run).await, "go");
}
