//! Sign-in with OpenID Connect at a real provider.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method, Server};

use super::{
    browser::{Browser, Person},
    fixtures::text,
    provider::provider,
};
use crate::support::{own_server, unique_name};

/// The provider sends browsers there. The tests open the same path on the server.
const PUBLIC_URL: &str = "http://sluice.test";

/// A server with a client at the provider.
async fn start() -> Server {
    let anyone = Api::new(PUBLIC_URL, "none");
    let request = anyone.absolute(Method::POST, &provider().at("/reg"));
    let client = request.json(&json!({
        "redirect_uris": [format!("{PUBLIC_URL}/oidc/callback")],
        "grant_types": ["authorization_code"], "response_types": ["code"],
    }));
    let client = client.send().await.expect(201);
    let options = own_server()
        .args(["--public-url", PUBLIC_URL, "--oidc-scopes", "openid email"])
        .args([
            "--oidc-issuer",
            &provider().at(""),
            "--oidc-name",
            "Example",
        ])
        .args(["--oidc-client-id", &text(&client["client_id"])])
        .env("SLUICE_OIDC_CLIENT_SECRET", text(&client["client_secret"]));
    Server::start(options).await
}

/// Goes to the provider and back. Returns the address that follows.
async fn sign_in(browser: &mut Browser, server: &Server, login: &str, person: Person) -> String {
    let begin = format!("{}/oidc/sign-in?return_to=/sources", server.url());
    let departure = browser.open(&begin).await;
    assert_eq!(departure.status, 303, "{}", departure.text);
    let there = departure.header("location").expect("an address");
    let callback = browser.visit(there, login, person).await;
    let arrival = browser
        .open(&callback.replace(PUBLIC_URL, server.url()))
        .await;
    assert_eq!(arrival.status, 303, "{}", arrival.text);
    arrival.header("location").expect("an address").to_owned()
}

async fn get(browser: &mut Browser, server: &Server, path: &str) -> Value {
    let url = format!("{}{path}", server.url());
    browser.open(&url).await.body["data"].clone()
}

#[tokio::test]
async fn a_user_signs_in_at_a_provider_and_others_are_told_why_not() {
    let server = start().await;
    let name = unique_name();
    let body = json!({ "username": name, "email": format!("{name}@example.com"), "plan": "free" });
    server.api().post("/users", &body).await.ok();
    let mut browser = Browser::new(&server.api());
    let address = sign_in(&mut browser, &server, &name, Person::Agrees).await;
    assert_eq!(address, format!("{PUBLIC_URL}/sources"));
    let session = get(&mut browser, &server, "/v1/session").await;
    assert_eq!(session["user"]["username"], name.as_str());

    for (login, person, reason) in [
        ("stranger", Person::Agrees, "no user of this server"),
        ("unverified", Person::Agrees, "no verified mail address"),
        (name.as_str(), Person::Declines, "access_denied"),
    ] {
        let mut browser = Browser::new(&server.api());
        let address = sign_in(&mut browser, &server, login, person).await;
        assert_eq!(address, format!("{PUBLIC_URL}/"));
        let options = get(&mut browser, &server, "/v1/sign_in").await;
        let error = text(&options["error"]);
        assert!(error.contains(reason), "{error}");
        let session = get(&mut browser, &server, "/v1/session").await;
        assert_eq!(session, Value::Null);
    }
}
