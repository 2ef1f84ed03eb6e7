//! `this`, apps, and the platform's package, as code that is shared among components uses them.

use rstest::rstest;
use serde_json::{Value, json};

use super::{
    acme_api::AcmeApi,
    stage::{Stage, Way, address, operator, user},
};
use crate::support::{Form, deploy_with, unique_name};

#[rstest]
#[tokio::test]
async fn point_01_methods_are_bound_to_their_instance(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "const shop = { type: 'app', app: 'shop', methods: {
            prefix() { return 'user'; },
            async listUsers({ page }) { return [`${this.prefix()} ${page}`]; },
            async paginate({ fn }) { return [...await fn({ page: 1 }), ...await fn({ page: 2 })]; },
        } };",
        "props: { shop, db: '$.service.db', suffix: 'string' },
         methods: {
            fetchPage(page) { return `page ${page}${this.suffix}`; },
            emit(item, index) { this.$emit({ item, index, stored: this.db.get('seen') }); },
         },
         async run() {
            const { fetchPage, shop: { paginate }, db } = this;
            db.set('seen', true);
            const found = [fetchPage(1), ...await paginate({ fn: this.shop.listUsers })];
            found.forEach(this.emit);
         }",
    );
    let source = deploy_with(&user().await, &code, json!({ "suffix": "!" })).await;
    source.run(json!({})).await;
    let row = |item: &str, index: u8| json!({ "item": item, "index": index, "stored": true });
    assert_eq!(
        source.events(3).await,
        [row("page 1!", 0), row("user 1", 1), row("user 2", 2)]
    );
}

#[rstest]
#[tokio::test]
async fn point_02_hooks_and_methods_are_separate_namespaces(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "",
        "hooks: {
            async deploy() { this.$emit(['deploy', this.deploy(), typeof this.hooks, typeof this.methods]); },
            async activate() { this.$emit(this.activate('from the hook')); },
         },
         methods: { deploy: () => 'method', activate(where) { return `activate ${where}`; } },
         run() { this.$emit(this.activate('from run')); }",
    );
    let source = deploy_with(&user().await, &code, json!({})).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(3).await,
        [
            json!(["deploy", "method", "undefined", "undefined"]),
            json!("activate from the hook"),
            json!("activate from run"),
        ]
    );
}

#[rstest]
#[tokio::test]
async fn point_03_components_compose_by_spreading_and_call_the_hooks_of_their_base(
    #[values(Way::Url, Way::Files)] way: Way,
) {
    let stage = Stage::enter().await;
    let acme = AcmeApi::shared();
    acme.order(&stage.key, "c1", "2026-01-01T00:00:00Z");
    let path = "acme/sources/order-paid-instant/order-paid-instant.mjs";
    let topics = json!({ "topics": ["order.paid"] });
    let source = stage.deploy(way, path, topics).await;
    let events = source.events(2).await;
    assert_eq!(events[0]["id"], 1);
    assert_eq!(
        events[1],
        json!({ "what": "activated", "webhookId": "hook-1" })
    );
    let registered = &acme.webhooks(&stage.key)[0];
    assert_eq!(registered["topics"], json!(["order.paid"]));
    // What it took over by spreading its base runs too.
    source.api.delete(&source.path("")).await.expect(204);
    assert!(acme.webhooks(&stage.key).is_empty());
}

#[rstest]
#[tokio::test]
async fn point_13_the_usual_keys_of_auth_are_there_in_components_and_in_app_methods(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let names = [
        "api_key",
        "oauth_access_token",
        "api_token",
        "username",
        "access_token",
        "domain",
        "api_url",
        "password",
        "subdomain",
        "api_secret",
        "its_own",
    ];
    let slug = unique_name().replace("user", "auth");
    let fields: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let app = json!({ "name_slug": slug, "auth_type": "keys", "custom_fields": fields });
    operator().post("/apps", &app).await.ok();
    let api = user().await;
    let credentials: Value = names
        .iter()
        .map(|name| ((*name).to_owned(), json!(format!("the {name}"))))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let body = json!({ "app": slug, "credentials": credentials });
    let account = api.post("/accounts", &body).await.ok();
    let code = form.module(
        &format!("const shop = {{ type: 'app', app: '{slug}', methods: {{ auth() {{ return this.$auth; }} }} }};"),
        "props: { shop }, run() { this.$emit([this.shop.$auth, this.shop.auth()]); }",
    );
    let props = json!({ "shop": { "authProvisionId": account["id"] } });
    let source = deploy_with(&api, &code, props).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([credentials.clone(), credentials])]
    );
}

#[rstest]
#[tokio::test]
async fn point_14_the_axios_of_the_platform_takes_this_for_the_step(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        &format!(
            "{}const shop = {{ type: 'app', app: 'unknown_here', methods: {{
                get(url, $ = this) {{ return axios($, {{ url, headers: {{ 'x-api-key': undefined }}, debug: true }}); }} }} }};",
            form.import("axios", "@pipedream/platform")
        ),
        "props: { shop, url: 'string', page: 'string' },
         async run() {
            this.$emit((await this.shop.get(this.page)).name);
            this.$emit((await this.shop.get(this.page, this)).name);
            const failure = await axios(this, { url: this.url }).catch((error) => error);
            this.$emit([failure.response.status, failure.response.data]);
            await this.shop.get(this.url);
         }",
    );
    let props = json!({ "url": format!("{}/orders", AcmeApi::shared().url()), "page": address("acme/package.json") });
    let source = deploy_with(&user().await, &code, props).await;
    source.run(json!({})).await;
    let errors = source.errors(1).await;
    let message = json!({ "message": "invalid API key" });
    assert_eq!(errors[0]["error"]["msg"], message.to_string());
    assert_eq!(
        source.events(3).await,
        [
            json!("@pipedream/acme"),
            json!("@pipedream/acme"),
            json!([401, message])
        ]
    );
    source.log_with("export: debug_response").await;
}
