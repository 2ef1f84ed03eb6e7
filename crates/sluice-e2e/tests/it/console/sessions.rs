//! Signing in, and what the cookie is good for.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Answer, Api, Backend, Method, Plan, Server, now_ms};

use super::fixtures::{Browser, cookie_of, name_and_value, signing_in};
use crate::{
    api::fixtures::{EMITTER, refused},
    support::{deploy, new_user, new_user_on, own_server, shared_server, unique_name},
};

const NINETY_DAYS: &str = "Max-Age=7776000";

#[rstest]
#[tokio::test]
async fn signing_in_with_a_key_gives_a_cookie_that_stands_in_for_it(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let answer = signing_in(&api, api.key()).await;
    let cookie = cookie_of(&answer);
    let session = answer.ok();
    let me = api.get("/users/me").await.ok();
    for field in ["id", "username", "email"] {
        assert_eq!(session["user"][field], me[field], "{session}");
    }
    assert_eq!(session["user"]["plan"], "free");
    assert_eq!(session["user"]["operator"], false);
    assert_eq!(session["version"], env!("CARGO_PKG_VERSION"));
    assert!(session["expires_at"].is_i64(), "{session}");

    let browser = Browser { api, cookie };
    assert_eq!(browser.get("/session").await.ok(), session);
    let made = browser
        .request(Method::POST, "/sources")
        .json(&json!({ "component_code": EMITTER }))
        .send()
        .await
        .ok();
    let sources = browser.get("/users/me/sources").await.ok();
    assert_eq!(sources[0]["id"], made["id"]);
}

#[tokio::test]
async fn the_session_lasts_14_days() {
    let before = now_ms();
    let browser = Browser::sign_in(&new_user().await).await;
    let session = browser.get("/session").await.ok();
    let begun = session["expires_at"].as_i64().expect("a time") - 14 * 86_400_000;
    assert!((before..=now_ms()).contains(&begun), "{session}");
}

#[tokio::test]
async fn the_cookie_is_for_the_api_alone_and_out_of_reach_of_script_and_other_sites() {
    let api = new_user().await;
    let answer = signing_in(&api, api.key()).await;
    let set = answer.header("set-cookie").expect("a cookie");
    let mut parts = set.split("; ");
    let (name, token) = name_and_value(parts.next().expect("a pair"));
    assert!(name.starts_with("sluice_session_"), "{set}");
    assert_eq!(token.len(), 32, "{set}");
    let attributes: Vec<_> = parts.collect();
    assert_eq!(
        attributes,
        ["HttpOnly", "SameSite=Strict", "Path=/v1", NINETY_DAYS]
    );
}

/// The attributes of the cookie that a response sets.
fn attributes(answer: &Answer) -> Vec<&str> {
    let set = answer.header("set-cookie").expect("a cookie");
    set.split("; ").skip(1).collect()
}

#[tokio::test]
async fn behind_https_the_cookie_is_secure() {
    let options = own_server().args(["--public-url", "https://sluice.example.com"]);
    let server = Server::start(options).await;
    let api = server.api();
    let answer = signing_in(&api, api.key()).await;
    assert_eq!(
        attributes(&answer),
        [
            "HttpOnly",
            "SameSite=Strict",
            "Secure",
            "Path=/v1",
            NINETY_DAYS
        ]
    );
    let browser = Browser {
        cookie: cookie_of(&answer),
        api,
    };
    let request = browser.request(Method::DELETE, "/session");
    // A proxy in front may have named another host.
    let answer = request.header("origin", "https://sluice.example.com");
    let answer = answer.send().await;
    assert_eq!(answer.status, 204);
    assert_eq!(
        attributes(&answer),
        [
            "HttpOnly",
            "SameSite=Strict",
            "Secure",
            "Path=/v1",
            "Max-Age=0"
        ]
    );
}

#[tokio::test]
async fn a_key_of_nobody_signs_nobody_in() {
    let api = new_user().await;
    for key in ["", "x", "00000000000000000000000000000000"] {
        let answer = signing_in(&api, key).await;
        assert_eq!(answer.header("set-cookie"), None);
        refused(answer, 401);
    }
    let answer = api
        .root(Method::POST, "/v1/session")
        .header("x-sluice-console", "1");
    let error = refused(answer.json(&json!({})).send().await, 400);
    assert!(error.contains("api_key"), "{error}");
}

#[tokio::test]
async fn a_token_that_is_not_one_of_ours_is_401() {
    let browser = Browser::sign_in(&new_user().await).await;
    let (name, token) = name_and_value(&browser.cookie);
    for cookie in [
        String::new(),
        format!("{name}="),
        format!("{name}=x"),
        format!("{name}=00000000000000000000000000000000"),
        format!("{name}={}", browser.api.key()),
        format!("{name}={token}; {name}={token}"),
        format!("sluice_session={token}"),
    ] {
        let request = browser.api.root(Method::GET, "/v1/session");
        refused(request.header("cookie", &cookie).send().await, 401);
    }
    let bearer = format!("Bearer {token}");
    let request = browser.api.root(Method::GET, "/v1/session");
    refused(request.header("authorization", &bearer).send().await, 401);
}

