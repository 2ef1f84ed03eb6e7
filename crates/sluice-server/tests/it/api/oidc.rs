//! Sign-in with OpenID Connect: people who may and may not, and providers that are broken or hostile.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method};
use tokio::task::JoinSet;

use super::{
    fixtures::refused,
    oidc_provider::{Browser, Provider},
};
use crate::{server::TestServer, support::server};

/// The server's limit of sign-ins at once.
const MOST_AT_ONCE: usize = 32;
const CALLBACK_IS_NOT_VALID: &str = "This answer of the provider is not valid here.";

/// Signs in and asserts the reason why it fails. There is no session then.
async fn assert_refused(provider: &Provider, server: &TestServer, reason: &str) {
    let mut browser = Browser::new(server);
    let address = browser.sign_in(provider).await;
    assert_eq!(address, format!("{}/", server.url()), "{reason}");
    let error = browser.error().await;
    assert_eq!(error, format!("Example did not sign you in: {reason}."));
    assert_eq!(browser.user().await, Value::Null, "{reason}");
    assert_eq!(browser.error().await, Value::Null, "it is shown once");
}

#[tokio::test]
async fn a_person_gets_a_user_and_comes_back_to_the_page() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    let mut browser = Browser::new(&server);
    let options = browser.get("/v1/sign_in").await.ok();
    let url = format!("{}/oidc/sign-in", server.url());
    let expected = json!({ "oidc": { "name": "Example", "url": url }, "error": null });
    assert_eq!(options, expected);

    let address = browser.sign_in(&provider).await;
    assert_eq!(address, format!("{}/sources?a=b", server.url()));
    let user = browser.user().await;
    assert_eq!(
        (&user["username"], &user["email"], &user["operator"]),
        (&json!("ada"), &json!("ada@example.com"), &json!(false))
    );
    // The same person again, with another address and name, in another browser.
    provider.set(|it| {
        it.claims = json!({ "email": "l@example.org", "preferred_username": "lovelace" });
    });
    let mut other = Browser::new(&server);
    other.sign_in(&provider).await;
    assert_eq!(other.user().await["id"], user["id"]);
    // Another person whose name is taken.
    provider.set(|it| it.claims = json!({ "sub": "eve", "email": "ada@example.net" }));
    let mut eve = Browser::new(&server);
    eve.sign_in(&provider).await;
    let name = eve.user().await["username"].clone();
    assert!(name.as_str().unwrap().starts_with("ada-"), "{name}");
    // The documents are fetched once.
    assert_eq!(provider.requests("description"), 1);
    assert_eq!(provider.requests("keys"), 1);
}

#[tokio::test]
async fn without_a_provider_the_paths_do_not_exist() {
    let server = server().await;
    let api = Api::new(server.url(), "none");
    let options = api.root(Method::GET, "/v1/sign_in").send().await.ok();
    assert_eq!(options, json!({ "oidc": null, "error": null }));
    for path in ["/oidc/sign-in", "/oidc/callback?code=a&state=b"] {
        refused(api.root(Method::GET, path).send().await, 404);
    }
}

#[tokio::test]
async fn an_existing_user_is_found_by_a_verified_address_once() {
    let provider = Provider::start().await;
    let server = provider.server(|it| it.create_users = false).await;
    assert_refused(
        &provider,
        &server,
        "no user of this server has your mail address. Ask the operator for one",
    )
    .await;
    server.user_named("ada", "free").await;
    provider.set(|it| it.claims = json!({ "email": "ADA@example.com", "email_verified": false }));
    assert_refused(&provider, &server, "it gave no verified mail address").await;
    provider.set(|it| it.claims = json!({ "email": "ADA@example.com" }));
    let mut browser = Browser::new(&server);
    browser.sign_in(&provider).await;
    assert_eq!(browser.user().await["username"], "ada");
    // From now on the subject decides: the address may be unverified, and belongs to no other subject.
    provider.set(|it| it.claims = json!({ "email_verified": false }));
    let mut again = Browser::new(&server);
    again.sign_in(&provider).await;
    assert_eq!(again.user().await["username"], "ada");
    provider.set(|it| it.claims = json!({ "sub": "eve" }));
    let reason = "the user with your mail address belongs to another person there";
    assert_refused(&provider, &server, reason).await;
}

