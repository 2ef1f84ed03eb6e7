//! Accounts that people make for themselves.

use serde_json::json;
use sluice_testkit::{Api, Method};

use super::fixtures::{limited_server, refused, text};
use crate::support::{server, unique_name};

/// A client whose key is nobody's.
fn anyone(url: &str) -> Api {
    Api::new(url, "none")
}

#[tokio::test]
async fn whoever_signs_up_gets_a_key_that_works_on_the_free_plan() {
    let server = limited_server().await;
    let name = unique_name();
    let body = json!({ "username": name, "email": "a@b.c" });
    let user = anyone(server.url()).post("/signup", &body).await.ok();
    let expected =
        json!({ "id": user["id"], "username": name, "email": "a@b.c", "api_key": user["api_key"] });
    assert_eq!(user, expected);
    let me = Api::new(server.url(), &text(&user["api_key"]))
        .get("/users/me")
        .await
        .ok();
    assert_eq!((&me["id"], &me["api_key"]), (&user["id"], &user["api_key"]));
    refused(anyone(server.url()).post("/signup", &body).await, 409);
}

#[tokio::test]
async fn signing_up_wants_a_username_and_an_email() {
    let server = limited_server().await;
    let api = anyone(server.url());
    for (body, field) in [
        (json!({ "email": "a@b.c" }), "username"),
        (json!({ "username": unique_name(), "email": " " }), "email"),
    ] {
        let error = refused(api.post("/signup", &body).await, 400);
        assert!(error.contains(field), "{body}: {error}");
    }
}

#[tokio::test]
async fn signing_up_does_not_exist_unless_the_server_allows_it() {
    let server = server().await;
    let api = anyone(server.url());
    let unknown = refused(api.request(Method::POST, "/nonsense").send().await, 404);
    for body in [
        json!({ "username": unique_name(), "email": "a@b.c" }),
        json!(5),
    ] {
        let answer = api.post("/signup", &body).await;
        assert_eq!(refused(answer, 404), unknown, "{body}");
    }
}