#[tokio::test]
async fn a_request_with_a_key_has_a_session_without_an_end() {
    let api = new_user().await;
    let session = api.get("/session").await.ok();
    assert_eq!(session["expires_at"], json!(null));
    assert!(session["user"]["username"].is_string(), "{session}");
    let answer = api.delete("/session").await;
    assert_eq!(answer.status, 204);
    api.get("/session").await.ok();
}

#[tokio::test]
async fn the_authorization_header_wins_over_the_cookie() {
    let (one, other) = (new_user().await, new_user().await);
    let browser = Browser::sign_in(&one).await;
    let bearer = format!("Bearer {}", other.key());
    let request = browser.bare(Method::GET, "/users/me");
    let me = request.header("authorization", &bearer).send().await.ok();
    assert_eq!(me["api_key"], other.key());
    // And needs nothing of what the cookie does.
    let made = browser
        .bare(Method::POST, "/sources")
        .header("authorization", &bearer)
        .header("sec-fetch-site", "cross-site")
        .json(&json!({ "component_code": EMITTER }));
    made.send().await.ok();
    let request = browser.bare(Method::GET, "/users/me");
    refused(
        request.header("authorization", "Bearer x").send().await,
        401,
    );
}

#[tokio::test]
async fn what_a_browser_says_to_a_proxy_in_front_leaves_the_cookie_good() {
    let browser = Browser::sign_in(&new_user().await).await;
    for (header, status) in [("Basic YTpi", 200), ("Bearer", 401), ("Bearer x", 401)] {
        let request = browser.bare(Method::GET, "/session");
        let answer = request.header("authorization", header).send().await;
        assert_eq!(answer.status, status, "{header}");
    }
    let request = browser.api.root(Method::GET, "/v1/session");
    refused(
        request.header("authorization", "Basic YTpi").send().await,
        401,
    );
}

#[tokio::test]
async fn nobody_makes_the_server_read_much_before_they_have_shown_a_key() {
    let api = new_user().await;
    let key = format!("{}{}", " ".repeat(20_000), api.key());
    refused(signing_in(&api, &key).await, 413);
    let request = api.root(Method::POST, "/v1/session");
    let request = request
        .header("x-sluice-console", "1")
        .header("content-type", "application/json");
    refused(request.body(vec![b' '; 10_000_000]).send().await, 413);
}

#[tokio::test]
async fn what_is_told_to_one_person_is_kept_in_no_cache() {
    let api = new_user().await;
    let browser = Browser::sign_in(&api).await;
    for answer in [
        signing_in(&api, api.key()).await,
        browser.get("/session").await,
        browser.get("/users/me").await,
        browser.get("/sources/dc_unknown").await,
        browser.get("/nothing").await,
    ] {
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn a_session_never_shows_the_key() {
    let api = new_user().await;
    let browser = Browser::sign_in(&api).await;
    for path in ["/users/me", "/users/me?include=api_key", "/session"] {
        let answer = browser.get(path).await;
        assert_eq!(answer.status, 200);
        assert!(!answer.text.contains(api.key()), "{}", answer.text);
    }
    let me = browser.get("/users/me").await.ok();
    assert_eq!(me["api_key"], "********");
}

#[tokio::test]
async fn what_is_for_the_operator_takes_the_operators_session() {
    let server = shared_server(Backend::Sqlite);
    let operator = Browser::sign_in(&server.api()).await;
    let session = operator.get("/session").await.ok();
    assert_eq!(session["user"]["operator"], true);
    operator.get("/users").await.expect(200);
    let other = server.user(&unique_name(), Plan::Paid).await;
    let other = Browser::sign_in(&other).await;
    refused(other.get("/users").await, 404);
    assert_eq!(other.get("/session").await.ok()["user"]["plan"], "paid");
}

#[tokio::test]
async fn streams_take_the_cookie() {
    let api: Api = new_user().await;
    let browser = Browser::sign_in(&api).await;
    let source = deploy(&api, EMITTER).await;
    let url = shared_server(Backend::Sqlite).url();
    for path in [
        source.path("/sse"),
        format!("/sse/dc/{}/emits", source.id),
        format!("/sse/dc/{}/observations", source.id),
    ] {
        let client = reqwest::Client::builder().no_proxy().build();
        let request = client.expect("a client").get(format!("{url}/v1{path}"));
        let request = request.header("cookie", &browser.cookie);
        let mut stream = request.send().await.expect("an answer");
        assert_eq!(stream.status(), 200, "{path}");
        let first = stream.chunk().await.expect("a stream").expect("a chunk");
        assert!(first.starts_with(b":sse-handshake"), "{path}: {first:?}");
    }
}
