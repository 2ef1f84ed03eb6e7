//! Single sign-on in the audit log.

use serde_json::{Value, json};

use super::log::entries;
use crate::api::oidc_provider::{Browser, Provider};

#[tokio::test]
async fn a_new_user_a_link_and_refusals_are_recorded() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    Browser::new(&server).sign_in(&provider).await;
    let log = entries(&server).await;
    assert_eq!(log[0]["action"], "session.sign_in");
    assert_eq!(log[0]["actor"]["credential"], "oidc");
    assert_eq!(log[0]["actor"]["name"], "ada");
    assert_eq!(log[0]["actor"]["address"], "127.0.0.1");
    assert_eq!(log[1]["action"], "user.sign_up");
    assert!(log[1]["details"]["subject"].is_string(), "{}", log[1]);

    server.user_named("eve", "free").await;
    provider.set(|it| it.claims = json!({ "sub": "eve-there", "email": "eve@example.com" }));
    for _ in 0..2 {
        Browser::new(&server).sign_in(&provider).await;
    }
    let log = entries(&server).await;
    let actions: Vec<&Value> = log[..4].iter().map(|entry| &entry["action"]).collect();
    let (signed_in, linked) = ("session.sign_in", "user.link_identity");
    assert_eq!(actions, [signed_in, signed_in, linked, "user.create"]);
    assert_eq!(log[2]["target"]["name"], "eve");
    assert_eq!(log[2]["details"]["subject"], "eve-there");

    provider.set(|it| it.claims = json!({ "sub": "x", "email": "operator@localhost" }));
    Browser::new(&server).sign_in(&provider).await;
    let log = entries(&server).await;
    assert_eq!(log[0]["action"], "session.sign_in_failed");
    assert_eq!(log[0]["actor"]["address"], "127.0.0.1");
}
