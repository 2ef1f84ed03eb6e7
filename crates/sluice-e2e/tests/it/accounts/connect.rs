//! Connecting an account by OAuth 2, with a browser that goes to the provider and back.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use super::{
    browser::{Browser, Person},
    fixtures::{connect, connect_with, credentials, key_app, refused, source_with, text},
    provider::{OauthApp, provider},
};
use crate::support::{new_user, new_user_on, shared_server};

async fn app() -> OauthApp {
    provider()
        .app_on(shared_server(Backend::Sqlite), json!({}))
        .await
}

async fn begin(api: &Api, body: Value) -> (String, String) {
    let begun = api.post("/accounts/connect", &body).await.ok();
    assert_eq!(begun["status"], "pending");
    (text(&begun["id"]), text(&begun["connect_url"]))
}

async fn status(api: &Api, id: &str) -> Value {
    api.get(&format!("/accounts/connect/{id}")).await.ok()
}

async fn accounts(api: &Api) -> Vec<Value> {
    let page = api.get("/accounts").await.expect(200);
    page["data"].as_array().cloned().unwrap_or_default()
}

/// A parameter of an address.
fn parameter(url: &str, name: &str) -> Option<String> {
    let (_, query) = url.split_once('?')?;
    let value = query
        .split('&')
        .find_map(|pair| pair.strip_prefix(&format!("{name}=")))?;
    Some(value.to_owned())
}

#[rstest]
#[tokio::test]
async fn a_person_connects_an_account_and_a_source_uses_its_tokens(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let (server, api) = (shared_server(backend), new_user_on(backend).await);
    let app = provider().app_on(server, json!({})).await;
    let (id, url) = begin(&api, json!({ "app": app.slug, "name": "Work <1>" })).await;
    let mut browser = Browser::signed_in(&api).await;
    let provider_url = browser.confirm(&url).await;
    // The provider refuses whoever sends no challenge; that it is the strong kind is seen here.
    assert_eq!(
        parameter(&provider_url, "code_challenge_method").as_deref(),
        Some("S256")
    );
    let back = browser.visit(&provider_url, "alice", Person::Agrees).await;
    let page = browser.open(&back).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(
        page.text.contains("Work &lt;1&gt; is connected"),
        "{}",
        page.text
    );
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'"), "{policy}");

    let ended = status(&api, &id).await;
    assert_eq!(
        (&ended["status"], &ended["error"]),
        (&json!("connected"), &Value::Null)
    );
    let account = text(&ended["account_id"]);
    let listed = accounts(&api).await;
    assert_eq!(
        (&listed[0]["id"], &listed[0]["name"]),
        (&json!(account), &json!("Work <1>"))
    );
    assert!(listed[0]["expires_at"].is_string(), "{listed:?}");

    let tokens = credentials(&api, &account).await;
    assert_eq!(
        (&tokens["oauth_uid"], &tokens["oauth_client_id"]),
        (&json!("alice"), &json!(app.client_id))
    );
    assert_eq!(tokens["token_type"], "Bearer");
    assert!(
        provider()
            .accepts(&api, &text(&tokens["oauth_access_token"]))
            .await
    );
    let source = source_with(&api, &app.slug, &account).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!({ "auth": tokens, "inMethod": tokens })]
    );
}

#[tokio::test]
async fn a_client_that_posts_its_secret_connects_too() {
    let server = shared_server(Backend::Sqlite);
    let more = json!({ "client_authentication": "client_secret_post" });
    let app = provider().app_on(server, more).await;
    connect(&new_user().await, &app, "alice").await;
}

#[tokio::test]
async fn a_state_works_once() {
    let (api, app) = (new_user().await, app().await);
    let (_, url) = begin(&api, json!({ "app": app.slug })).await;
    let mut browser = Browser::signed_in(&api).await;
    let back = browser.go(&url, "alice", Person::Agrees).await;
    browser.open(&back).await.expect(200);
    let replay = browser.open(&back).await;
    assert_eq!(replay.status, 400);
    assert!(replay.text.contains("not valid"), "{}", replay.text);
    assert_eq!(accounts(&api).await.len(), 1);
}

#[tokio::test]
async fn a_forged_or_missing_state_is_refused_and_spends_nothing() {
    let (api, app) = (new_user().await, app().await);
    let (id, url) = begin(&api, json!({ "app": app.slug })).await;
    let mut browser = Browser::signed_in(&api).await;
    let back = browser.go(&url, "alice", Person::Agrees).await;
    let state = parameter(&back, "state").expect("a state");
    for forged in [
        back.replace(&state, "forged"),
        back.replace(&format!("state={state}"), "x=y"),
        back.split('?').next().expect("an address").to_owned(),
    ] {
        let answer = browser.open(&forged).await;
        assert_eq!(answer.status, 400, "{forged}");
        assert!(answer.text.contains("not valid"), "{}", answer.text);
    }
    assert_eq!(status(&api, &id).await["status"], "pending");
    browser.open(&back).await.expect(200);
}

#[tokio::test]
async fn a_code_is_of_no_use_with_the_state_of_another_connection() {
    let (api, app) = (new_user().await, app().await);
    let (_, one) = begin(&api, json!({ "app": app.slug })).await;
    let (id, two) = begin(&api, json!({ "app": app.slug })).await;
    let mut robbed = Browser::signed_in(&api).await;
    let stolen = robbed.go(&one, "victim", Person::Agrees).await;
    let stolen = parameter(&stolen, "code").expect("a code");
    let mut browser = Browser::signed_in(&api).await;
    let back = browser.go(&two, "thief", Person::Agrees).await;
    let code = parameter(&back, "code").expect("a code");
    // The verifier that belongs to the state does not fit the challenge that belongs to the code.
    let answer = browser.open(&back.replace(&code, &stolen)).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text.contains("invalid_grant"), "{}", answer.text);
    let ended = status(&api, &id).await;
    assert_eq!(ended["status"], "failed");
    assert_eq!(ended["error_code"], "invalid_grant");
    assert_eq!(accounts(&api).await.len(), 0);
}

