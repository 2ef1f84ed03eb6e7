//! Sessions in the audit log.

use serde_json::json;
use sluice_testkit::{Answer, Method, Request};

use super::log::{Log, entries, server, targets, username};
use crate::server::User;

/// Signs in with a key.
pub(super) async fn sign_in(api: &User, key: &str) -> Answer {
    sign_in_request(api, key).send().await
}

pub(super) fn sign_in_request(api: &User, key: &str) -> Request {
    let request = api
        .root(Method::POST, "/v1/session")
        .header("x-sluice-console", "1");
    request.json(&json!({ "api_key": key }))
}

/// The cookie of a sign-in.
pub(super) fn cookie(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").expect("a cookie");
    cookie.split(';').next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn changes_of_a_session_name_it_as_their_credential() {
    let server = server().await;
    let user = server.user().await;
    let name = username(&user).await;
    let mut log = Log::new(&server);
    let cookie = cookie(&sign_in(&user, user.key()).await);
    let create = user
        .root(Method::POST, "/v1/webhooks")
        .header("x-sluice-console", "1")
        .header("cookie", &cookie)
        .json(&json!({ "url": "https://example.com" }));
    let (webhook, entry) = log.expect("createWebhook", &name, create).await;
    assert_eq!(entry["actor"]["credential"], "session");
    targets(&entry, "webhook", &webhook["id"]);
    // A new sign-in of the browser replaces its session, which is no sign-out.
    let again = user
        .root(Method::POST, "/v1/session")
        .header("x-sluice-console", "1")
        .header("cookie", &cookie)
        .json(&json!({ "api_key": user.key() }));
    let (_, entry) = log.expect("signIn", &name, again).await;
    assert_eq!(entry["actor"]["credential"], "key");
}

#[tokio::test]
async fn failed_sign_ins_are_counted_and_only_operators_see_them() {
    let server = server().await;
    let user = server.user().await;
    let before = entries(&server).await.len();
    for _ in 0..25 {
        let answer = sign_in(&user, "0123456789abcdef0123456789abcde0").await;
        assert_eq!(answer.status, 401);
    }
    let entries = entries(&server).await;
    let failed: Vec<_> = entries[..entries.len() - before].iter().collect();
    let counts: Vec<_> = failed
        .iter()
        .map(|entry| entry["details"]["failures"].as_u64())
        .collect();
    assert_eq!(counts, [Some(10), Some(1)]);
    assert_eq!(failed[0]["action"], "session.sign_in_failed");
    assert!(failed[0]["user_id"].is_null() && failed[0]["actor"]["id"].is_null());
    let own = user.get("/audit?action=session").await.expect(200);
    assert_eq!(own["page_info"]["total_count"], 0);
    // The next hour begins anew.
    server.clock.advance(60 * 60 * 1000);
    sign_in(&user, "0123456789abcdef0123456789abcde0").await;
    assert_eq!(super::log::entries(&server).await.len(), before + 3);
}
