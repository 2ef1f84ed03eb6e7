//! Changes of users: by themselves and by operators, and the last operator.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{page, refused, text};
use crate::{
    server::{TestServer, User},
    support::{new_user, server, unique_name},
};

async fn me(api: &Api) -> Value {
    api.get("/users/me").await.ok()
}

async fn path_of(api: &Api) -> String {
    format!("/users/{}", text(&me(api).await["id"]))
}

#[tokio::test]
async fn users_change_their_own_name_and_address_and_nothing_else() {
    let api = new_user().await;
    let name = unique_name();
    let body = json!({ "username": name, "plan": "paid", "operator": true });
    let changed = api.put("/users/me", &body).await.ok();
    assert_eq!(changed["username"], name);
    assert_eq!(
        (&changed["plan"], &changed["operator"]),
        (&json!("free"), &json!(false))
    );
    api.put("/users/me", &json!({ "email": "new@example.com" }))
        .await
        .ok();
    let me = me(&api).await;
    assert_eq!(
        (&me["username"], &me["email"]),
        (&json!(name), &json!("new@example.com"))
    );
    refused(api.put("/users/me", &json!({})).await, 400);
    for body in [
        json!({ "username": " " }),
        json!({ "username": "a\nb" }),
        json!({ "email": "" }),
        json!({ "email": "ada" }),
        json!({ "email": "a@b.c, d@e.f" }),
        json!({ "email": "a@b.c\r\nBcc: d@e.f" }),
    ] {
        refused(api.put("/users/me", &body).await, 400);
    }
    let other = new_user().await;
    let other = text(&self::me(&other).await["username"]);
    refused(
        api.put("/users/me", &json!({ "username": other })).await,
        409,
    );
}

#[tokio::test]
async fn operators_change_others_and_several_can_be_operators() {
    let operator = server().await.operator();
    let api = new_user().await;
    let path = path_of(&api).await;
    refused(api.put(&path, &json!({ "plan": "paid" })).await, 404);
    let body = json!({ "plan": "paid", "operator": true, "email": "b@example.com" });
    let changed = operator.put(&path, &body).await.ok();
    let expected = (json!("paid"), json!(true), json!("b@example.com"));
    assert_eq!(
        (
            changed["plan"].clone(),
            changed["operator"].clone(),
            changed["email"].clone()
        ),
        expected
    );
    assert!(page(&api, "/users").await.rows.len() > 1);
    api.put(&path, &json!({ "operator": false })).await.ok();
    refused(api.get("/users").await, 404);
    let unknown = operator
        .put("/users/u_unknown", &json!({ "plan": "paid" }))
        .await;
    refused(unknown, 404);
}

#[tokio::test]
async fn a_user_can_be_created_as_an_operator() {
    let server = server().await;
    let body = json!({ "username": unique_name(), "email": "a@b.c", "operator": true });
    let created = server.operator().post("/users", &body).await.ok();
    let api = Api::new(server.url(), &text(&created["api_key"]));
    api.get("/users").await.expect(200);
}

#[tokio::test]
async fn the_last_operator_stays_one() {
    let server = TestServer::start().await;
    let first = server.operator();
    let own = path_of(&first).await;
    let error = refused(first.put(&own, &json!({ "operator": false })).await, 409);
    assert!(error.contains("last operator"), "{error}");
    let second = server.user().await;
    let other = path_of(&second).await;
    // Of a user who is none it takes nothing.
    first.put(&other, &json!({ "operator": false })).await.ok();
    first.put(&other, &json!({ "operator": true })).await.ok();
    first.put(&own, &json!({ "operator": false })).await.ok();
    refused(second.put(&other, &json!({ "operator": false })).await, 409);
}

#[tokio::test]
async fn of_two_operators_who_remove_each_other_one_stays() {
    let server = TestServer::start().await;
    let (first, second) = (server.operator(), server.user().await);
    let paths = [path_of(&first).await, path_of(&second).await];
    let promote = json!({ "operator": true });
    let demote = json!({ "operator": false });
    for round in 0..10 {
        let by: &User = if first.get("/users").await.status == 200 {
            &first
        } else {
            &second
        };
        for path in &paths {
            by.put(path, &promote).await.ok();
        }
        let answers = tokio::join!(
            first.put(&paths[1], &demote),
            second.put(&paths[0], &demote)
        );
        let operators = [first.get("/users").await, second.get("/users").await];
        let left = operators.iter().filter(|answer| answer.status == 200);
        assert_eq!(left.count(), 1, "{round}: {answers:?}");
    }
}

#[tokio::test]
async fn one_operator_can_delete_another() {
    let server = TestServer::start().await;
    let (first, second) = (server.operator(), server.user().await);
    let (own, other) = (path_of(&first).await, path_of(&second).await);
    first.put(&other, &json!({ "operator": true })).await.ok();
    refused(first.delete(&own).await, 409);
    second.delete(&own).await.expect(204);
    refused(first.get("/users/me").await, 401);
}
