//! The operator's users: listing, new keys and deletion, on both databases.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method};

use super::fixtures::{IDLE, idle_source, page, refused, save, text};
use crate::{
    server::User,
    support::{new_user, server},
};

/// A new user with the id that the operator knows.
async fn user() -> (User, Value) {
    let api = new_user().await;
    let user = api.get("/users/me").await.ok();
    (api, user)
}

fn path(user: &Value, rest: &str) -> String {
    format!("/users/{}{rest}", text(&user["id"]))
}

#[tokio::test]
async fn the_operator_lists_users_newest_first_and_finds_one_by_name() {
    let operator = server().await.operator();
    let (_, user) = user().await;
    let found = page(
        &operator,
        &format!("/users?username={}", text(&user["username"])),
    )
    .await;
    let listed = &found.rows[0];
    let expected = json!({
        "id": user["id"], "username": user["username"], "email": user["email"],
        "plan": "free", "operator": false, "created_at": listed["created_at"],
    });
    assert_eq!(found.rows, [expected]);
    assert_eq!(found.info["total_count"], 1);

    let all = page(&operator, "/users?limit=2").await;
    assert_eq!(all.rows.len(), 2);
    let older = page(&operator, &format!("/users?after={}", all.end_cursor())).await;
    let times: Vec<_> = all
        .rows
        .iter()
        .chain(&older.rows)
        .map(|user| user["created_at"].as_i64())
        .collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older));
}

#[tokio::test]
async fn a_rotated_key_works_and_the_old_one_does_not() {
    let server = server().await;
    let (api, user) = user().await;
    let rotated = server
        .operator()
        .post(&path(&user, "/rotate_key"), &json!({}))
        .await
        .ok();
    let key = text(&rotated["api_key"]);
    assert_eq!(rotated, json!({ "id": user["id"], "api_key": key }));
    assert_ne!(key, api.key());
    refused(api.get("/users/me").await, 401);
    let renewed = Api::new(server.url(), &key).get("/users/me").await.ok();
    assert_eq!(renewed["id"], user["id"]);
    assert_eq!(renewed["api_key"], key);
}

#[tokio::test]
async fn everyone_can_rotate_the_key_they_have() {
    let (api, user) = user().await;
    let (other, _) = self::user().await;
    let rotated = api.post("/users/me/rotate_key", &json!({})).await.ok();
    let key = text(&rotated["api_key"]);
    assert_eq!(rotated, json!({ "id": user["id"], "api_key": key }));
    refused(api.get("/users/me").await, 401);
    refused(api.post("/users/me/rotate_key", &json!({})).await, 401);
    let renewed = Api::new(server().await.url(), &key);
    assert_eq!(renewed.get("/users/me").await.ok()["id"], user["id"]);
    other.get("/users/me").await.ok();
}

#[tokio::test]
async fn a_deleted_user_is_gone_with_everything_and_the_name_is_free() {
    let operator = server().await.operator();
    let (api, user) = user().await;
    save(&api, IDLE).await;
    let webhook = json!({ "url": "https://example.com/hook" });
    let webhook = api.post("/webhooks", &webhook).await.ok();
    let auto = json!({ "event_name": "$errors", "listener_id": webhook["id"] });
    api.post("/auto_subscriptions", &auto).await.ok();

    operator.delete(&path(&user, "")).await.expect(204);
    refused(api.get("/users/me").await, 401);
    refused(operator.delete(&path(&user, "")).await, 404);
    refused(
        operator.post(&path(&user, "/rotate_key"), &json!({})).await,
        404,
    );
    let again = json!({ "username": user["username"], "email": "a@b.c" });
    operator.post("/users", &again).await.expect(200);
}

#[tokio::test]
async fn a_user_with_sources_is_409_until_they_are_deleted() {
    let operator = server().await.operator();
    let (api, user) = user().await;
    let source = idle_source(&api).await;
    let error = refused(operator.delete(&path(&user, "")).await, 409);
    assert!(error.contains("1 source and 0 workflows"), "{error}");
    api.get(&source.path("")).await.expect(200);
    api.delete(&source.path("")).await.expect(204);
    operator.delete(&path(&user, "")).await.expect(204);
}

#[tokio::test]
async fn the_operator_cannot_delete_itself() {
    let operator = server().await.operator();
    let me = operator.get("/users/me").await.ok();
    refused(operator.delete(&path(&me, "")).await, 409);
    operator.get("/users/me").await.expect(200);
}

#[tokio::test]
async fn looking_after_users_does_not_exist_for_anyone_but_the_operator() {
    let api = new_user().await;
    let me = api.get("/users/me").await.ok();
    let unknown = refused(api.request(Method::GET, "/nonsense").send().await, 404);
    for (method, path) in [
        (Method::GET, "/users".to_owned()),
        (Method::DELETE, path(&me, "")),
        (Method::POST, path(&me, "/rotate_key")),
    ] {
        let answer = api.request(method, &path).send().await;
        assert_eq!(refused(answer, 404), unknown, "{path}");
    }
}

#[tokio::test]
async fn the_operator_finds_users_by_part_of_their_name_or_email_address() {
    let operator = server().await.operator();
    let (_, user) = user().await;
    let (name, email) = (text(&user["username"]), text(&user["email"]));
    for q in [name.to_uppercase(), email.clone(), name[1..].to_owned()] {
        let found = page(&operator, &format!("/users?q={q}")).await;
        let names = found.each("username");
        assert!(names.contains(&user["username"]), "{q}: {names:?}");
        assert_eq!(found.info["total_count"], found.rows.len(), "{q}");
    }
    let both = page(&operator, &format!("/users?q={name}&username=operator")).await;
    assert!(both.rows.is_empty());
    let nobody = page(&operator, "/users?q=%25").await;
    assert_eq!(
        (nobody.rows.len(), &nobody.info["total_count"]),
        (0, &json!(0))
    );
    let all = page(&operator, "/users?q=").await;
    assert!(all.info["total_count"].as_u64() > Some(1));
    refused(operator.get("/users?q=%00").await, 400);
}