#[tokio::test]
async fn a_person_who_declines_is_told_so_and_so_is_the_client() {
    let (api, app) = (new_user().await, app().await);
    let (id, url) = begin(&api, json!({ "app": app.slug })).await;
    let mut browser = Browser::signed_in(&api).await;
    let back = browser.go(&url, "alice", Person::Declines).await;
    let page = browser.open(&back).await;
    assert_eq!(page.status, 400);
    assert!(
        page.text
            .contains("Example did not connect the account: access_denied"),
        "{}",
        page.text
    );
    let ended = status(&api, &id).await;
    assert_eq!(ended["status"], "failed");
    assert!(text(&ended["error"]).contains("access_denied"), "{ended}");
    assert_eq!(ended["error_code"], "access_denied");
}

#[tokio::test]
async fn what_a_provider_says_is_shown_as_text() {
    let (api, app) = (new_user().await, app().await);
    let (_, url) = begin(&api, json!({ "app": app.slug })).await;
    let mut browser = Browser::signed_in(&api).await;
    let state = parameter(&browser.confirm(&url).await, "state").expect("a state");
    let query = format!("?state={state}&error=x&error_description=%3Cscript%3E%22%00");
    let address = format!(
        "{}/oauth/callback{query}",
        shared_server(Backend::Sqlite).url()
    );
    let page = browser.open(&address).await;
    assert_eq!(page.status, 400);
    assert!(page.text.contains("&lt;script&gt;&quot;"), "{}", page.text);
}

#[tokio::test]
async fn the_browser_goes_on_to_an_address_of_this_server_only() {
    let (api, app) = (new_user().await, app().await);
    let server = shared_server(Backend::Sqlite).url();
    for foreign in [
        "https://evil.example/",
        "//evil.example/x",
        "javascript:alert(1)",
    ] {
        let body = json!({ "app": app.slug, "redirect_to": foreign });
        refused(api.post("/accounts/connect", &body).await, 400);
    }
    let body = json!({ "app": app.slug, "redirect_to": "/done?x=1" });
    let (id, url) = begin(&api, body).await;
    let mut browser = Browser::signed_in(&api).await;
    let back = browser.go(&url, "alice", Person::Agrees).await;
    let answer = browser.open(&back).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let account = text(&status(&api, &id).await["account_id"]);
    let expected = format!("{server}/done?x=1&account_id={account}");
    assert_eq!(answer.header("location"), Some(expected.as_str()));
}

#[tokio::test]
async fn connecting_again_keeps_the_account() {
    let (api, app) = (new_user().await, app().await);
    let account = connect(&api, &app, "alice").await;
    let before = credentials(&api, &account).await;
    let body = json!({ "app": app.slug, "account_id": account });
    assert_eq!(connect_with(&api, body, "alice").await, account);
    let listed = accounts(&api).await;
    assert_eq!((listed.len(), &listed[0]["name"]), (1, &json!("alice")));
    let after = credentials(&api, &account).await;
    assert_ne!(before["oauth_access_token"], after["oauth_access_token"]);
}

#[tokio::test]
async fn what_cannot_be_connected_is_refused() {
    let (api, stranger, app) = (new_user().await, new_user().await, app().await);
    let keyed = key_app(shared_server(Backend::Sqlite)).await;
    let theirs = connect(&stranger, &app, "alice").await;
    refused(api.post("/accounts/connect", &json!({})).await, 400);
    refused(
        api.post("/accounts/connect", &json!({ "app": "nonsense" }))
            .await,
        404,
    );
    refused(
        api.post("/accounts/connect", &json!({ "app": keyed }))
            .await,
        422,
    );
    let body = json!({ "app": app.slug, "account_id": theirs });
    refused(api.post("/accounts/connect", &body).await, 404);
    let (id, _) = begin(&stranger, json!({ "app": app.slug })).await;
    refused(api.get(&format!("/accounts/connect/{id}")).await, 404);
}

#[tokio::test]
async fn tokens_that_are_there_already_can_be_imported() {
    let (api, app) = (new_user().await, app().await);
    let tokens = json!({ "oauth_access_token": "a", "instance_url": "https://eu.example" });
    let body = json!({ "app": app.slug, "credentials": tokens });
    let account = text(&api.post("/accounts", &body).await.ok()["id"]);
    let seen = credentials(&api, &account).await;
    assert_eq!(seen["instance_url"], "https://eu.example");
    assert_eq!(seen["oauth_client_id"], json!(app.client_id));
    let wrong = json!({ "app": app.slug, "credentials": { "oauth_refresh_token": 5 } });
    let refusal = api.post("/accounts", &wrong).await.expect(422);
    let faults = json!([
        "oauth_access_token is required",
        "oauth_refresh_token must be a string"
    ]);
    assert_eq!(refusal["details"]["credentials"], faults);
}

#[tokio::test]
async fn deleting_an_account_gives_its_tokens_back() {
    let (api, app) = (new_user().await, app().await);
    let account = connect(&api, &app, "alice").await;
    let token = text(&credentials(&api, &account).await["oauth_access_token"]);
    api.delete(&format!("/accounts/{account}"))
        .await
        .expect(204);
    sluice_testkit::wait_for(
        crate::support::PATIENCE,
        "the token to be taken back",
        async || (!provider().accepts(&api, &token).await).then_some(()),
    )
    .await;
}
