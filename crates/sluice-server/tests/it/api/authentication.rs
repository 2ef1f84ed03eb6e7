//! Who may ask: the key in the `Authorization` header, on every path of the API.

use sluice_testkit::{Method, guarded_operations};

use super::fixtures::refused;
use crate::{server::TestServer, support::new_user};

#[tokio::test]
async fn authentication_rule_1_every_operation_requires_the_key() {
    let api = new_user().await;
    for (method, path) in guarded_operations(&api).await {
        let method: Method = method.parse().expect("a method");
        let answer = api.root(method.clone(), &path).send().await;
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Bearer"),
            "{method} {path}"
        );
        refused(answer, 401);
    }
}

#[tokio::test]
async fn a_key_that_is_not_one_of_ours_is_401() {
    let api = new_user().await;
    let key = api.key();
    let shouted = format!("Bearer {}", key.to_uppercase());
    let cut = format!("Bearer {}", &key[1..]);
    let twice = format!("Bearer {key} {key}");
    let basic = format!("Basic {key}");
    for value in [
        "Bearer 00000000000000000000000000000000",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer '; DROP TABLE users; --",
        key,
        &shouted,
        &cut,
        &twice,
        &basic,
    ] {
        let request = api
            .root(Method::GET, "/v1/users/me")
            .header("Authorization", value);
        refused(request.send().await, 401);
    }
}

#[tokio::test]
async fn the_scheme_is_read_in_any_case() {
    let api = new_user().await;
    for scheme in ["bearer", "BEARER", "Bearer"] {
        let value = format!("{scheme} {}", api.key());
        let request = api
            .root(Method::GET, "/v1/users/me")
            .header("Authorization", &value);
        request.send().await.expect(200);
    }
}

#[tokio::test]
async fn authentication_rule_3_users_me_returns_the_key_that_was_sent() {
    let api = new_user().await;
    assert_eq!(api.get("/users/me").await.ok()["api_key"], api.key());
}

#[tokio::test]
async fn the_key_is_checked_before_the_id_and_the_body() {
    let api = new_user().await;
    let unknown = api.root(Method::GET, "/v1/sources/dc_unknown").send().await;
    refused(unknown, 401);
    let malformed = api.root(Method::POST, "/v1/sources").body("{").send().await;
    refused(malformed, 401);
}

#[tokio::test]
async fn after_some_wrong_keys_an_address_has_to_wait_and_right_keys_go_on() {
    let server = TestServer::with(|settings| settings.max_wrong_keys = 3).await;
    let (known, new) = (server.user().await, server.user().await);
    known.get("/users/me").await.expect(200);
    let attempt = async |key: &str| {
        let request = known.root(Method::GET, "/v1/users/me");
        request.header("Authorization", key).send().await
    };
    for _ in 0..4 {
        refused(attempt("Bearer wrong").await, 401);
    }
    for key in ["Bearer wrong".to_owned(), format!("Bearer {}", new.key())] {
        let answer = attempt(&key).await;
        assert_eq!(answer.header("retry-after"), Some("1"));
        refused(answer, 429);
    }
    known.get("/users/me").await.expect(200);
    server.clock.advance(1000);
    refused(attempt("Bearer wrong").await, 401);
    assert_eq!(
        attempt("Bearer wrong").await.header("retry-after"),
        Some("2")
    );
    server.clock.advance(2000);
    new.get("/users/me").await.expect(200);
}
