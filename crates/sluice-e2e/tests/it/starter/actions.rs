//! Actions in workflows.

use serde_json::{Value, json};
use sluice_testkit::receiver::{Answer, Receiver};

use super::{user, workflow};

fn returned(run: &Value, step: usize) -> &Value {
    &run["steps"][step]["exports"]["$return_value"]
}

#[tokio::test]
async fn a_request_is_transformed_and_rendered() {
    let server = Receiver::start(|request| {
        let answer = json!({ "got": request.json(), "items": [{ "n": 1 }, { "n": 2 }] });
        Answer::status(200)
            .header("content-type", "application/json")
            .body(answer.to_string())
    });
    let steps = [
        (
            "http-request",
            json!({ "url": server.url("/x"), "method": "POST", "body": { "id": "{{ event.id }}" } }),
        ),
        (
            "transform",
            json!({
                "input": "{{ steps.http_request.$return_value.body }}",
                "mapping": { "id": "got.id", "items": "items" },
            }),
        ),
        (
            "template",
            json!({
                "values": "{{ steps.transform.$return_value }}",
                "template": "[[ id ]]:[[# items ]] [[ n ]][[/ items ]]",
            }),
        ),
    ];
    let workflow = workflow(&user().await, &steps).await;
    let run = workflow.run_and_wait(&json!({ "id": 7 })).await;
    assert_eq!(returned(&run, 0)["status"], 200, "{run}");
    assert_eq!(*returned(&run, 2), json!("7: 1 2"), "{run}");
}

#[tokio::test]
async fn a_filter_ends_a_run() {
    let filter = json!({ "value": "{{ event.total }}", "operator": "greater-than", "other": 10 });
    let after = json!({ "expression": "'went on'" });
    let workflow = workflow(&user().await, &[("filter", filter), ("transform", after)]).await;
    let passed = workflow.run_and_wait(&json!({ "total": 11 })).await;
    assert_eq!(*returned(&passed, 1), json!("went on"), "{passed}");
    let ended = workflow.run_and_wait(&json!({ "total": 9 })).await;
    assert_eq!(ended["steps"].as_array().map(Vec::len), Some(1), "{ended}");
    assert!(
        ended
            .to_string()
            .contains("the condition does not hold: 9 is greater than 10"),
        "{ended}"
    );
}

#[tokio::test]
async fn a_data_store_keeps_values_between_runs() {
    let store = json!({ "store": "counts", "operation": "increment", "key": "{{ event.key }}", "value": 2 });
    let workflow = workflow(&user().await, &[("data-store", store)]).await;
    for expected in [2, 4] {
        let run = workflow.run_and_wait(&json!({ "key": "a" })).await;
        assert_eq!(*returned(&run, 0), json!(expected), "{run}");
    }
}
