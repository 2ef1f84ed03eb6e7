//! Signing in by OAuth, as the protocol defines it.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Method};

use super::official_client::run_script;
use crate::support::{new_user, shared_server};

async fn sign_in(api: &Api, scopes: Value) -> Value {
    let url = format!("{}/mcp", shared_server(Backend::Sqlite).url());
    let input = json!({ "url": url, "key": api.key(), "scopes": scopes });
    run_script("oauth.mjs", &input).await
}

#[tokio::test]
async fn the_client_registers_and_gets_a_key_that_its_user_approved() {
    let api = new_user().await;
    let results = sign_in(&api, json!(["read"])).await;
    assert_eq!(results["refused"], true, "{results:#}");
    assert_eq!(results["authorization"], "/agents/authorize");
    assert_eq!(results["returned"]["state"], "state of the client");
    let tools = results["tools"].as_array().unwrap();
    assert!(tools.contains(&json!("sluice_list_events")));
    assert!(!tools.contains(&json!("sluice_deploy_source")));
    assert_eq!(results["tokens"]["scope"], "read");
    assert_eq!(results["tokens"]["expires_in"], 30 * 86_400);
    assert_eq!(results["again"], "InvalidGrantError", "a code works once");

    let keys = api.get("/users/me/keys").await.ok();
    assert_eq!(keys.as_array().unwrap().len(), 1);
    assert_eq!(keys[0]["name"], "Test agent");
    assert_eq!(keys[0]["scopes"], json!(["read"]));
    // Deleting the key ends the access.
    let path = format!("/users/me/keys/{}", keys[0]["id"].as_str().unwrap());
    assert_eq!(api.delete(&path).await.status, 204);
    let token = results["tokens"]["access_token"].as_str().unwrap();
    let agent = Api::new(shared_server(Backend::Sqlite).url(), token);
    assert_eq!(agent.get("/users/me").await.status, 401);
}

#[tokio::test]
async fn a_user_may_deny_it() {
    let api = new_user().await;
    let results = sign_in(&api, Value::Null).await;
    assert_eq!(results["returned"]["error"], "access_denied", "{results:#}");
    assert_eq!(api.get("/users/me/keys").await.ok(), json!([]));
}

#[tokio::test]
async fn only_the_user_approves_and_only_registered_addresses_get_codes() {
    let api = new_user().await;
    let register = async |uris: Value| {
        let body = json!({ "client_name": "A", "redirect_uris": uris });
        api.root(Method::POST, "/oauth/register")
            .json(&body)
            .send()
            .await
    };
    for bad in [
        json!([]),
        json!(["http://example.com/"]),
        json!(["javascript:alert(1)"]),
    ] {
        let answer = register(bad.clone()).await;
        assert_eq!(answer.status, 400, "{bad}: {}", answer.text);
    }
    let registered = register(json!(["https://app.example.com/cb"]))
        .await
        .expect(201);
    let approve = |redirect: &str, scopes: Value| {
        json!({ "client_id": registered["client_id"], "redirect_uri": redirect,
            "code_challenge": "x".repeat(43), "scopes": scopes })
    };
    let good = "https://app.example.com/cb";
    for (body, word) in [
        (
            approve("https://evil.example.com/cb", json!(["read"])),
            "redirect",
        ),
        (approve(good, json!(["operate"])), "operate"),
        (approve(good, json!([])), "scope"),
        (
            json!({ "client_id": "x", "redirect_uri": good }),
            "not registered",
        ),
    ] {
        let answer = api.post("/agent_access", &body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert!(answer.text.contains(word), "{body}: {}", answer.text);
    }
    let body = json!({ "name": "k", "scopes": ["read", "run", "deploy", "operate"] });
    let named = api.post("/users/me/keys", &body).await.ok();
    let url = shared_server(Backend::Sqlite).url();
    let named = Api::new(url, named["api_key"].as_str().unwrap());
    let answer = named
        .post("/agent_access", &approve(good, json!(["read"])))
        .await;
    assert_eq!(answer.status, 403);

    let token = api
        .root(Method::POST, "/oauth/token")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("grant_type=authorization_code&code=x&client_id=y&code_verifier=z")
        .send()
        .await;
    assert_eq!(token.status, 400);
    assert!(token.text.contains("invalid_grant"), "{}", token.text);
}
