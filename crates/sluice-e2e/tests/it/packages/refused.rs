//! Packages that cannot be used are refused when the code is saved, by name.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::{Shop, emitting, importing, outcome};

/// The faults of code that must not load.
async fn faults(api: &Api, code: &str) -> Value {
    let body = json!({ "component_code": code });
    let answer = api.post("/components", &body).await.expect(422);
    assert_eq!(answer["error"], "component code does not load");
    answer["details"]["component_code"].clone()
}

#[tokio::test]
async fn an_unknown_package_or_version_is_named_with_its_line() {
    let shop = Shop::open().await;
    shop.publish("known", "1.0.0");
    assert_eq!(
        faults(
            &shop.api(),
            &importing("import a from 'known';\nimport x from '@no/such';", "x")
        )
        .await,
        json!(["package @no/such does not exist (line 2, column 15)"])
    );
    assert_eq!(
        faults(&shop.api(), &emitting("require('known@^2')")).await,
        json!(["package known has no version that matches ^2 (line 1, column 83)"])
    );
    assert_eq!(
        faults(&shop.api(), &emitting("require('known@!')")).await,
        json!(["\"known@!\" does not name a version that npm knows (line 1, column 83)"])
    );
}

#[tokio::test]
async fn a_package_that_another_one_needs_and_nobody_has_is_named_too() {
    let shop = Shop::open().await;
    let fields = json!({ "dependencies": { "gone": "^1.0.0" } });
    shop.registry
        .publish("broken", "1.0.0", fields, &[("index.js", "")]);
    let told = faults(&shop.api(), &emitting("require('broken')")).await;
    assert_eq!(told, json!(["package gone does not exist"]));
}

#[tokio::test]
async fn a_native_add_on_is_refused_by_the_name_of_its_package() {
    let shop = Shop::open().await;
    let native = |name: &str, fields: Value, file: (&str, &str)| {
        shop.registry.publish(
            name,
            "1.0.0",
            fields,
            &[("index.js", "module.exports = 1"), file],
        );
    };
    native("gyp", json!({}), ("binding.gyp", "{}"));
    native("flagged", json!({ "gypfile": true }), ("x", ""));
    let platforms =
        json!({ "optionalDependencies": { "p-linux-x64": "1.0.0", "p-darwin-arm64": "1.0.0" } });
    native("platforms", platforms, ("x", ""));
    shop.publish("p-linux-x64", "1.0.0");
    shop.publish("p-darwin-arm64", "1.0.0");
    shop.registry.publish(
        "hidden",
        "1.0.0",
        json!({}),
        &[
            ("index.js", "module.exports = require('./build/x.node')"),
            ("build/x.node", "not a library"),
        ],
    );
    for name in ["gyp", "flagged", "platforms", "hidden"] {
        let code = format!("require('{name}');\n{}", emitting("1"));
        let told = faults(&shop.api(), &code).await;
        let told = told[0].as_str().expect("a fault").to_owned();
        assert!(
            told.starts_with(&format!("package {name} needs a native add-on")),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_package_whose_native_helper_is_optional_works_without_it() {
    let shop = Shop::open().await;
    shop.registry.publish(
        "helper",
        "1.0.0",
        json!({ "gypfile": true }),
        &[("index.js", "throw new Error('no native code')")],
    );
    shop.registry.publish(
        "fallback",
        "1.0.0",
        json!({ "dependencies": { "helper": "1.0.0" } }),
        &[(
            "index.js",
            "try { module.exports = require('helper') } catch { module.exports = 'plain' }",
        )],
    );
    assert_eq!(
        outcome(&shop.api(), &emitting("require('fallback')")).await,
        "plain"
    );
}

#[tokio::test]
async fn a_registry_that_is_down_is_not_the_author_s_fault() {
    let shop = Shop::open().await;
    shop.publish("thing", "1.0.0");
    shop.registry.set_down(true);
    let body = json!({ "component_code": emitting("require('thing')") });
    let answer = shop.api().post("/components", &body).await.expect(503);
    assert!(
        answer["error"]
            .as_str()
            .expect("words")
            .contains("packages could not be fetched"),
        "{answer}"
    );
    shop.registry.set_down(false);
    assert_eq!(
        outcome(&shop.api(), &emitting("require('thing')")).await,
        "thing 1.0.0"
    );
}