#[tokio::test]
async fn an_address_makes_nobody_operator_and_must_be_unique() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    provider.set(|it| it.claims = json!({ "email": "operator@localhost" }));
    let reason = "the user with your mail address is an operator, who signs in with the API key";
    assert_refused(&provider, &server, reason).await;
    for name in ["one", "two"] {
        let body = json!({ "username": name, "email": "shared@example.com", "plan": "free" });
        server.operator().post("/users", &body).await.ok();
    }
    provider.set(|it| it.claims = json!({ "email": "shared@example.com" }));
    let reason = "several users of this server have your mail address";
    assert_refused(&provider, &server, reason).await;
}

#[tokio::test]
async fn a_user_who_claims_an_address_does_not_get_the_sign_in_of_its_owner() {
    let provider = Provider::start().await;
    let server = provider.server(|it| it.create_users = false).await;
    let mallory = server.user_named("mallory", "free").await;
    let claim = json!({ "email": "ada@example.com" });
    let own = mallory.put("/users/me", &claim).await.ok();
    provider.set(|it| it.claims = claim.clone());
    let reason = "no user of this server has your mail address. Ask the operator for one";
    assert_refused(&provider, &server, reason).await;
    let path = format!("/users/{}", own["id"].as_str().unwrap());
    server.operator().put(&path, &claim).await.ok();
    let mut browser = Browser::new(&server);
    browser.sign_in(&provider).await;
    assert_eq!(browser.user().await["username"], "mallory");
}

#[tokio::test]
async fn only_allowed_domains_sign_in() {
    let provider = Provider::start().await;
    let server = provider
        .server(|it| it.allowed_domains = vec!["example.com".to_owned()])
        .await;
    let reason = "mail addresses of your domain may not sign in here";
    for claims in [
        json!({ "email": "ada@evil.example.com" }),
        json!({ "email": "ada@example.com.evil.org" }),
        json!({ "email": "ada@example.com", "email_verified": false }),
        json!({ "email": null }),
    ] {
        provider.set(|it| {
            it.claims = claims;
            it.user_info = Some(json!({ "sub": "ada" }));
        });
        assert_refused(&provider, &server, reason).await;
    }
    provider.set(|it| it.claims = json!({ "email": "ada@Example.COM" }));
    let mut browser = Browser::new(&server);
    browser.sign_in(&provider).await;
    assert_eq!(browser.user().await["username"], "ada");
}

#[tokio::test]
async fn an_address_may_be_in_the_user_information_of_the_same_person() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    provider.set(|it| {
        it.claims = json!({ "email": null });
        it.user_info =
            Some(json!({ "sub": "eve", "email": "ada@example.com", "email_verified": true }));
    });
    let reason = "its user information is about another person";
    assert_refused(&provider, &server, reason).await;
    provider.set(|it| {
        it.user_info =
            Some(json!({ "sub": "ada", "email": "ada@example.com", "email_verified": true }));
    });
    let mut browser = Browser::new(&server);
    browser.sign_in(&provider).await;
    assert_eq!(browser.user().await["email"], "ada@example.com");
}

#[tokio::test]
async fn tokens_for_others_and_expired_ones_are_refused() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    for (claims, reason) in [
        (
            json!({ "nonce": "x" }),
            "its ID token is for another sign-in",
        ),
        (json!({ "aud": "x" }), "its ID token is for another client"),
        (
            json!({ "iss": "https://x" }),
            "its ID token is from another issuer",
        ),
        (json!({ "exp": 1_000 }), "its ID token has expired"),
    ] {
        provider.set(|it| it.claims = claims);
        assert_refused(&provider, &server, reason).await;
    }
}

#[tokio::test]
async fn an_answer_counts_once_and_in_its_own_browser() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    let mut browser = Browser::new(&server);
    let query = browser.visit(&provider).await;
    let mut other = Browser::new(&server);
    other.visit(&provider).await;
    for (browser, query) in [
        (&mut other, query.as_str()),
        (&mut Browser::new(&server), query.as_str()),
    ] {
        browser.return_with(query).await;
        let error = browser.error().await;
        assert!(error.as_str().unwrap().starts_with(CALLBACK_IS_NOT_VALID));
        assert_eq!(browser.user().await, Value::Null);
    }
    assert_eq!(provider.requests("token"), 0);
    browser.return_with(&query).await;
    assert_eq!(browser.user().await["username"], "ada");
    // The attempt ended with its cookie. With a copy of the cookie, the provider refuses the code.
    browser.return_with(&query).await;
    let error = browser.error().await;
    assert!(error.as_str().unwrap().starts_with(CALLBACK_IS_NOT_VALID));

    let mut browser = Browser::new(&server);
    let departure = browser.depart("/").await;
    let forged = format!("code=code-x&state={}", departure["state"]);
    browser.return_with(&forged).await;
    let reason = "Example did not sign you in: invalid_grant: the code is not valid.";
    assert_eq!(browser.error().await, reason);
    // An attempt ends after ten minutes.
    let mut browser = Browser::new(&server);
    let query = browser.visit(&provider).await;
    server.clock.advance(10 * 60 * 1000);
    browser.return_with(&query).await;
    let error = browser.error().await;
    assert!(error.as_str().unwrap().starts_with(CALLBACK_IS_NOT_VALID));
}

