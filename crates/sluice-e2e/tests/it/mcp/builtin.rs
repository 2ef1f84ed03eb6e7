//! The tools of the server itself.

use serde_json::json;
use sluice_testkit::wait_for;

use super::official_client::{call, list, names, over_http, refusal, value, with_key};
use crate::support::{Deployed, PATIENCE, new_user};

const SOURCE: &str = r#"export default {
  name: "Clicks", version: "0.0.1", type: "source", props: { http: "$.interface.http" },
  run(event) { console.log("got", event.body.n); if (event.body.n < 0) throw new Error("negative"); this.$emit({ n: event.body.n }); },
};"#;

const ECHO_WORKFLOW: &str = r"
name: Echo
triggers:
  - http: {}
steps:
  - name: echo
    code: |
      export default defineComponent({ async run({ steps }) { return steps.trigger.event } })
";

#[tokio::test]
async fn the_client_connects_and_lists_tools_with_schemas() {
    let api = new_user().await;
    let answer = over_http(&api, &[list()]).await;
    assert_eq!(answer.connected["server"]["name"], "sluice");
    let tools = &answer.results[0];
    let found = names(tools);
    for name in [
        "sluice_search_components",
        "sluice_deploy_source",
        "sluice_get_run",
    ] {
        assert!(found.contains(&name), "{found:?}");
    }
    for tool in tools["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 10, "{tool}");
    }
}

#[tokio::test]
async fn a_source_is_deployed_run_read_and_deleted() {
    let api = new_user().await;
    let deploy = call(
        "sluice_deploy_source",
        json!({ "component_code": SOURCE, "name": "clicks" }),
    );
    let source = value(&over_http(&api, &[deploy]).await.results[0]);
    let id = source["id"].as_str().unwrap();
    let run = |n: i64| {
        let event = json!({ "body": { "n": n } });
        call("sluice_run_source", json!({ "id": id, "event": event }))
    };
    let ran = over_http(&api, &[run(1), run(-1)]).await;
    ran.results.iter().for_each(|result| drop(value(result)));
    let deployed = Deployed {
        api: api.clone(),
        id: id.to_owned(),
        source: source.clone(),
    };
    deployed.events(1).await;
    let reads = [
        call("sluice_list_events", json!({ "id": id, "limit": 5 })),
        call(
            "sluice_list_events",
            json!({ "id": id, "event_name": "$errors" }),
        ),
        call("sluice_list_logs", json!({ "id": id })),
        call("sluice_list_sources", json!({ "q": "clicks" })),
    ];
    let read = over_http(&api, &reads).await.results;
    assert_eq!(value(&read[0])["data"][0]["event"], json!({ "n": 1 }));
    assert!(read[2].to_string().contains("got 1"), "{}", read[2]);
    assert_eq!(value(&read[3])["data"][0]["id"], id);
    let delete = call("sluice_delete_source", json!({ "id": id }));
    let missing = call("sluice_get_source", json!({ "id": "dc_none" }));
    let deleted = over_http(&api, &[delete, missing]).await.results;
    assert_eq!(value(&deleted[0]), "done");
    assert!(refusal(&deleted[1]).contains("source not found"));
}

#[tokio::test]
async fn a_workflow_is_deployed_run_and_read() {
    let api = new_user().await;
    let wrong = call(
        "sluice_deploy_workflow",
        json!({ "document": "name: A\nsteps: 1" }),
    );
    let right = call(
        "sluice_deploy_workflow",
        json!({ "document": ECHO_WORKFLOW }),
    );
    let deployed = over_http(&api, &[wrong, right]).await.results;
    assert!(refusal(&deployed[0]).contains("steps"), "{}", deployed[0]);
    let workflow = value(&deployed[1]);
    let id = &workflow["id"];
    let run = call(
        "sluice_run_workflow",
        json!({ "id": id, "event": { "a": 1 } }),
    );
    let started = value(&over_http(&api, &[run]).await.results[0]);
    let path = format!(
        "/workflows/{}/runs/{}",
        id.as_str().unwrap(),
        started["id"].as_str().unwrap()
    );
    wait_for(PATIENCE, "the run", async || {
        let run = api.get(&path).await;
        (run.status == 200 && run.ok()["state"] == "succeeded").then_some(())
    })
    .await;
    let read = call(
        "sluice_get_run",
        json!({ "id": id, "run_id": started["id"] }),
    );
    let run = value(&over_http(&api, &[read]).await.results[0]);
    assert_eq!(
        run["steps"][0]["exports"]["$return_value"],
        json!({ "a": 1 })
    );
}

#[tokio::test]
async fn a_step_is_tested_before_the_workflow_is_deployed() {
    let api = new_user().await;
    let test = |more: serde_json::Value| {
        let mut arguments = json!({ "document": ECHO_WORKFLOW });
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        call("sluice_test_workflow", arguments)
    };
    let requests = [
        test(json!({ "event": { "a": 1 } })),
        test(json!({ "step": "none" })),
    ];
    let body = json!({ "name": "tester", "scopes": ["deploy"] });
    let key = api.post("/users/me/keys", &body).await.ok();
    let tested = with_key(key["api_key"].as_str().unwrap(), &requests)
        .await
        .results;
    let step = &value(&tested[0])["steps"][0];
    assert_eq!(step["name"], "echo", "{step:#}");
    assert_eq!(step["exports"]["$return_value"], json!({ "a": 1 }));
    assert!(refusal(&tested[1]).contains("none"), "{}", tested[1]);
    assert_eq!(api.get("/workflows").await.ok(), json!([]));
    let path = format!("/audit?actor={}", key["id"].as_str().unwrap());
    let entries = api.get(&path).await.ok();
    assert_eq!(entries[0]["action"], "workflow.test", "{entries:#}");
    assert_eq!(entries.as_array().unwrap().len(), 1, "{entries:#}");
}
