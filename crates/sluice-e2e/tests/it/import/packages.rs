//! Nothing of a tree is installed until a component is deployed.

use serde_json::json;
use sluice_testkit::{Registry, Server};

use super::Stage;
use crate::support::{Deployed, own_server};

const GREETER: &str = r#"
import greet, { words } from "greeting";
export default {
  key: "hello-greet", name: "Greeter", version: "1.0.0",
  props: { http: "$.interface.http", word: { type: "string", default: words.first, optional: true } },
  run() { this.$emit(greet(this.word)); },
};"#;

#[tokio::test]
async fn packages_are_installed_when_a_component_is_first_deployed_and_not_before() {
    let registry = Registry::start();
    registry.publish(
        "greeting",
        "1.0.0",
        json!({ "type": "module", "exports": "./index.js" }),
        &[(
            "index.js",
            "export default (word) => `${word}!`; export const words = { first: 'hello' };",
        )],
    );
    let mut stage = Stage::with_apps(0).await;
    stage.server = Server::start(own_server().registry(&registry)).await;
    stage.tree.put("hello/sources/greet/greet.mjs", GREETER);
    assert_eq!(stage.import(&[]).await.counts(), [1, 0, 0, 0]);
    assert_eq!(registry.downloads("greeting"), 0);
    let api = stage.api();
    let imported = api.get("/components/registry/hello-greet").await.ok();
    let word = json!({ "name": "word", "type": "string", "optional": true });
    assert_eq!(imported["configurable_props"][1], word);
    assert_eq!(registry.downloads("greeting"), 0);

    let source = api
        .post("/sources", &json!({ "key": "hello-greet" }))
        .await
        .ok();
    assert_eq!(registry.downloads("greeting"), 1);
    let source = Deployed {
        id: source["id"].as_str().expect("an id").to_owned(),
        source,
        api: api.clone(),
    };
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("hello!")]);
    let used = api.get("/components/registry/hello-greet").await.ok();
    assert_eq!(used["configurable_props"][1]["default"], "hello");
}

/// A package that says which version it is.
fn publish_versions(registry: &Registry, versions: &[&str]) {
    for version in versions {
        let code = format!("export default '{version}';");
        registry.publish(
            "pinned",
            version,
            json!({ "type": "module", "exports": "./index.js" }),
            &[("index.js", &code)],
        );
    }
}

fn versioned(key: &str, specifier: &str) -> String {
    format!(
        "import version from '{specifier}';
        export default {{ key: '{key}', name: 'V', version: '1.0.0', props: {{ http: '$.interface.http' }},
          run() {{ this.$emit(version); }} }};"
    )
}

async fn emitted(api: &sluice_testkit::Api, body: serde_json::Value) -> serde_json::Value {
    let source = api.post("/sources", &body).await.ok();
    let source = Deployed {
        id: source["id"].as_str().expect("an id").to_owned(),
        source,
        api: api.clone(),
    };
    source.run(json!({})).await;
    source.events(1).await.remove(0)
}

#[tokio::test]
async fn the_manifest_of_an_app_gives_the_versions_of_its_packages() {
    let registry = Registry::start();
    publish_versions(&registry, &["1.4.0", "2.0.0"]);
    let mut stage = Stage::with_apps(0).await;
    stage.server = Server::start(own_server().registry(&registry)).await;
    let api = stage.api();
    let manifest = |range: &str| format!(r#"{{ "dependencies": {{ "pinned": "{range}" }} }}"#);
    stage.tree.put("old/package.json", &manifest("^1.2.0"));
    stage.tree.put(
        "old/sources/bare/bare.mjs",
        &versioned("old-bare", "pinned"),
    );
    stage.tree.put(
        "old/sources/own/own.mjs",
        &versioned("old-own", "pinned@2.0.0"),
    );
    stage.tree.put("odd/package.json", &manifest("workspace:*"));
    stage.tree.put(
        "odd/sources/bare/bare.mjs",
        &versioned("odd-bare", "pinned"),
    );
    stage.tree.put(
        "none/sources/bare/bare.mjs",
        &versioned("none-bare", "pinned"),
    );
    assert_eq!(stage.import(&[]).await.counts(), [4, 0, 0, 0]);
    for (key, version) in [
        ("old-bare", "1.4.0"),
        ("old-own", "2.0.0"),
        ("odd-bare", "2.0.0"),
        ("none-bare", "2.0.0"),
    ] {
        assert_eq!(emitted(&api, json!({ "key": key })).await, version, "{key}");
    }
    // Elsewhere the latest version is meant.
    let code = versioned("own-bare", "pinned");
    assert_eq!(
        emitted(&api, json!({ "component_code": code })).await,
        "2.0.0"
    );

    // A change of the manifest is a change of the component.
    stage.tree.put("old/package.json", &manifest("~2.0.0"));
    assert_eq!(stage.import(&[]).await.counts(), [0, 1, 3, 0]);
    assert_eq!(emitted(&api, json!({ "key": "old-bare" })).await, "2.0.0");
}

#[tokio::test]
async fn a_component_may_extend_one_of_a_published_app() {
    let registry = Registry::start();
    registry.publish(
        "@pipedream/chatter",
        "0.3.0",
        json!({ "type": "module", "exports": { "./*": "./*" } }),
        &[(
            "actions/say.mjs",
            "export default { key: 'chatter-say', name: 'Say', version: '0.0.3', type: 'action',
               props: { text: { type: 'string', label: 'Text' } }, run() { return this.text; } };",
        )],
    );
    let mut stage = Stage::with_apps(0).await;
    stage.server = Server::start(own_server().registry(&registry)).await;
    stage.tree.put(
        "chatter_bot/actions/say/say.mjs",
        "import say from '@pipedream/chatter/actions/say.mjs';
        export default { ...say, key: 'chatter_bot-say', version: '0.0.1' };",
    );
    assert_eq!(stage.import(&[]).await.counts(), [1, 0, 0, 0]);
    let imported = stage
        .api()
        .get("/components/registry/chatter_bot-say")
        .await
        .ok();
    assert_eq!(imported["configurable_props"][0]["label"], "Text");
}
