//! Named API keys: creation, scopes, expiry, last use and deletion.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method, wait_for};

use super::fixtures::{field_names, idle_source, page, refused, text};
use crate::{
    server::{TestServer, User},
    support::{PATIENCE, new_user, server, unique_name},
};

const DAY_MS: i64 = 86_400_000;

/// A new named key, and a client with it.
async fn named(api: &User, scopes: &[&str]) -> (Api, Value) {
    named_for(api, scopes, None).await
}

async fn named_for(api: &User, scopes: &[&str], expires_in: Option<u64>) -> (Api, Value) {
    let body = json!({ "name": unique_name(), "scopes": scopes, "expires_in": expires_in });
    let key = api.post("/users/me/keys", &body).await.ok();
    (Api::new(api.server.url(), &text(&key["api_key"])), key)
}

#[tokio::test]
async fn a_named_key_is_shown_once_and_listed_without_it() {
    let api = new_user().await;
    let body = json!({ "name": "ci", "scopes": ["deploy", "read", "read"], "expires_in": 3600 });
    let created = api.post("/users/me/keys", &body).await.ok();
    let key = text(&created["api_key"]);
    let listed = page(&api, "/users/me/keys").await;
    let fields = [
        "id",
        "name",
        "scopes",
        "last_characters",
        "created_at",
        "expires_at",
        "last_used_at",
    ];
    assert_eq!(field_names(&listed.rows[0]), fields);
    assert_eq!(listed.rows.len(), 1);
    for field in fields {
        assert_eq!(listed.rows[0][field], created[field], "{field}");
    }
    assert_eq!(created["scopes"], json!(["read", "deploy"]));
    assert_eq!(text(&created["last_characters"]), key[28..]);
    let lifetime =
        created["expires_at"].as_i64().unwrap() - created["created_at"].as_i64().unwrap();
    assert_eq!(lifetime, 3600);
    assert!(key.len() == 32 && key.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')));

    let other = new_user().await;
    assert!(page(&other, "/users/me/keys").await.rows.is_empty());
    let path = format!("/users/me/keys/{}", text(&created["id"]));
    refused(other.delete(&path).await, 404);
}

#[tokio::test]
async fn wrong_values_are_400() {
    let api = new_user().await;
    for (body, word) in [
        (json!({ "scopes": ["read"] }), "name"),
        (json!({ "name": " ", "scopes": ["read"] }), "name"),
        (
            json!({ "name": "a".repeat(101), "scopes": ["read"] }),
            "name",
        ),
        (json!({ "name": "a" }), "scopes"),
        (json!({ "name": "a", "scopes": [] }), "scope"),
        (json!({ "name": "a", "scopes": ["write"] }), "scopes"),
        (
            json!({ "name": "a", "scopes": ["read"], "expires_in": 59 }),
            "expires_in",
        ),
        (
            json!({ "name": "a", "scopes": ["read"], "expires_in": u64::MAX }),
            "expires_in",
        ),
    ] {
        let error = refused(api.post("/users/me/keys", &body).await, 400);
        assert!(error.contains(word), "{body}: {error}");
    }
}

#[tokio::test]
async fn a_key_without_the_scope_is_403_with_its_name() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let path = source.path("");
    let (reader, _) = named(&api, &["read"]).await;
    let (deployer, _) = named(&api, &["deploy"]).await;
    let (admin, _) = named(&api, &["operate"]).await;
    reader.get(&path).await.ok();
    deployer
        .put(&path, &json!({ "name": "changed" }))
        .await
        .ok();
    admin.get("/users/me/keys").await.expect(200);
    let head = reader.request(Method::HEAD, &path).send().await;
    assert_eq!(head.status, 200);
    for (answer, scope) in [
        (deployer.get(&path).await, "read"),
        (admin.get(&path).await, "read"),
        (reader.put(&path, &json!({ "name": "x" })).await, "deploy"),
        (reader.delete(&path).await, "deploy"),
        (reader.get("/users/me/keys").await, "operate"),
        (deployer.get("/users/me/sessions").await, "operate"),
        (
            deployer
                .put("/users/me", &json!({ "email": "a@b.c" }))
                .await,
            "operate",
        ),
        (reader.post("/users", &json!({})).await, "deploy"),
    ] {
        let error = refused(answer, 403);
        assert!(error.contains(&format!("scope {scope}")), "{error}");
    }
    let stream = reader.root(Method::GET, &format!("/sources/{}/sse", source.id));
    let stream = stream.header("Authorization", &format!("Bearer {}", admin.key()));
    refused(stream.send().await, 403);
}

