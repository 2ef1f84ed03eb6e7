//! App props of sources: which accounts they take, and what happens when one is gone.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Plan, Server};

use super::fixtures::{key_account, key_app, source_code, source_with, unique_slug};
use crate::support::{deploy_with, new_user, own_server, shared_server, unique_name};

async fn details(api: &Api, slug: &str, props: Value) -> Value {
    let body = json!({ "component_code": source_code(slug), "configured_props": props });
    let refusal = api.post("/sources", &body).await.expect(422);
    assert_eq!(refusal["error"], "record invalid");
    refusal["details"].clone()
}

async fn faults(api: &Api, slug: &str, props: Value) -> Value {
    details(api, slug, props).await["configured_props"].clone()
}

#[tokio::test]
async fn an_app_with_keys_needs_an_account() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    for props in [json!({}), json!({ "app": {} }), json!({ "app": null })] {
        assert_eq!(faults(&api, &slug, props).await, json!(["app is required"]));
    }
    let wrong = faults(&api, &slug, json!({ "app": "apn_x", "other": 1 })).await;
    assert_eq!(
        wrong,
        json!([
            "app must be an object",
            "other is not a prop of this component"
        ])
    );
    let both = faults(&api, &slug, json!({ "other": 1 })).await;
    assert_eq!(
        both,
        json!(["other is not a prop of this component", "app is required"])
    );
}

#[tokio::test]
async fn an_account_must_exist_be_ones_own_and_be_of_that_app() {
    let (api, stranger) = (new_user().await, new_user().await);
    let server = shared_server(Backend::Sqlite);
    let (slug, other) = (key_app(server).await, key_app(server).await);
    let foreign = key_account(&stranger, &slug, "k").await;
    let of_other_app = key_account(&api, &other, "k").await;
    let unknown = (
        "unknown_account",
        "app names an account that does not exist",
    );
    let wrong_app = ("wrong_app", "app names an account of another app");
    for (account, (code, message)) in [
        (json!("apn_unknown"), unknown),
        (json!("nonsense"), unknown),
        (json!(5), unknown),
        (json!(foreign), unknown),
        (json!(of_other_app), wrong_app),
    ] {
        let props = json!({ "app": { "authProvisionId": account } });
        assert_eq!(
            details(&api, &slug, props).await,
            json!({
                "configured_props": [message],
                "props": [{ "prop": "app", "code": code, "message": message }],
            }),
            "{account}"
        );
    }
}

#[tokio::test]
async fn an_update_holds_accounts_to_the_same_rules_and_changes_them() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let (one, two) = (
        key_account(&api, &slug, "1").await,
        key_account(&api, &slug, "2").await,
    );
    let source = source_with(&api, &slug, &one).await;
    let missing = api
        .put(&source.path(""), &json!({ "configured_props": {} }))
        .await;
    missing.expect(422);
    let body = json!({ "configured_props": { "app": { "authProvisionId": two } } });
    api.put(&source.path(""), &body).await.ok();
    source.run(json!({})).await;
    assert_eq!(source.events(1).await[0]["auth"], json!({ "api_key": "2" }));
}

#[tokio::test]
async fn an_app_without_authentication_or_unknown_here_needs_no_account() {
    let api = new_user().await;
    let slug = unique_slug();
    let none = json!({ "name_slug": slug, "auth_type": "none" });
    shared_server(Backend::Sqlite)
        .api()
        .post("/apps", &none)
        .await
        .ok();
    for slug in [slug.as_str(), "unknown_here"] {
        for props in [
            json!({}),
            json!({ "app": { "$auth": { "api_key": "smuggled" } } }),
        ] {
            let source = deploy_with(&api, &source_code(slug), props).await;
            source.run(json!({})).await;
            assert_eq!(
                source.events(1).await,
                [json!({ "auth": {}, "inMethod": {} })]
            );
        }
    }
}

#[tokio::test]
async fn an_optional_app_prop_may_be_left_out() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let code = source_code(&slug).replace("type: \"app\",", "type: \"app\", optional: true,");
    let source = deploy_with(&api, &code, json!({})).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await[0]["auth"], json!({}));
}

#[tokio::test]
async fn hooks_see_the_credentials() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let account = key_account(&api, &slug, "for hooks").await;
    let hooks = "hooks: { deploy() { this.$emit(this.app.auth()); }, activate() { this.$emit(this.app.$auth); } }, run()";
    let code = source_code(&slug).replace("run()", hooks);
    let props = json!({ "app": { "authProvisionId": account } });
    let source = deploy_with(&api, &code, props).await;
    let auth = json!({ "api_key": "for hooks" });
    assert_eq!(source.events(2).await, [auth.clone(), auth]);
}

#[tokio::test]
async fn a_deleted_account_fails_runs_with_a_clear_error_and_the_source_can_still_be_managed() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let account = key_account(&api, &slug, "k").await;
    let hooks = "hooks: { deactivate() {} }, run()";
    let code = source_code(&slug).replace("run()", hooks);
    let props = json!({ "app": { "authProvisionId": account } });
    let source = deploy_with(&api, &code, props).await;
    source.run(json!({})).await;
    source.events(1).await;
    api.delete(&format!("/accounts/{account}"))
        .await
        .expect(204);
    source.run(json!({ "n": 2 })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "AccountError");
    let message = error["error"]["msg"].as_str().expect("a message");
    assert!(
        message.contains(&account) && message.contains("does not exist any more"),
        "{message}"
    );
    assert_eq!(error["original_event"], json!({ "n": 2 }));
    source.log_with("AccountError").await;
    let body = json!({ "name": "renamed" });
    api.put(&source.path(""), &body).await.expect(200);
    let refusal = api.delete(&source.path("")).await.expect(422);
    assert!(
        refusal["observations"].to_string().contains("AccountError"),
        "{refusal}"
    );
    let path = source.path("?ignore_hook_errors=true");
    api.delete(&path).await.expect(204);
}

#[tokio::test]
async fn an_invocation_that_spins_right_after_it_was_given_credentials_keeps_its_lines() {
    let server = Server::start(own_server().arg("--invocation-timeout").arg("1s")).await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let slug = key_app(&server).await;
    let account = key_account(&api, &slug, "k").await;
    let code = source_code(&slug).replace(
        "this.$emit(",
        "console.log('about to spin'); for (;;); this.$emit(",
    );
    let props = json!({ "app": { "authProvisionId": account } });
    let source = deploy_with(&api, &code, props).await;
    source.run(json!({})).await;
    assert_eq!(source.errors(1).await[0]["error"]["code"], "Timeout");
    source.log_with("about to spin").await;
}
