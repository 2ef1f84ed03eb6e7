//! What ends a session.

use std::path::Path;

use rstest::rstest;
use rusqlite::Connection;
use serde_json::json;
use sluice_testkit::{Backend, Method, Plan, Server, wait_for};

use super::fixtures::{Browser, name_and_value, signing_in};
use crate::{
    api::fixtures::refused,
    support::{PATIENCE, new_user, new_user_on, own_server, shared_server, unique_name},
};

const HOUR_MS: i64 = 3_600_000;

#[rstest]
#[tokio::test]
async fn signing_out_ends_this_session_and_no_other(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let (here, there) = (Browser::sign_in(&api).await, Browser::sign_in(&api).await);
    assert_ne!(here.cookie, there.cookie);
    let answer = here.request(Method::DELETE, "/session").send().await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    let (name, _) = name_and_value(&here.cookie);
    let clearing = format!("{name}=; HttpOnly; SameSite=Strict; Path=/v1; Max-Age=0");
    assert_eq!(answer.header("set-cookie"), Some(clearing.as_str()));
    refused(here.get("/session").await, 401);
    refused(here.request(Method::DELETE, "/session").send().await, 401);
    there.get("/session").await.ok();
}

#[tokio::test]
async fn signing_in_again_ends_the_session_before() {
    let api = new_user().await;
    let before = Browser::sign_in(&api).await;
    let again = |key: String| {
        let request = before.request(Method::POST, "/session");
        request.json(&json!({ "api_key": key })).send()
    };
    refused(again("x".to_owned()).await, 401);
    before.get("/session").await.ok();
    again(api.key().to_owned()).await.ok();
    refused(before.get("/session").await, 401);
}

/// Reads a stream until the server ends it.
async fn last_words(stream: reqwest::Response) -> String {
    let whole = tokio::time::timeout(PATIENCE, stream.text()).await;
    whole.expect("an end in time").expect("a whole stream")
}

#[tokio::test]
async fn a_stream_ends_with_what_it_was_opened_with() {
    let (api, other) = (new_user().await, new_user().await);
    let browser = Browser::sign_in(&api).await;
    let url = shared_server(Backend::Sqlite).url();
    let client = reqwest::Client::builder().no_proxy().build();
    let client = client.expect("a client");
    let open = async |name: &str, value: &str| {
        let request = client.get(format!("{url}/v1/users/me/traffic"));
        let stream = request.header(name, value).send().await;
        let stream = stream.expect("an answer");
        assert_eq!(stream.status(), 200);
        stream
    };
    let by_cookie = open("cookie", &browser.cookie).await;
    let by_key = open("authorization", &format!("Bearer {}", other.key())).await;
    browser.request(Method::DELETE, "/session").send().await;
    other.post("/users/me/rotate_key", &json!({})).await.ok();
    let (by_cookie, by_key) = tokio::join!(last_words(by_cookie), last_words(by_key));
    for words in [by_cookie, by_key] {
        assert!(words.ends_with("no longer valid\n\n"), "{words}");
    }
}

#[rstest]
#[tokio::test]
async fn a_rotated_key_ends_all_sessions_of_its_user(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let server = shared_server(backend);
    let (api, other) = (new_user_on(backend).await, new_user_on(backend).await);
    let browsers = [Browser::sign_in(&api).await, Browser::sign_in(&api).await];
    let bystander = Browser::sign_in(&other).await;
    let session = browsers[0].get("/session").await.ok();
    let id = session["user"]["id"].as_str().expect("an id");
    let path = format!("/users/{id}/rotate_key");
    let rotated = server.api().post(&path, &json!({})).await.ok();
    for browser in &browsers {
        refused(browser.get("/session").await, 401);
    }
    bystander.get("/session").await.ok();
    refused(signing_in(&api, api.key()).await, 401);
    let key = rotated["api_key"].as_str().expect("a key");
    signing_in(&api, key).await.ok();
}

#[tokio::test]
async fn a_session_that_rotates_its_key_is_shown_the_new_one_and_ends_with_all_others() {
    let api = new_user().await;
    let browsers = [Browser::sign_in(&api).await, Browser::sign_in(&api).await];
    let rotated = browsers[0]
        .request(Method::POST, "/users/me/rotate_key")
        .send()
        .await
        .ok();
    for browser in &browsers {
        refused(browser.get("/session").await, 401);
    }
    refused(api.get("/session").await, 401);
    let key = rotated["api_key"].as_str().expect("a key");
    signing_in(&api, key).await.ok();
}

#[rstest]
#[tokio::test]
async fn a_session_ends_with_its_user(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let server = shared_server(backend);
    let api = server.user(&unique_name(), Plan::Free).await;
    let browser = Browser::sign_in(&api).await;
    let session = browser.get("/session").await.ok();
    let id = session["user"]["id"].as_str().expect("an id");
    let answer = server.api().delete(&format!("/users/{id}")).await;
    assert_eq!(answer.status, 204, "{}", answer.text);
    refused(browser.get("/session").await, 401);
}

/// When the only session was used, and when it ends.
fn noted(database: &Path) -> (i64, i64) {
    let db = Connection::open(database).expect("the database");
    let sql = "SELECT used_at, expires_at FROM sessions";
    db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("a session")
}

/// Lets so much time have passed since the session was last used, while the server is down.
async fn leave_alone(server: &mut Server, ms: i64) {
    server.kill9();
    let sql = "UPDATE sessions SET used_at = used_at - ?1, expires_at = expires_at - ?1";
    Connection::open(server.data_dir().join("sluice.db"))
        .and_then(|db| db.execute(sql, [ms]))
        .expect("an update");
    server.restart().await;
}

#[tokio::test]
async fn use_puts_off_the_end_and_is_written_down_once_an_hour() {
    let mut server = Server::start(own_server()).await;
    let database = server.data_dir().join("sluice.db");
    let browser = Browser::sign_in(&server.api()).await;
    let begun = noted(&database);
    browser.get("/session").await.ok();
    assert_eq!(noted(&database), begun);

    leave_alone(&mut server, HOUR_MS / 2).await;
    let (used, _) = noted(&database);
    browser.get("/session").await.ok();
    assert_eq!(noted(&database).0, used);

    leave_alone(&mut server, 13 * 24 * HOUR_MS).await;
    let session = browser.get("/session").await.ok();
    let (used, expires) = noted(&database);
    assert!(used >= begun.0 && expires >= begun.1, "{used} {expires}");
    assert_eq!(session["expires_at"], expires);
}

#[tokio::test]
async fn fourteen_days_without_use_end_a_session_and_it_is_swept_away() {
    let mut server = Server::start(own_server()).await;
    let browser = Browser::sign_in(&server.api()).await;
    leave_alone(&mut server, 14 * 24 * HOUR_MS).await;
    refused(browser.get("/session").await, 401);
    let database = server.data_dir().join("sluice.db");
    wait_for(PATIENCE, "the session to be swept away", async || {
        let db = Connection::open(&database).expect("the database");
        let sql = "SELECT COUNT(*) FROM sessions";
        let left: i64 = db.query_row(sql, [], |row| row.get(0)).expect("a count");
        (left == 0).then_some(())
    })
    .await;
}
