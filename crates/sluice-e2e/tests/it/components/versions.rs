//! Versions of sources, with code that Deno runs, on both databases.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use crate::support::{deploy_with, new_user_on};

fn code(number: u32) -> String {
    format!(
        "export default {{ name: 'Greeter', version: '0.0.{number}', \
         props: {{ city: 'string', pin: {{ type: 'string', secret: true }} }}, \
         hooks: {{ activate() {{ console.log('activated {number}'); }} }}, \
         run() {{ this.$emit({{ by: {number}, city: this.city, pin: this.pin }}); }} }};"
    )
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_rollback_runs_earlier_code_with_its_props(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let first = json!({ "city": "Rome", "pin": "1111" });
    let source = deploy_with(&api, &code(1), first).await;
    let change =
        json!({ "component_code": code(2), "configured_props": { "city": "Ulm", "pin": "2222" } });
    let changed = api.put(&source.path(""), &change).await.ok();
    assert_eq!(changed["version"], 2);
    let body = json!({ "version": 1 });
    let back = api.post(&source.path("/rollback"), &body).await.ok();
    assert_eq!(back["version"], 3);
    assert_eq!(back["component_id"], source.source["component_id"]);
    source.run(json!({})).await;
    let emitted = source.events(1).await;
    assert_eq!(
        emitted[0],
        json!({ "by": 1, "city": "Rome", "pin": "1111" })
    );
    let listed = api.get(&source.path("/versions")).await.ok();
    let shown: Vec<(&Value, &Value)> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["number"], &one["restored"]))
        .collect();
    let null = Value::Null;
    assert_eq!(
        shown,
        [
            (&json!(3), &json!(1)),
            (&json!(2), &null),
            (&json!(1), &null)
        ]
    );
    let second = api.get(&source.path("/versions/2")).await.ok();
    assert_eq!(second["code"], code(2));
    assert_eq!(second["configured_props"]["pin"], "********");
    source.log_with("activated 2").await;
    api.delete(&source.path("")).await.expect(204);
    api.get(&source.path("/versions")).await.expect(404);
}
