//! Values that were picked with their label: `{"__lv": {"label", "value"}}`.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use super::component;
use crate::support::{deploy_with, new_user, new_user_on};

const PICKED: &str = "props: {
    one: 'string', many: 'string[]', number: { type: 'integer', max: 9 }, whatever: 'any', list: 'integer[]',
    both: { type: 'string', withLabel: true }, pairs: { type: 'string[]', withLabel: true }, typed: { type: 'string', withLabel: true },
}, run() { const { one, many, number, whatever, list, both, pairs, typed } = this; this.$emit({ one, many, number, whatever, list, both, pairs, typed }); }";

#[rstest]
#[tokio::test]
async fn code_sees_the_value_or_both_and_the_api_shows_what_was_given(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let pair = |label: &str| json!({ "label": label, "value": label.to_lowercase() });
    let picked = |label: &str| json!({ "__lv": pair(label) });
    let given = json!({
        "one": picked("One"),
        "many": [picked("Red"), "green"],
        "number": { "__lv": { "label": "Nine", "value": 9 } },
        "whatever": picked("Any"),
        "list": { "__lv": [{ "label": "First", "value": 1 }, { "label": "Second", "value": 2 }] },
        "both": picked("Both"),
        "pairs": [picked("A"), picked("B")],
        "typed": "plain",
    });
    let api = new_user_on(backend).await;
    let source = deploy_with(&api, &component(PICKED), given.clone()).await;
    assert_eq!(source.source["configured_props"], given);
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!({
            "one": "one", "many": ["red", "green"], "number": 9, "whatever": "any", "list": [1, 2],
            "both": pair("Both"), "pairs": [pair("A"), pair("B")], "typed": { "label": "plain", "value": "plain" },
        })]
    );
}

/// As components offer options: numbers for props that are texts.
#[tokio::test]
async fn a_picked_value_is_converted_to_the_type_of_its_prop() {
    let code = component(
        "props: { one: { type: 'string', options: [{ label: 'One', value: 1 }] }, several: { type: 'string[]', options: [1, 2] }, open: { type: 'string', async options() { return [{ label: 'Five', value: 5 }] } } },
         run() { this.$emit([this.one, this.several, this.open]); }",
    );
    let picked = |value: serde_json::Value| json!({ "__lv": { "label": "L", "value": value } });
    let given = json!({ "one": picked(json!(1)), "several": [2, picked(json!(1))], "open": 5 });
    let source = deploy_with(&new_user().await, &code, given).await;
    let stored =
        json!({ "one": picked(json!("1")), "several": ["2", picked(json!("1"))], "open": "5" });
    assert_eq!(source.source["configured_props"], stored);
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["1", ["2", "1"], "5"])]);
}

#[tokio::test]
async fn a_picked_value_is_checked_by_its_value() {
    let code = component(
        "props: { n: { type: 'integer', max: 5 }, c: { type: 'string', options: ['a'] }, l: 'string[]' }, run() {}",
    );
    let picked = |value: serde_json::Value| json!({ "__lv": { "label": "L", "value": value } });
    let given = json!({ "n": picked(json!(6)), "c": picked(json!("b")), "l": [picked(json!({}))] });
    let body = json!({ "component_code": code, "configured_props": given });
    let refused = new_user().await.post("/sources", &body).await.expect(422);
    assert_eq!(
        refused["details"]["configured_props"],
        json!([
            "n must be at most 5",
            "c must be one of a",
            "l must be a list of strings"
        ])
    );
}

#[tokio::test]
async fn a_picked_secret_is_masked() {
    let code = component(
        "props: { key: { type: 'string', secret: true } }, run() { this.$emit(this.key); }",
    );
    let given = json!({ "key": { "__lv": { "label": "Key", "value": "hush" } } });
    let source = deploy_with(&new_user().await, &code, given).await;
    assert_eq!(
        source.source["configured_props"],
        json!({ "key": "********" })
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["hush"]);
}
