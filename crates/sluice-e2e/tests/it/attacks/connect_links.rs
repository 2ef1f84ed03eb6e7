//! Links that connect an account, sent to another person: that person's account must not become the sender's.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Method};

use crate::{
    accounts::{
        browser::{Browser, Person},
        fixtures::{oauth_app, text},
    },
    support::{deploy, new_user, shared_server},
};

/// Starts to connect an account of a new app; gives the id and the link.
async fn begin(api: &Api) -> (String, String) {
    let app = oauth_app(shared_server(Backend::Sqlite)).await;
    let body = json!({ "app": app });
    let begun = api.post("/accounts/connect", &body).await.ok();
    (text(&begun["id"]), text(&begun["connect_url"]))
}

async fn status(api: &Api, id: &str) -> Value {
    let path = format!("/accounts/connect/{id}");
    api.get(&path).await.ok()["status"].clone()
}

async fn accounts(api: &Api) -> usize {
    let page = api.get("/accounts").await.expect(200);
    page["data"].as_array().expect("accounts").len()
}

#[tokio::test]
async fn a_link_is_of_no_use_to_anyone_but_its_user() {
    let (sender, victim) = (new_user().await, new_user().await);
    let (id, link) = begin(&sender).await;
    let mut of_victim = Browser::signed_in(&victim).await;
    of_victim.authorize(&link).await.expect(404);
    victim
        .get(&format!("/accounts/connect/{id}"))
        .await
        .expect(404);
    Browser::new(&sender).authorize(&link).await.expect(401);
    // A key is no browser, not even that of the user.
    let path = format!("/accounts/connect/{id}/authorize");
    sender.post(&path, &json!({})).await.expect(403);
    assert_eq!(status(&sender, &id).await, "pending");
}

#[tokio::test]
async fn an_address_of_the_provider_that_is_passed_on_connects_nothing() {
    let (sender, victim) = (new_user().await, new_user().await);
    let (id, link) = begin(&sender).await;
    let provider_url = Browser::signed_in(&sender).await.confirm(&link).await;
    // The victim is a user, who has just connected an account, too.
    let mut of_victim = Browser::signed_in(&victim).await;
    let (_, own) = begin(&victim).await;
    let back = of_victim.go(&own, "victim", Person::Agrees).await;
    of_victim.open(&back).await.expect(200);
    let back = of_victim
        .visit(&provider_url, "victim", Person::Agrees)
        .await;
    for browser in [&mut of_victim, &mut Browser::new(&sender)] {
        let page = browser.open(&back).await;
        assert_eq!(page.status, 400, "{}", page.text);
        assert!(page.text.contains("another browser asked"), "{}", page.text);
    }
    assert_eq!(status(&sender, &id).await, "pending");
    assert_eq!((accounts(&sender).await, accounts(&victim).await), (0, 1));
}

#[tokio::test]
async fn a_callback_in_another_browser_is_refused_and_spends_nothing() {
    let api = new_user().await;
    let (id, link) = begin(&api).await;
    let mut browser = Browser::signed_in(&api).await;
    let back = browser.go(&link, "alice", Person::Agrees).await;
    // Another session of the same user is another browser.
    let mut other = Browser::signed_in(&api).await;
    let (_, unrelated) = begin(&api).await;
    other.confirm(&unrelated).await;
    assert_eq!(other.open(&back).await.status, 400);
    assert_eq!(status(&api, &id).await, "pending");
    browser.open(&back).await.expect(200);
    assert_eq!(status(&api, &id).await, "connected");
}

#[tokio::test]
async fn one_browser_connects_several_accounts_at_once() {
    let api = new_user().await;
    let mut browser = Browser::signed_in(&api).await;
    let ((one, first), (two, second)) = (begin(&api).await, begin(&api).await);
    let first = browser.go(&first, "alice", Person::Agrees).await;
    let second = browser.go(&second, "alice", Person::Agrees).await;
    for (id, back) in [(one, first), (two, second)] {
        browser.open(&back).await.expect(200);
        assert_eq!(status(&api, &id).await, "connected");
    }
}

#[tokio::test]
async fn the_cookie_goes_to_the_callback_only_and_no_component_sets_it() {
    let api = new_user().await;
    let (_, link) = begin(&api).await;
    let answer = Browser::signed_in(&api).await.authorize(&link).await;
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    let (pair, attributes) = cookie.split_once("; ").expect("attributes");
    assert_eq!(
        attributes,
        "HttpOnly; SameSite=Lax; Path=/oauth/callback; Max-Age=600"
    );
    let code = r#"export default {
      name: "Plants", version: "1", props: { http: { type: "$.interface.http", customResponse: true } },
      run(event) {
        const cookies = ["kept=1", `${event.body.pair}; Path=/oauth`];
        this.http.respond({ status: 200, headers: { "set-cookie": cookies }, body: "" });
      },
    };"#;
    let source = deploy(&api, code).await;
    let request = api.absolute(Method::POST, source.endpoint());
    let planted = request.json(&json!({ "pair": pair })).send().await;
    assert_eq!(planted.status, 200, "{}", planted.text);
    let set: Vec<_> = planted.headers.get_all("set-cookie").iter().collect();
    assert_eq!(set, ["kept=1"]);
}