#[tokio::test]
async fn errors_of_the_provider_and_answers_of_another_are_shown_in_words() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    let mut browser = Browser::new(&server);
    let state = browser.depart("/").await["state"].clone();
    let query = format!("error=access_denied&error_description=You+said+no&state={state}");
    browser.return_with(&query).await;
    let reason = "Example did not sign you in: access_denied: You said no.";
    assert_eq!(browser.error().await, reason);

    let query = browser.visit(&provider).await;
    browser
        .return_with(&format!("{query}&iss=https://other"))
        .await;
    let reason = "Example did not sign you in: the answer is from another issuer.";
    assert_eq!(browser.error().await, reason);
}

#[tokio::test]
async fn addresses_of_other_sites_are_not_returned_to() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    for address in ["https://evil.example.com/", "//evil.example.com", ""] {
        let mut browser = Browser::new(&server);
        let departure = browser.depart(address).await;
        let query = provider.agree(&departure);
        let followed = browser.return_with(&query).await;
        assert_eq!(followed, format!("{}/", server.url()), "{address}");
    }
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_fetched_but_not_all_the_time() {
    let provider = Provider::start().await;
    let server = provider.server(|_| {}).await;
    Browser::new(&server).sign_in(&provider).await;
    provider.set(|it| it.key = (2, "two"));
    // The keys have just been fetched.
    let reason = "its ID token is signed with an unknown key";
    assert_refused(&provider, &server, reason).await;
    assert_eq!(provider.requests("keys"), 1);
}

#[tokio::test]
async fn oversized_and_foreign_descriptions_are_refused() {
    let provider = Provider::start().await;
    provider.set(|it| it.padding = 300_000);
    let server = provider.server(|_| {}).await;
    let mut browser = Browser::new(&server);
    for _ in 0..3 {
        browser
            .get("/oidc/sign-in")
            .await
            .header("location")
            .unwrap();
        let reason = "Example did not sign you in: its description is too large.";
        assert_eq!(browser.error().await, reason);
    }
    assert_eq!(
        provider.requests("description"),
        1,
        "a failure is remembered"
    );

    let provider = Provider::start().await;
    provider.set(|it| it.issuer = Some("https://other.example.com".to_owned()));
    let server = provider.server(|_| {}).await;
    let mut browser = Browser::new(&server);
    browser.get("/oidc/sign-in").await;
    let error = browser.error().await;
    assert!(error.as_str().unwrap().contains("--oidc-issuer"), "{error}");
}

#[tokio::test]
async fn a_provider_that_hangs_does_not_disturb_sign_in_with_keys() {
    let provider = Provider::start().await;
    provider.set(|it| it.hangs = true);
    let server = provider.server(|_| {}).await;
    let api = Api::new(server.url(), "none");
    let mut attempts = JoinSet::new();
    for _ in 0..MOST_AT_ONCE + 8 {
        attempts.spawn(api.root(Method::GET, "/oidc/sign-in").send());
    }
    // Those beyond the limit are refused at once.
    for _ in 0..8 {
        let answer = attempts.join_next().await.unwrap().unwrap();
        assert_eq!(answer.status, 303);
    }
    let operator = server.operator();
    let request = operator.root(Method::POST, "/v1/session");
    let request = request
        .header("x-sluice-console", "1")
        .json(&json!({ "api_key": operator.key() }));
    request.send().await.expect(200);
    let options = api.root(Method::GET, "/v1/sign_in").send().await.ok();
    assert_eq!(options["oidc"]["name"], "Example");
    assert_eq!(provider.requests("description"), 1);
}