#[tokio::test]
async fn a_named_key_never_sees_or_replaces_the_main_key() {
    let api = new_user().await;
    let (all, _) = named(&api, &["read", "deploy", "operate"]).await;
    let me = all.get("/users/me").await.ok();
    assert_eq!(me["username"], api.get("/users/me").await.ok()["username"]);
    assert_ne!(text(&me["api_key"]), api.key());
    refused(all.post("/users/me/rotate_key", &json!({})).await, 403);
    let sign_in = all.root(Method::POST, "/v1/session");
    let sign_in = sign_in.header("x-sluice-console", "1");
    let body = json!({ "api_key": all.key() });
    refused(sign_in.json(&body).send().await, 403);

    let operator = server().await.operator();
    let id = text(&operator.get("/users/me").await.ok()["id"]);
    let (admin, _) = named(&operator, &["read", "deploy", "operate"]).await;
    let path = format!("/users/{id}/rotate_key");
    refused(admin.post(&path, &json!({})).await, 403);
    operator.get("/users/me").await.ok();
}

#[tokio::test]
async fn only_a_key_with_all_scopes_gets_main_keys_of_others() {
    let operator = server().await.operator();
    let (user, me) = {
        let user = new_user().await;
        let me = user.get("/users/me").await.ok();
        (user, me)
    };
    let rotate = format!("/users/{}/rotate_key", text(&me["id"]));
    let new = json!({ "username": unique_name(), "email": "a@b.c" });
    let (some, _) = named(&operator, &["read", "operate"]).await;
    refused(some.post("/users", &new).await, 403);
    refused(some.post(&rotate, &json!({})).await, 403);
    user.get("/users/me").await.ok();
    let (all, _) = named(&operator, &["read", "deploy", "operate"]).await;
    all.post("/users", &new).await.ok();
    all.post(&rotate, &json!({})).await.ok();
    refused(user.get("/users/me").await, 401);
}

#[tokio::test]
async fn a_key_cannot_create_one_that_may_do_more_or_lasts_longer() {
    let api = new_user().await;
    let (creator, _) = named_for(&api, &["read", "operate"], Some(3600)).await;
    let create = |scopes: Value, expires_in: Option<u64>| {
        let body = json!({ "name": "new", "scopes": scopes, "expires_in": expires_in });
        let creator = creator.clone();
        async move { creator.post("/users/me/keys", &body).await }
    };
    let error = refused(create(json!(["read", "deploy"]), Some(60)).await, 403);
    assert!(error.contains("scope deploy"), "{error}");
    for longer in [None, Some(7200)] {
        let error = refused(create(json!(["read"]), longer).await, 400);
        assert!(error.contains("lasts longer"), "{error}");
    }
    create(json!(["read"]), Some(60)).await.ok();
}

#[tokio::test]
async fn a_key_expires_and_stays_in_the_list() {
    let server = TestServer::start().await;
    let api = server.user().await;
    let (key, created) = named_for(&api, &["read"], Some(60)).await;
    key.get("/users/me/sources").await.expect(200);
    server.clock.advance(61_000);
    let error = refused(key.get("/users/me/sources").await, 401);
    assert!(error.contains("expired"), "{error}");
    let listed = page(&api, "/users/me/keys").await;
    assert_eq!(listed.each("id"), [created["id"].clone()]);
}

