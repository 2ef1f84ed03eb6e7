//! Connecting an account by OAuth: it is recorded when the provider has confirmed it.

use serde_json::{Value, json};
use sluice_testkit::{
    Method,
    receiver::{Answer, Receiver},
};

use super::{
    log::{entries, server, targets, username},
    sign_ins::{cookie, sign_in},
};
use crate::server::User;

const TOKENS: &str = r#"{ "access_token": "topsecret", "token_type": "bearer" }"#;

/// Connects an account, or the given one again. Returns the response to the browser that comes back from the provider.
async fn connect(user: &User, account: Option<&Value>, code: &str) -> u16 {
    let request = json!({ "app": "provider", "account_id": account });
    let connection = user.post("/accounts/connect", &request).await.ok();
    let session = cookie(&sign_in(user, user.key()).await);
    let path = format!(
        "/v1/accounts/connect/{}/authorize",
        connection["id"].as_str().unwrap()
    );
    let authorize = user
        .root(Method::POST, &path)
        .header("x-sluice-console", "1")
        .header("cookie", &session);
    let answer = authorize.send().await;
    let browser = cookie(&answer);
    let url = answer.ok()["authorization_url"].clone();
    let (_, state) = url.as_str().unwrap().split_once("state=").unwrap();
    let state = state.split('&').next().unwrap();
    let back = format!("/oauth/callback?state={state}&{code}");
    let back = user.root(Method::GET, &back).header("cookie", &browser);
    back.send().await.status
}

#[tokio::test]
async fn a_connected_account_is_recorded_with_the_user_of_the_browser() {
    let provider = Receiver::start(|_| {
        Answer::status(200)
            .header("content-type", "application/json")
            .body(TOKENS)
    });
    let server = server().await;
    let user = server.user().await;
    let app = json!({ "name_slug": "provider", "auth_type": "oauth", "oauth": {
        "authorization_url": provider.url("/authorize"), "token_url": provider.url("/token"),
        "client_id": "me", "client_secret": "topsecret" } });
    server.operator().post("/apps", &app).await.ok();

    assert_eq!(connect(&user, None, "code=c").await, 200);
    let log = entries(&server).await;
    let account = &user.get("/accounts").await.expect(200)["data"][0];
    assert_eq!(log[0]["action"], "account.connect");
    assert_eq!(log[0]["actor"]["name"], username(&user).await);
    assert_eq!(log[0]["actor"]["credential"], "session");
    assert_eq!(log[0]["actor"]["address"], "127.0.0.1");
    targets(&log[0], "account", &account["id"]);

    assert_eq!(connect(&user, Some(&account["id"]), "code=d").await, 200);
    let log = entries(&server).await;
    assert_eq!(log[0]["action"], "account.reconnect");
    targets(&log[0], "account", &account["id"]);

    // The user has declined at the provider.
    assert_eq!(connect(&user, None, "error=access_denied").await, 400);
    let log = entries(&server).await;
    assert_eq!(log[0]["action"], "session.sign_in");
}
