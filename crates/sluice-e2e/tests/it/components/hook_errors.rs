//! A hook that throws fails the request, and nothing is left half made.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Method};

use super::{component, limited_user};
use crate::support::{deploy, new_user, new_user_on};

fn message(observations: &Value) -> Value {
    let last = observations
        .as_array()
        .and_then(|rows| rows.last())
        .expect("observations");
    assert_eq!(last["k"], "error", "{observations}");
    last["err"]["message"].clone()
}

#[rstest]
#[tokio::test]
async fn a_throwing_hook_of_a_new_source_is_422_with_observations_and_leaves_nothing(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values("deploy", "activate")] hook: &str,
) {
    let api = new_user_on(backend).await;
    let code = component(&format!(
        "props: {{ http: '$.interface.http', db: '$.service.db' }},
         hooks: {{ async {hook}() {{ this.$emit(1); this.db.set('a', 1); console.log(this.http.endpoint); await null; throw new Error('refused'); }} }}, run() {{}}"
    ));
    let refused = api
        .post("/sources", &json!({ "component_code": code }))
        .await
        .expect(422);
    assert_eq!(refused["error"], "observation error");
    let observations = &refused["observations"];
    assert_eq!(message(observations), "refused");
    assert_eq!(observations[0], json!({ "k": "hook", "h": hook }));
    let stack = observations[2]["err"]["stack"].as_str().unwrap_or_default();
    assert!(stack.contains("component.cjs:2:"), "{observations}");
    let endpoint = observations[1]["msg"]
        .as_str()
        .expect("the logged endpoint");
    api.absolute(Method::POST, endpoint)
        .send()
        .await
        .expect(404);
    assert_eq!(
        api.get("/users/me/sources").await.expect(200)["page_info"]["total_count"],
        0
    );
}

#[tokio::test]
async fn a_failed_create_leaves_its_name_free() {
    let api = new_user().await;
    let failing = component("hooks: { activate() { throw new Error('no'); } }, run() {}");
    api.post(
        "/sources",
        &json!({ "component_code": failing, "name": "mine" }),
    )
    .await
    .expect(422);
    let sound = json!({ "component_code": component("run() {}"), "name": "mine" });
    assert_eq!(api.post("/sources", &sound).await.ok()["name_slug"], "mine");
}

#[rstest]
#[tokio::test]
async fn an_update_whose_activate_throws_changes_nothing(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let old = component(
        "props: { http: '$.interface.http', db: '$.service.db' },
         hooks: { activate() { this.db.set('by', 'old'); }, deactivate() { this.db.set('by', 'nobody'); this.$emit('deactivated'); } },
         run(event) { this.$emit([event.body, this.db.get('by')]); }",
    );
    let source = deploy(&new_user_on(backend).await, &old).await;
    let new = component(
        "props: { hook: '$.interface.http', second: '$.interface.http', db: '$.service.db', more: { type: 'string', default: 'x' } },
         hooks: { activate() { this.db.set('by', 'new'); this.$emit('new'); throw new Error('not this one'); } }, run() { this.$emit('new'); }",
    );
    let refused = source
        .api
        .put(
            &source.path(""),
            &json!({ "component_code": new, "name": "changed" }),
        )
        .await
        .expect(422);
    assert_eq!(message(&refused["observations"]), "not this one");
    let mut now = source.api.get(&source.path("")).await.ok();
    now["updated_at"] = source.source["updated_at"].clone();
    assert_eq!(now, source.source);
    source.send(&json!("after")).await.expect(200);
    // The old code was deactivated for the attempt; it is active again.
    assert_eq!(source.events(1).await, [json!(["after", "old"])]);
}

#[tokio::test]
async fn an_update_whose_deactivate_throws_changes_nothing() {
    let old = component(
        "hooks: { deactivate() { this.$emit('deactivating'); throw new Error('stay'); } }, run() { this.$emit('old'); }",
    );
    let source = deploy(&new_user().await, &old).await;
    let updates = [
        json!({ "component_code": component("run() { this.$emit('new'); }") }),
        json!({ "active": false }),
    ];
    for update in updates {
        let refused = source.api.put(&source.path(""), &update).await.expect(422);
        assert_eq!(message(&refused["observations"]), "stay");
        let now = source.api.get(&source.path("")).await.ok();
        assert_eq!(
            [&now["component_id"], &now["active"]],
            [&source.source["component_id"], &json!(true)]
        );
    }
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("old")]);
}

#[tokio::test]
async fn a_throwing_deactivate_keeps_a_source_unless_hook_errors_are_ignored() {
    let code = component(
        "hooks: { deactivate() { throw new Error('stay'); } }, run() { this.$emit('here'); }",
    );
    let source = deploy(&new_user().await, &code).await;
    let refused = source.api.delete(&source.path("")).await.expect(422);
    assert_eq!(message(&refused["observations"]), "stay");
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("here")]);
    assert_eq!(
        source
            .api
            .delete(&source.path("?ignore_hook_errors=true"))
            .await
            .status,
        204
    );
    source.api.get(&source.path("")).await.expect(404);
}

#[tokio::test]
async fn an_activation_that_fails_leaves_the_source_inactive() {
    let code = "let n = 0;\n".to_owned()
        + &component(
            "props: { fail: { type: 'boolean', default: false }, http: '$.interface.http' }, hooks: { activate() { if (this.fail) throw new Error('no'); } }, run() {}",
        );
    let source = deploy(&new_user().await, &code).await;
    source
        .api
        .put(&source.path(""), &json!({ "active": false }))
        .await
        .ok();
    let attempt = json!({ "active": true, "configured_props": { "fail": true } });
    source.api.put(&source.path(""), &attempt).await.expect(422);
    let now = source.api.get(&source.path("")).await.ok();
    assert_eq!(
        [&now["active"], &now["configured_props"]["fail"]],
        [false, false]
    );
    source.send(&json!({})).await.expect(404);
}

#[tokio::test]
async fn whatever_a_hook_throws_is_observed() {
    let api = new_user().await;
    let cases = [
        ("throw 'a string'", "a string"),
        ("throw undefined", "undefined"),
        (
            "return Promise.reject(new TypeError('rejected'))",
            "rejected",
        ),
        (
            "setTimeout(() => { throw new Error('in a timer'); }, 1); return new Promise(() => {})",
            "in a timer",
        ),
        ("null.x", "Cannot read properties of null"),
        ("process.exit(3)", "exited with code 3"),
    ];
    for (body, expected) in cases {
        let code = component(&format!(
            "hooks: {{ activate() {{ {body}; }} }}, run() {{}}"
        ));
        let refused = api
            .post("/sources", &json!({ "component_code": code }))
            .await
            .expect(422);
        let message = message(&refused["observations"]);
        assert!(
            message
                .as_str()
                .is_some_and(|message| message.contains(expected)),
            "{body}: {message}"
        );
    }
}

#[tokio::test]
async fn a_hook_that_overruns_its_time_is_422() {
    let api = limited_user().await;
    for body in ["return new Promise(() => {})", "for (;;);"] {
        let code = component(&format!("hooks: {{ activate() {{ {body} }} }}, run() {{}}"));
        let refused = api
            .post("/sources", &json!({ "component_code": code }))
            .await
            .expect(422);
        let rows = refused["observations"].as_array().expect("observations");
        assert_eq!(
            rows.last().map(|row| &row["err"]["name"]),
            Some(&json!("Timeout")),
            "{body}: {refused}"
        );
    }
}
