//! What a form asks of a component: options, defaults, and props that depend on others.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Api;

use super::stage::{Stage, Way, user};
use crate::support::{Form, deploy, deploy_with};

async fn save(api: &Api, code: &str) -> Value {
    let body = json!({ "component_code": code });
    api.post("/components", &body).await.ok()["id"].clone()
}

async fn options(api: &Api, id: &Value, prop: &str, props: Value, context: Value) -> Value {
    let body =
        json!({ "id": id, "prop_name": prop, "configured_props": props, "prev_context": context });
    let answer = api.post("/components/configure", &body).await.expect(200);
    assert_eq!(answer["errors"], json!([]));
    answer
}

#[rstest]
#[case(Way::Url, "acme/actions/create-order/create-order.mjs", "acme")]
#[case(Way::Files, "bolt/sources/new-order/new-order.js", "bolt")]
#[case(Way::Url, "crane/sources/new-order/new-order.ts", "crane")]
#[tokio::test]
async fn point_04_options_of_an_app_see_the_app_and_page_by_context(
    #[case] way: Way,
    #[case] path: &str,
    #[case] app: &str,
) {
    let stage = Stage::enter().await;
    let id = stage.save(way, path).await["id"].clone();
    let props = stage.props(app, json!({}));
    let first = options(&stage.api, &id, "customerId", props.clone(), json!(null)).await;
    assert_eq!(
        first["options"],
        json!([
            { "label": "Customer c1 of anywhere", "value": "c1" },
            { "label": "Customer c2 of anywhere", "value": "c2" },
        ])
    );
    let context = first["context"].clone();
    assert_eq!(context, json!({ "cursor": "second" }));
    let second = options(&stage.api, &id, "customerId", props, context).await;
    assert_eq!(second["options"].as_array().map(Vec::len), Some(1));
    assert_eq!(second["context"], json!({}));
}

#[tokio::test]
async fn point_04_the_third_element_is_a_function_of_earlier_props_and_joins_the_argument() {
    let stage = Stage::enter().await;
    let acme = super::acme_api::AcmeApi::shared();
    for customer in ["c1", "c2", "c1"] {
        acme.order(&stage.key, customer, "2026-01-01T00:00:00Z");
    }
    let path = "acme/actions/create-order/create-order.mjs";
    let id = stage.save(Way::Files, path).await["id"].clone();
    let props = stage.props("acme", json!({ "customerId": "c1" }));
    let found = options(&stage.api, &id, "copyOf", props, json!(null)).await;
    assert_eq!(found["stringOptions"], json!(["3", "1"]));
}

#[rstest]
#[tokio::test]
async fn point_04_options_of_a_component_see_the_component_and_a_context_on_the_first_page(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "",
        "props: { region: 'string', city: { type: 'string', async options({ page, prevContext }) { return this.cities(page, typeof prevContext, Object.keys(prevContext)); } } },
         methods: { cities(...given) { return [`${this.region} ${JSON.stringify(given)}`]; } }, run() {}",
    );
    let api = user().await;
    let id = save(&api, &code).await;
    let found = options(&api, &id, "city", json!({ "region": "north" }), json!(null)).await;
    assert_eq!(found["stringOptions"], json!(["north [0,\"object\",[]]"]));
}

#[rstest]
#[tokio::test]
async fn point_05_defaults_of_required_props_are_captured_when_the_source_is_deployed(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "const made = `${Date.now()} ${Math.random()}`;",
        "props: { since: { type: 'string', default: made }, kinds: { type: 'string[]', default: ['a', 'b'] }, max: { type: 'integer', default: 0 }, on: { type: 'boolean', default: false } },
         run() { this.$emit([this.since, this.kinds, this.max, this.on]); }",
    );
    let source = deploy(&user().await, &code).await;
    let since = source.source["configured_props"]["since"].clone();
    source.run(json!({})).await;
    source.events(1).await;
    // Its process ends here, and another one loads the code again.
    for active in [false, true] {
        let body = json!({ "active": active });
        source.api.put(&source.path(""), &body).await.ok();
    }
    source.run(json!({})).await;
    let seen = json!([since, ["a", "b"], 0, false]);
    assert_eq!(source.events(2).await, [seen.clone(), seen]);
}

#[rstest]
#[tokio::test]
async fn point_12_a_prop_definition_that_names_nothing_warns(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "const shop = { type: 'app', app: 'unknown_here', propDefinitions: {} };",
        "props: { shop, order: { propDefinition: [shop, 'orderId'], optional: true } }, run() { this.$emit(typeof this.order); }",
    );
    let source = deploy(&user().await, &code).await;
    let warning = source.log_with("orderId").await;
    assert_eq!(warning["k"], "warning");
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["undefined"]);
}

#[rstest]
#[tokio::test]
async fn row_props_that_depend_on_others_are_declared_and_used(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "",
        "props: { kind: { type: 'string', options: ['box', 'bag'], reloadProps: true } },
         async additionalProps() { return this.kind ? { [`${this.kind}Size`]: { type: 'integer', label: this.describe() } } : {}; },
         methods: { describe() { return `Size of the ${this.kind}`; } },
         run() { this.$emit([this.kind, this.boxSize]); }",
    );
    let api = user().await;
    let id = save(&api, &code).await;
    let body = json!({ "id": id, "configured_props": { "kind": "box" } });
    let answer = api.post("/components/props", &body).await.expect(200);
    assert_eq!(
        answer["dynamicProps"]["configurableProps"][1],
        json!({ "name": "boxSize", "type": "integer", "label": "Size of the box" })
    );
    let props = json!({ "kind": "box", "boxSize": 5 });
    let source = deploy_with(&api, &code, props).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["box", 5])]);
}
