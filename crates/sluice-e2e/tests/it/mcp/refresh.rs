//! Renewing access, reuse of refresh tokens, and revocation.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use super::official_client::run_script;
use crate::support::{new_user, shared_server};

async fn status_with(token: &Value) -> u16 {
    let url = shared_server(Backend::Sqlite).url();
    let agent = Api::new(url, token.as_str().expect("a token"));
    agent.get("/users/me").await.status
}

#[tokio::test]
async fn the_client_renews_its_access_until_a_token_is_stolen_or_given_back() {
    let api = new_user().await;
    let url = format!("{}/mcp", shared_server(Backend::Sqlite).url());
    let input = json!({ "url": url, "key": api.key(), "scopes": ["read"] });
    let results = run_script("refresh.mjs", &input).await;

    let both = json!(["authorization_code", "refresh_token"]);
    assert_eq!(results["registered"], both, "{results:#}");
    assert_eq!(results["first"]["expires_in"], 3600, "{results:#}");
    assert!(results["tools"].as_u64() > Some(10), "{results:#}");
    assert_eq!(results["toolsLater"], results["tools"], "it was renewed");
    for name in ["access_token", "refresh_token"] {
        assert_ne!(results["first"][name], results["second"][name]);
    }
    assert_eq!(results["second"]["scope"], "read");
    assert_eq!(results["byAnother"], "InvalidGrantError");
    assert_eq!(results["wider"]["error"], "invalid_scope");
    assert_eq!(results["twice"][0], results["twice"][1]);
    assert_eq!(results["toolsAtLast"], results["tools"]);

    assert_eq!(results["stolen"], "InvalidGrantError");
    assert_eq!(results["afterTheft"], "InvalidGrantError", "it ended");
    assert_eq!(status_with(&results["ended"]).await, 401);

    assert_eq!(results["revocations"], json!([200, 400, 400, 200]));
    assert_eq!(results["toolsBeforeRevocation"], results["tools"]);
    assert_eq!(results["afterRevocation"], "InvalidGrantError");
    assert_eq!(status_with(&results["revoked"]).await, 401);
    assert_eq!(api.get("/users/me/keys").await.ok(), json!([]));
    let log = api.get("/audit?action=key.delete").await.ok();
    let reasons: Vec<&Value> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["details"]["reason"])
        .collect();
    assert!(
        reasons.contains(&&json!("a refresh token was used twice")),
        "{log:#}"
    );
}
