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