#[tokio::test]
async fn a_deleted_key_and_the_key_of_a_deleted_user_are_401() {
    let api = new_user().await;
    let (key, created) = named(&api, &["read"]).await;
    let (other, _) = named(&api, &["read"]).await;
    key.get("/users/me").await.ok();
    let path = format!("/users/me/keys/{}", text(&created["id"]));
    api.delete(&path).await.expect(204);
    refused(key.get("/users/me").await, 401);
    refused(api.delete(&path).await, 404);
    let id = text(&other.get("/users/me").await.ok()["id"]);
    let operator = server().await.operator();
    operator.delete(&format!("/users/{id}")).await.expect(204);
    refused(other.get("/users/me").await, 401);
}

#[tokio::test]
async fn the_last_use_is_recorded_to_the_minute() {
    let server = TestServer::start().await;
    let api = server.user().await;
    let (key, created) = named(&api, &["read"]).await;
    assert_eq!(created["last_used_at"], Value::Null);
    let last_use = async || page(&api, "/users/me/keys").await.rows[0]["last_used_at"].as_i64();
    key.get("/users/me").await.ok();
    let first = wait_for(PATIENCE, "the first use", last_use).await;
    key.get("/users/me").await.ok();
    assert_eq!(last_use().await, Some(first));
    server.clock.advance(61_000);
    key.get("/users/me").await.ok();
    let later = wait_for(PATIENCE, "a later use", async || {
        last_use().await.filter(|at| *at > first)
    });
    assert!(later.await - first >= 61);
    server.clock.advance(-DAY_MS);
    key.get("/users/me").await.ok();
}

#[tokio::test]
async fn a_user_has_a_hundred_keys_at_most() {
    let api = new_user().await;
    let body = json!({ "name": "one of many", "scopes": ["read"] });
    for _ in 0..100 {
        api.post("/users/me/keys", &body).await.ok();
    }
    let error = refused(api.post("/users/me/keys", &body).await, 409);
    assert!(error.contains("100"), "{error}");
    let first = page(&api, "/users/me/keys?limit=1").await;
    assert_eq!(first.info["total_count"], 100);
    let path = format!("/users/me/keys/{}", text(&first.rows[0]["id"]));
    api.delete(&path).await.expect(204);
    api.post("/users/me/keys", &body).await.ok();
}

#[tokio::test]
async fn credentials_of_accounts_need_the_scope_deploy() {
    let server = server().await;
    let app = json!({ "name_slug": unique_name().replace('-', "_"), "name": "App",
        "auth_type": "keys", "custom_fields": [{ "name": "token", "label": "Token" }] });
    let app = server.operator().post("/apps", &app).await.ok();
    let api = server.user().await;
    let body = json!({ "app": app["id"], "name": "mine", "credentials": { "token": "secret" } });
    let account = api.post("/accounts", &body).await.ok();
    let path = format!("/accounts/{}", text(&account["id"]));
    let with = format!("{path}?include_credentials=true");
    let (reader, _) = named(&api, &["read"]).await;
    let (both, _) = named(&api, &["read", "deploy"]).await;
    reader.get(&path).await.ok();
    let error = refused(reader.get(&with).await, 403);
    assert!(error.contains("scope deploy"), "{error}");
    assert!(both.get(&with).await.ok().to_string().contains("secret"));
}

#[tokio::test]
async fn a_stream_ends_when_its_key_is_deleted_or_expires() {
    let server = TestServer::start().await;
    let api = server.user().await;
    let source = idle_source(&api).await;
    let (deleted, key) = named(&api, &["read"]).await;
    let (expiring, _) = named_for(&api, &["read"], Some(3600)).await;
    let streams =
        [&deleted, &expiring].map(|key| key.request(Method::GET, &source.path("/sse")).send());
    let [one, other] = streams;
    let end = async {
        let used = async || {
            let rows = page(&api, "/users/me/keys").await.each("last_used_at");
            rows.iter().all(Value::is_i64).then_some(())
        };
        wait_for(PATIENCE, "both streams to be open", used).await;
        let path = format!("/users/me/keys/{}", text(&key["id"]));
        api.delete(&path).await.expect(204);
        server.clock.advance(3_601_000);
    };
    let (one, other, ()) = tokio::join!(one, other, end);
    for stream in [one, other] {
        assert_eq!(stream.status, 200);
        assert!(stream.text.contains("no longer valid"), "{}", stream.text);
    }
}
