//! Undoing an import.

use std::fs;

use serde_json::{Value, json};

use super::Stage;
use crate::support::Deployed;

const ECHO: &str = "plain/sources/echo/echo.mjs";
const KEY: &str = "plain-echo";
const CODE: &str =
    "export default { key: 'plain-echo', name: 'Echo', version: '0.0.1', type: 'source',
  props: { http: '$.interface.http' }, run({ body }) { this.$emit(body); } };";

impl Stage {
    async fn undo(&self, import: &Value) -> Value {
        let id = import.as_str().expect("an id");
        let ran = self
            .registry(self.server.api_key(), &["undo", id, "--json"])
            .await;
        assert_eq!(ran.code, 0, "{ran:#?}");
        serde_json::from_str(&ran.out).expect("JSON")
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let file = self.root().join(path);
        let text = fs::read_to_string(&file).expect("a file");
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replace(from, to)).expect("it can be written");
    }

    /// The id and the code of the registered component.
    async fn echo(&self) -> [Value; 2] {
        let component = self.registered(KEY).await.expect("it is registered");
        ["id", "code"].map(|name| component[name].clone())
    }

    async fn registered(&self, key: &str) -> Option<Value> {
        let path = format!("/components/registry/{key}");
        let answer = self.api().get(&path).await;
        (answer.status == 200).then(|| answer.ok())
    }
}

#[tokio::test]
async fn an_undone_import_leaves_the_registry_as_it_was() {
    let stage = Stage::with_apps(2).await;
    stage.tree.put(ECHO, CODE);
    let first = stage.import(&[]).await;
    let before = stage.echo().await;
    let source = stage.api().post("/sources", &json!({ "key": KEY })).await;
    let source = source.ok();

    // One version has other code, one is new, one file leaves, and one is added.
    stage.replace(ECHO, "(body)", "([body])");
    let updated = "service_001/actions/delete-item/delete-item.ts";
    stage.replace(updated, "0.9.1", "0.10.0");
    let removed = "service_000/actions/delete-item";
    fs::remove_dir_all(stage.root().join(removed)).expect("it is there");
    let added = "export default { key: 'service_000-say', name: 'Say', version: '0.0.1', type: 'action', run() {} };";
    stage.tree.put("service_000/actions/say/say.mjs", added);
    let second = stage.import(&["--prune"]).await;
    assert_eq!(second.counts(), [1, 2, 18, 0]);
    assert_ne!(stage.echo().await, before);

    let listed = stage.api().get("/components/registry/imports").await.ok();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["id"], second.0["import_id"]);
    let counts = ["added", "replaced", "removed"].map(|name| listed[0][name].clone());
    assert_eq!(counts, [2, 1, 1]);

    let undone = stage.undo(&second.0["import_id"]).await;
    assert_eq!(undone, json!({ "removed": 2, "restored": 2, "kept": 0 }));
    assert_eq!(stage.echo().await, before);
    assert_eq!(stage.registered("service_000-say").await, None);
    for key in ["service_000-delete-item", "service_001-delete-item"] {
        let version = stage.registered(key).await.expect("it is registered");
        assert_eq!(version["version"], "0.9.1", "{key}");
    }
    let list = stage.registry(stage.server.api_key(), &["imports"]).await;
    assert!(list.err.contains("No imports"), "{list:#?}");
    // The first import was followed by another one.
    let id = first.0["import_id"].as_str().expect("an id");
    let ran = stage.registry(stage.server.api_key(), &["undo", id]).await;
    assert_eq!(ran.code, 5, "{ran:#?}");

    // Sources keep running, and the next import registers the tree again.
    let id = source["id"].as_str().expect("an id").to_owned();
    let deployed = Deployed {
        id,
        source,
        api: stage.api(),
    };
    deployed.send(&json!("still here")).await.expect(200);
    assert_eq!(deployed.events(1).await, [json!("still here")]);
    assert_eq!(stage.import(&[]).await.counts(), [1, 2, 18, 0]);
}

#[tokio::test]
async fn versions_that_were_changed_since_stay() {
    let stage = Stage::with_apps(1).await;
    stage.tree.put(ECHO, CODE);
    let imported = stage.import(&[]).await;
    let published = "/components/registry/service_000-new-item";
    stage.api().delete(published).await.expect(204);
    let other = "module.exports = { key: 'service_000-new-item', name: 'Other', version: '0.1.1', run() {} };";
    let body = json!({ "component_code": other });
    stage.api().post("/components/registry", &body).await.ok();
    let undone = stage.undo(&imported.0["import_id"]).await;
    assert_eq!(undone, json!({ "removed": 10, "restored": 0, "kept": 1 }));
    let kept = stage.registered("service_000-new-item").await;
    assert_eq!(kept.expect("it is registered")["name"], "Other");
    assert_eq!(stage.registered(KEY).await, None);
}

#[tokio::test]
async fn only_the_last_import_of_a_tree_can_be_undone() {
    let stage = Stage::with_apps(0).await;
    stage.tree.put(ECHO, CODE);
    let first = stage.import(&[]).await;
    // Nothing has changed, so the first one is still the last.
    stage.import(&[]).await;
    stage.replace(ECHO, "(body)", "([body])");
    let last = stage.import(&[]).await;
    let id = first.0["import_id"].as_str().expect("an id");
    let ran = stage.registry(stage.server.api_key(), &["undo", id]).await;
    assert_ne!(ran.code, 0, "{ran:#?}");
    let undone = stage.undo(&last.0["import_id"]).await;
    assert_eq!(undone, json!({ "removed": 0, "restored": 1, "kept": 0 }));
}
