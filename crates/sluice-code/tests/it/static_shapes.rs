//! Shapes without a process. That they are those of a process is tested where processes are (`sluice-cli/tests/steps`).

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};
use sluice_code::{CodeTree, LinkOptions, Location, MemoryFiles, link};

const APP: &str = r#"import { axios } from "@pipedream/platform";
import constants, { STATES } from "./constants.mjs";
export default {
  type: "app", app: "acme",
  propDefinitions: {
    item: { type: "string", label: "Item", async options({ page }) { return axios(page); } },
    state: { type: "string", label: `One of ${STATES.length}`, options: STATES, max: constants.LIMIT },
  },
};"#;
const CONSTANTS: &str = "export const STATES = ['open', { label: 'Closed', value: 'closed' }];
export default { LIMIT: 60 * 15 };";

async fn tree(component: &str) -> CodeTree {
    let texts = [
        ("acme/acme.app.mjs", APP),
        ("acme/constants.mjs", CONSTANTS),
        ("acme/actions/a.mjs", component),
    ];
    let texts: BTreeMap<String, String> = texts
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into();
    let files = MemoryFiles::new(&texts).expect("valid paths");
    let entry = Location::new("acme/actions/a.mjs");
    let linked = link(&entry, files, LinkOptions::default()).await;
    linked.expect("valid code")
}

async fn shape(component: &str) -> Option<Value> {
    let shape = tree(component).await.static_shape()?;
    Some(serde_json::to_value(shape).expect("a shape is JSON"))
}

#[tokio::test]
async fn props_inherit_from_files_of_the_app() {
    let component = r#"import app from "../acme.app.mjs";
    const base = { hooks: { async deploy() {}, other: 1 }, version: "0.0.0" };
    export default { ...base, key: "acme-a", name: "A" + 1, version: "0.0.1", type: "action",
      props: { app, item: { propDefinition: [app, "item"], optional: true }, state: { propDefinition: [app, "state"] },
        none: { propDefinition: [app, "none"] }, plain: "string" },
      async run() { return this.x; } };"#;
    let prop = |name: &str, def: Value| json!({ "name": name, "def": def });
    assert_eq!(
        shape(component).await,
        Some(json!({
            "name": "A1", "key": "acme-a", "version": "0.0.1", "description": null, "type": "action", "dedupe": null,
            "props": [
                prop("app", json!({ "type": "app", "app": "acme" })),
                prop("item", json!({ "type": "string", "label": "Item", "options": { "$function": true }, "optional": true })),
                prop("state", json!({ "type": "string", "label": "One of 2", "options": ["open", { "label": "Closed", "value": "closed" }], "max": 900 })),
                prop("none", json!({ "type": "any" })),
                prop("plain", json!("string")),
            ],
            "hooks": ["deploy"], "hasRun": true, "hasAdditionalProps": false,
            "warnings": ["prop none: its propDefinition names \"none\", which the app acme does not define"],
        }))
    );
}

#[tokio::test]
async fn code_that_runs_when_it_is_loaded_has_no_static_shape() {
    for component in [
        "const names = ['A'].map((x) => x); export default { name: names[0], run() {} };",
        "export default { name: process.env.A, run() {} };",
        "export default { get name() { return 'A'; }, run() {} };",
        "const a = {}; a.name = 'A'; export default a;",
        "export default { name, run() {} }; const name = 'A';",
        "import { no } from '../constants.mjs'; export default { name: 'A', no, run() {} };",
    ] {
        assert_eq!(shape(component).await, None, "{component}");
    }
}

#[tokio::test]
async fn code_that_no_engine_accepts_has_no_static_shape() {
    for component in [
        "const a = 1; const a = 2; export default { name: 'A', run() {} };",
        "export default { name: 'A', run() { return /(/; } };",
        "export default { name: 'A', run() { break; } };",
    ] {
        assert_eq!(shape(component).await, None, "{component}");
    }
}

#[tokio::test]
async fn values_do_not_multiply_without_end() {
    let mut component = "const a0 = [1, 1];".to_owned();
    for number in 1..60 {
        let before = number - 1;
        let _ = write!(component, "const a{number} = [...a{before}, ...a{before}];");
    }
    component +=
        "export default { name: 'A', run() {}, props: { a: { type: 'any', default: a59 } } };";
    assert_eq!(shape(&component).await, None);
    let mut component = "const a0 = {};".to_owned();
    for number in 1..5_000 {
        let _ = write!(component, "const a{number} = {{ a: a{} }};", number - 1);
    }
    component += "export default { name: 'A', run() {}, a: a4999 };";
    assert_eq!(shape(&component).await, None);
}
