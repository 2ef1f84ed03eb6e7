//! App props of steps: the accounts that they name.

use serde_json::{Value, json};
use sluice_testkit::Backend;

use crate::{
    support::{new_user, shared_server, unique_name},
    workflows::fixtures::{deploy, faults, returned},
};

fn document(slug: &str, app: &Value) -> String {
    let code = format!(
        "export default defineComponent({{ props: {{ app: {{ type: \"app\", app: \"{slug}\" }} }}, async run() {{ return this.app.$auth.api_key }} }})"
    );
    json!({ "name": "Accounts", "steps": [{ "name": "one", "code": code, "props": { "app": app } }] }).to_string()
}

#[tokio::test]
async fn an_app_prop_needs_an_account_of_the_user_as_in_sources() {
    let operator = shared_server(Backend::Sqlite).api();
    let slug = unique_name().replace("user", "wfapp");
    let app = json!({ "name_slug": slug, "name": "Keyed", "auth_type": "keys", "custom_fields": [{ "name": "api_key" }] });
    operator.post("/apps", &app).await.ok();
    let (api, other) = (new_user().await, new_user().await);
    let body = json!({ "app": slug, "credentials": { "api_key": "k1" } });
    let account = api.post("/accounts", &body).await.ok()["id"].clone();
    let named = json!({ "authProvisionId": account });
    let workflow = deploy(&api, &document(&slug, &named)).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "one"), "k1", "{run}");
    let found = faults(&other, &document(&slug, &named)).await;
    assert!(
        found[0].contains("steps[0].props.app: names an account that does not exist"),
        "{found:?}"
    );
    let found = faults(&api, &document(&slug, &Value::Null)).await;
    assert!(
        found[0].contains("steps[0].props.app: is required"),
        "{found:?}"
    );
    let open = json!({ "authProvisionId": "{{ event.account }}" });
    let found = faults(&api, &document(&slug, &open)).await;
    assert!(
        found
            .iter()
            .any(|fault| fault.contains("must not hold an expression")),
        "{found:?}"
    );
}
