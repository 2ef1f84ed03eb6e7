//! What the files of this folder share.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Request, ServerInfo};

use super::{
    browser::{Browser, Person},
    provider::{OauthApp, provider},
};
use crate::support::{Deployed, deploy_with, unique_name};

/// Emits `$auth` as the component sees it and as an app method does; each hook does too.
pub(super) fn source_code(slug: &str) -> String {
    r#"
    const app = { type: "app", app: "SLUG", methods: { auth() { return this.$auth; } } };
    export default {
      name: "Uses an account", version: "1", props: { app, http: "$.interface.http" },
      run() { this.$emit({ auth: this.app.$auth, inMethod: this.app.auth() }); },
    };"#
    .replace("SLUG", slug)
}

/// Slugs of apps belong to the whole server, so each test has its own.
pub(crate) fn unique_slug() -> String {
    unique_name().replace("user", "app")
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

/// Asserts a refusal, and gives its `error`.
#[track_caller]
pub(super) fn refused(answer: Answer, status: u16) -> String {
    text(&answer.expect(status)["error"])
}

/// A form as browsers post it.
pub(super) fn form(request: Request, fields: &[(&str, &str)]) -> Request {
    // Every byte as `%XX`, which is right anywhere in a form.
    let encode = |text: &str| -> String {
        let bytes = text.bytes().map(|byte| format!("%{byte:02X}"));
        bytes.collect()
    };
    let pairs: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
        .collect();
    request
        .header("content-type", "application/x-www-form-urlencoded")
        .body(pairs.join("&"))
}

/// Registers an app with an `api_key` and an optional `region`; gives its slug.
pub(crate) async fn key_app(server: &ServerInfo) -> String {
    let slug = unique_slug();
    let body = json!({
        "name_slug": slug, "name": "Keyed", "auth_type": "keys",
        "custom_fields": [{ "name": "api_key", "label": "API key", "type": "password" }, { "name": "region", "optional": true }],
    });
    server.api().post("/apps", &body).await.ok();
    slug
}

/// An account of a key app; gives its id.
pub(crate) async fn key_account(api: &Api, slug: &str, api_key: &str) -> String {
    let body = json!({ "app": slug, "credentials": { "api_key": api_key } });
    text(&api.post("/accounts", &body).await.ok()["id"])
}

/// A source whose app prop `app` names the account.
pub(super) async fn source_with(api: &Api, slug: &str, account: &str) -> Deployed {
    let props = json!({ "app": { "authProvisionId": account } });
    deploy_with(api, &source_code(slug), props).await
}

/// Connects an account of the app as the person `login`; gives its id.
pub(super) async fn connect(api: &Api, app: &OauthApp, login: &str) -> String {
    connect_with(api, json!({ "app": app.slug }), login).await
}

pub(super) async fn connect_with(api: &Api, body: Value, login: &str) -> String {
    let begun = api.post("/accounts/connect", &body).await.ok();
    let url = text(&begun["connect_url"]);
    agree(api, &url, login).await;
    let path = format!("/accounts/connect/{}", text(&begun["id"]));
    let ended = api.get(&path).await.ok();
    assert_eq!(ended["status"], "connected", "{ended}");
    text(&ended["account_id"])
}

/// Registers an app of the provider; gives its slug.
pub(crate) async fn oauth_app(server: &ServerInfo) -> String {
    provider().app_on(server, json!({})).await.slug
}

/// Confirms as the user of `api`, goes to a provider as the person `login`, agrees, and comes back.
pub(crate) async fn agree(api: &Api, connect_url: &str, login: &str) {
    let mut browser = Browser::signed_in(api).await;
    let back = browser.go(connect_url, login, Person::Agrees).await;
    browser.open(&back).await.expect(200);
}

/// The credentials of an account.
pub(super) async fn credentials(api: &Api, account: &str) -> Value {
    let path = format!("/accounts/{account}?include_credentials=true");
    api.get(&path).await.ok()["credentials"].clone()
}

/// Makes the server believe that the access token of an account expires in so many seconds.
pub(super) async fn set_expiry(api: &Api, account: &str, seconds: u64) {
    let mut tokens = credentials(api, account).await;
    tokens["expires_in"] = json!(seconds);
    let body = json!({ "credentials": tokens });
    api.put(&format!("/accounts/{account}"), &body).await.ok();
}
