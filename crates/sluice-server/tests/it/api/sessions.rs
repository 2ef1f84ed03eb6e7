//! Sessions of the console: the list, ending them, and how long they last.

use serde_json::json;
use sluice_testkit::{Answer, Api, Method};

use super::fixtures::{field_names, page, refused, text};
use crate::{
    server::TestServer,
    support::{new_user, server},
};

const DAY_MS: i64 = 86_400_000;

struct Browser {
    api: Api,
    cookie: String,
    max_age: String,
}

impl Browser {
    async fn sign_in(api: &Api, user_agent: &str) -> Browser {
        let request = api.root(Method::POST, "/v1/session");
        let request = request
            .header("x-sluice-console", "1")
            .header("user-agent", user_agent);
        let answer = request.json(&json!({ "api_key": api.key() })).send().await;
        let set = answer.header("set-cookie").expect("a cookie").to_owned();
        let part = |at: usize| set.split("; ").nth(at).unwrap_or_default().to_owned();
        Browser {
            api: api.clone(),
            cookie: part(0),
            max_age: set.rsplit("; ").next().unwrap_or_default().to_owned(),
        }
    }

    async fn request(&self, method: Method, path: &str) -> Answer {
        let request = self.api.root(method, &format!("/v1{path}"));
        let request = request.header("cookie", &self.cookie);
        request.header("x-sluice-console", "1").send().await
    }

    async fn is_signed_in(&self) -> bool {
        self.request(Method::GET, "/session").await.status == 200
    }
}

#[tokio::test]
async fn sessions_are_listed_with_their_browser() {
    let api = new_user().await;
    let _old = Browser::sign_in(&api, "Old browser").await;
    let here = Browser::sign_in(&api, &"x".repeat(1_000)).await;
    let listed = here.request(Method::GET, "/users/me/sessions").await;
    let rows = listed.expect(200)["data"].clone();
    let fields = [
        "id",
        "created_at",
        "last_used_at",
        "expires_at",
        "user_agent",
        "address",
        "current",
    ];
    assert_eq!(field_names(&rows[0]), fields);
    assert_eq!(rows[0]["user_agent"], "x".repeat(300));
    assert_eq!(rows[1]["user_agent"], "Old browser");
    assert_eq!(rows[1]["address"], "127.0.0.1");
    assert_eq!(
        (&rows[0]["current"], &rows[1]["current"]),
        (&json!(true), &json!(false))
    );
    let by_key = page(&api, "/users/me/sessions?limit=1").await;
    assert_eq!(by_key.info["total_count"], 2);
    assert_eq!(by_key.rows[0]["current"], false);
    let other = new_user().await;
    assert!(page(&other, "/users/me/sessions").await.rows.is_empty());
    let path = format!("/users/me/sessions/{}", text(&rows[1]["id"]));
    refused(other.delete(&path).await, 404);
}

#[tokio::test]
async fn one_session_or_all_others_can_be_ended() {
    let api = new_user().await;
    let here = Browser::sign_in(&api, "here").await;
    let there = Browser::sign_in(&api, "there").await;
    let third = Browser::sign_in(&api, "third").await;
    let rows = page(&api, "/users/me/sessions").await.rows;
    let id = rows
        .iter()
        .find(|row| row["user_agent"] == "there")
        .unwrap();
    let path = format!("/users/me/sessions/{}", text(&id["id"]));
    here.request(Method::DELETE, &path).await.expect(204);
    refused(here.request(Method::DELETE, &path).await, 404);
    assert!(!there.is_signed_in().await && third.is_signed_in().await);
    let others = here.request(Method::DELETE, "/users/me/sessions").await;
    others.expect(204);
    assert!(here.is_signed_in().await && !third.is_signed_in().await);
    api.delete("/users/me/sessions").await.expect(204);
    assert!(!here.is_signed_in().await);
}

#[tokio::test]
async fn a_session_ends_14_days_after_its_last_use_and_90_after_its_start() {
    let server = TestServer::start().await;
    let api = server.user().await;
    let used = Browser::sign_in(&api, "used").await;
    let unused = Browser::sign_in(&api, "unused").await;
    assert_eq!(used.max_age, format!("Max-Age={}", 90 * DAY_MS / 1000));
    for _ in 0..6 {
        server.clock.advance(13 * DAY_MS);
        assert!(used.is_signed_in().await);
    }
    assert!(!unused.is_signed_in().await);
    let session = used.request(Method::GET, "/session").await.ok();
    let rows = page(&api, "/users/me/sessions").await.rows;
    assert_eq!(rows.len(), 1);
    let began = rows[0]["created_at"].as_i64().unwrap();
    let ends = session["expires_at"].as_i64().unwrap().div_euclid(1000);
    assert_eq!(ends - began, 90 * DAY_MS / 1000);
    server.clock.advance(12 * DAY_MS + 60_000);
    assert!(!used.is_signed_in().await);
}

#[tokio::test]
async fn a_session_has_all_scopes() {
    let operator = server().await.operator();
    let browser = Browser::sign_in(&operator, "console").await;
    for path in ["/users", "/users/me/keys", "/users/me/sources", "/server"] {
        browser.request(Method::GET, path).await.expect(200);
    }
}
