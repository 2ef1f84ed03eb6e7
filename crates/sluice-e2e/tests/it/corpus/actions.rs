//! Actions: they load, and their shape is served; workflows run them.

use rstest::rstest;
use serde_json::{Value, json};

use super::stage::{Stage, Way, user};
use crate::support::Form;

fn names(component: &Value) -> Vec<&str> {
    let rows = component["configurable_props"].as_array().expect("rows");
    let names = rows.iter().map(|row| row["name"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

#[rstest]
#[tokio::test]
async fn row_an_action_with_exports_loads_and_its_shape_is_served(
    #[values(Way::Url, Way::Files)] way: Way,
) {
    let stage = Stage::enter().await;
    let saved = stage
        .save(way, "acme/actions/create-order/create-order.mjs")
        .await;
    let id = saved["id"].as_str().expect("an id");
    let read = stage.api.get(&format!("/components/{id}")).await.ok();
    assert_eq!(read, saved);
    assert_eq!(
        [&read["name"], &read["version"], &read["type"]],
        ["Create Order", "0.0.1", "action"]
    );
    assert_eq!(names(&read), ["acme", "customerId", "items", "copyOf"]);
    let rows = &read["configurable_props"];
    assert_eq!(
        rows[0],
        json!({ "name": "acme", "type": "app", "app": "acme" })
    );
    assert_eq!(
        rows[1],
        json!({ "name": "customerId", "type": "string", "label": "Customer", "description": "Only what this customer ordered", "remoteOptions": true })
    );
}

#[rstest]
#[tokio::test]
async fn row_an_action_in_typescript_loads(#[values(Way::Url, Way::Files)] way: Way) {
    let stage = Stage::enter().await;
    let saved = stage
        .save(way, "crane/actions/lift-order/lift-order.ts")
        .await;
    assert_eq!(names(&saved), ["crane", "customerId", "height"]);
    assert_eq!(saved["type"], "action");
}

#[rstest]
#[tokio::test]
async fn row_an_action_uses_all_that_a_step_has(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "",
        "type: 'action', key: 'a-b', props: { text: 'string' }, async run({ steps, $ }) {
            $.export('$summary', this.text); $.respond({ status: 200, body: steps }); await $.send.http({ method: 'POST', url: this.text });
            return $.flow.exit('done');
         }",
    );
    let body = json!({ "component_code": code });
    let saved = user().await.post("/components", &body).await.ok();
    assert_eq!(saved["type"], "action");
    assert_eq!(names(&saved), ["text"]);
}
