//! What the files of this folder share: actions, and running them.

use serde_json::{Value, json};
use sluice_testkit::Api;

/// An action that returns its props, with a secret among them.
pub(crate) const ECHO: &str = r#"
import { strict as assert } from "node:assert";
export default {
  name: "Echo",
  key: "test-echo",
  version: "1.2.3",
  type: "action",
  description: "Returns what it gets.",
  props: {
    text: { type: "string", label: "Text", description: "What to return." },
    count: { type: "integer", default: 2, min: 1 },
    token: { type: "string", secret: true, optional: true },
  },
  async run({ $ }) {
    assert.ok($);
    console.log("echo", this.text);
    $.export("$summary", `said ${this.text}`);
    $.export("length", this.text.length);
    return { text: this.text, count: this.count, token: this.token ?? null };
  },
};
"#;

/// Runs code that must be sound, and returns its run.
pub(super) async fn run(api: &Api, code: &str, props: Value) -> Value {
    let body = json!({ "component_code": code, "configured_props": props });
    api.post("/actions/run", &body).await.ok()
}

/// An action with this body of `run({ $ })`.
pub(crate) fn action(body: &str) -> String {
    format!(
        "export default {{ name: \"Test\", version: \"0.0.1\", type: \"action\",\n\
         async run({{ $ }}) {{ {body} }} }};"
    )
}

/// Publishes an action into the account; returns its key.
pub(crate) async fn publish(api: &Api, code: &str) -> String {
    let body = json!({ "component_code": code });
    let published = api.post("/components/published", &body).await.ok();
    published["key"].as_str().expect("a key").to_owned()
}
