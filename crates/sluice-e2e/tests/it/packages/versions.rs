//! Which version a name in the code gets.

use serde_json::json;

use super::{Shop, emitting, importing, outcome, rerun};
use crate::support::deploy;

#[tokio::test]
async fn a_bare_name_takes_the_latest_version_at_each_save_and_keeps_it() {
    let mut shop = Shop::open().await;
    shop.publish("thing", "1.9.0");
    shop.publish("thing", "1.10.0");
    let code = emitting("require('thing')");
    let first = deploy(&shop.api(), &code).await;
    assert_eq!(rerun(&first, 1).await, "thing 1.10.0");

    shop.publish("thing", "2.0.0");
    assert_eq!(outcome(&shop.api(), &code).await, "thing 2.0.0");
    assert_eq!(rerun(&first, 2).await, "thing 1.10.0");
    shop.server.restart().await;
    assert_eq!(rerun(&first, 3).await, "thing 1.10.0");
}

#[tokio::test]
async fn an_update_with_the_same_code_takes_the_latest_version_again() {
    let shop = Shop::open().await;
    shop.publish("thing", "1.0.0");
    let code = emitting("require('thing')");
    let source = deploy(&shop.api(), &code).await;
    assert_eq!(rerun(&source, 1).await, "thing 1.0.0");
    shop.publish("thing", "1.1.0");
    let path = source.path("");
    shop.api()
        .put(&path, &json!({ "component_code": code }))
        .await
        .ok();
    assert_eq!(rerun(&source, 2).await, "thing 1.1.0");
}

#[tokio::test]
async fn versions_ranges_and_tags_in_the_string_are_honoured_in_require_and_in_import() {
    let shop = Shop::open().await;
    for version in ["1.1.0", "1.2.0", "1.2.9", "1.3.0", "2.0.0"] {
        shop.publish("thing", version);
        shop.publish("@scope/thing", version);
    }
    let names = [
        "thing@1.1.0",
        "thing@~1.2.0",
        "thing@^1.2.0",
        "thing@1",
        "thing@latest",
        "thing",
    ];
    let expected = ["1.1.0", "1.2.9", "1.3.0", "1.3.0", "2.0.0", "2.0.0"];

    let requires: Vec<String> = names
        .iter()
        .flat_map(|name| {
            [
                format!("require('{name}')"),
                format!("require('@scope/{name}')"),
            ]
        })
        .collect();
    let wanted: Vec<String> = expected
        .iter()
        .flat_map(|version| {
            [
                format!("thing {version}"),
                format!("@scope/thing {version}"),
            ]
        })
        .collect();
    let code = emitting(&format!("[{}]", requires.join(",")));
    assert_eq!(outcome(&shop.api(), &code).await, json!(wanted));

    let imports: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(n, name)| format!("import a{n} from '{name}'; import b{n} from '@scope/{name}';"))
        .collect();
    let code = importing(&imports.join("\n"), "[a0,b0,a1,b1,a2,b2,a3,b3,a4,b4,a5,b5]");
    assert_eq!(outcome(&shop.api(), &code).await, json!(wanted));
}

#[tokio::test]
async fn a_path_inside_a_package_and_a_late_import_work_with_and_without_a_version() {
    let shop = Shop::open().await;
    for version in ["1.0.0", "2.0.0"] {
        let deep = format!("module.exports = 'deep {version}';");
        shop.registry
            .publish("thing", version, json!({}), &[("lib/deep.js", &deep)]);
    }
    let code = emitting(
        "[require('thing/lib/deep'), require('thing@1/lib/deep.js'), (await import('thing@1/lib/deep.js')).default]",
    );
    assert_eq!(
        outcome(&shop.api(), &code).await,
        json!(["deep 2.0.0", "deep 1.0.0", "deep 1.0.0"])
    );
}
