//! Which code loads, and what is said about code that does not.

use serde_json::json;

use super::{code_faults, component, limited_user, texts};
use crate::support::{deploy, new_user};

#[tokio::test]
async fn common_js_loads_with_built_in_modules_with_and_without_the_node_prefix() {
    let code = r#"
        const crypto = require("crypto");
        const { join } = require("node:path");
        const { promises } = require("fs");
        const { setTimeout: sleep } = require("timers/promises");
        module.exports = {
            name: "CommonJS", version: "0.0.1",
            async run() {
                await sleep(1);
                this.$emit([crypto.createHash("sha256").update("abc").digest("hex").slice(0, 8), join("a", "b"), typeof promises.readFile]);
            },
        };"#;
    let source = deploy(&new_user().await, code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!(["ba7816bf", "a/b", "function"])]
    );
}

#[tokio::test]
async fn an_es_module_loads_with_built_in_modules_with_and_without_the_node_prefix() {
    let code = r#"
        import { createHash } from "crypto";
        import path from "node:path";
        import * as util from "util";
        const ready = await Promise.resolve("top-level await");
        export default {
            name: "Module", version: "0.0.1",
            run() { this.$emit([createHash("sha256").update("abc").digest("hex").slice(0, 8), path.join("a", "b"), util.format("%d", 1), ready]); },
        };"#;
    let source = deploy(&new_user().await, code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!(["ba7816bf", "a/b", "1", "top-level await"])]
    );
}

#[tokio::test]
async fn a_module_compiled_to_common_js_loads_by_its_default_export() {
    let code = r#"
        Object.defineProperty(exports, "__esModule", { value: true });
        exports.default = { name: "Compiled", version: "1", run() { this.$emit("compiled"); } };"#;
    let source = deploy(&new_user().await, code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("compiled")]);
}

#[tokio::test]
async fn code_that_does_not_load_is_422_with_line_and_column() {
    let api = new_user().await;
    let cases = [
        (
            "syntax of a script",
            "module.exports = {\n  name: 'x' oops\n}",
            "SyntaxError",
            "(line 2, column 13)",
        ),
        (
            "syntax of a module",
            "export default {\n  run() { return ] }\n}",
            "SyntaxError",
            "(line 2, column 18)",
        ),
        (
            "a throw",
            "\n\n  throw new Error('no luck');",
            "no luck",
            "(line 3, column 9)",
        ),
        (
            "a throw in a module",
            "export default 1;\n throw new RangeError('no luck');",
            "RangeError: no luck",
            "(line 2, column 8)",
        ),
        (
            "an unknown name",
            "module.exports = {\n  run: nowhere\n};",
            "nowhere is not defined",
            "(line 2, column 8)",
        ),
        (
            "an unknown package",
            "const a = 1;\nrequire('no-such-thing');",
            "no-such-thing",
            "(line 2, column 9)",
        ),
    ];
    for (what, code, message, place) in cases {
        let faults = code_faults(&api, code).await;
        assert_eq!(faults.len(), 1, "{what}: {faults:?}");
        assert!(faults[0].contains(message), "{what}: {faults:?}");
        assert!(faults[0].ends_with(place), "{what}: {faults:?}");
    }
}

#[tokio::test]
async fn an_es_module_that_imports_an_unknown_package_is_422_and_names_it() {
    let faults = code_faults(
        &new_user().await,
        "import x from 'no-such-thing';\nexport default { x };",
    )
    .await;
    assert!(faults[0].contains("no-such-thing"), "{faults:?}");
}

#[tokio::test]
async fn a_module_that_exports_no_component_object_is_422() {
    let api = new_user().await;
    for code in [
        "export const a = 1;",
        "export default 5;",
        "module.exports = null;",
        "module.exports = () => {};",
    ] {
        let faults = code_faults(&api, code).await;
        assert!(
            faults[0].contains("the module exports"),
            "{code}: {faults:?}"
        );
    }
}

#[tokio::test]
async fn missing_name_version_and_run_are_reported_together() {
    let faults = code_faults(&new_user().await, "module.exports = { props: {} };").await;
    assert_eq!(
        faults,
        ["name is required", "version is required", "run is required"]
    );
}

#[tokio::test]
async fn a_property_of_the_wrong_kind_is_422() {
    let api = new_user().await;
    let cases = [
        (
            "dedupe: 'newest', run() {}",
            "dedupe must be one of unique, greatest, last",
        ),
        (
            "type: 'trigger', run() {}",
            "type must be \"action\" or \"source\"",
        ),
        ("key: 5, run() {}", "key must be a string"),
        ("run: 'nothing'", "run is required"),
        (
            "props: { a: 'strnig', b: { type: 'number' }, c: {} }, run() {}",
            "prop a: unknown type \"strnig\"",
        ),
    ];
    for (rest, fault) in cases {
        let faults = code_faults(&api, &component(rest)).await;
        assert_eq!(faults[0], fault, "{rest}");
    }
}

#[tokio::test]
async fn unknown_prop_types_are_422_but_an_unknown_dollar_type_is_taken_as_any() {
    let api = new_user().await;
    let faults = code_faults(
        &api,
        &component("props: { a: 'strnig', b: { type: 'number' }, c: {} }, run() {}"),
    )
    .await;
    assert_eq!(
        faults,
        [
            "prop a: unknown type \"strnig\"",
            "prop b: unknown type \"number\"",
            "prop c: type is required"
        ]
    );
    let code =
        component("props: { channel: '$.discord.channel' }, run() { this.$emit(this.channel); }");
    let body = json!({ "component_code": code, "configured_props": { "channel": { "any": [1] } } });
    let source = api.post("/sources", &body).await.ok();
    assert_eq!(source["configured_props"]["channel"], json!({ "any": [1] }));
}

#[tokio::test]
async fn an_action_can_be_saved_but_not_deployed() {
    let api = new_user().await;
    let code = component("type: 'action', run({ $ }) {}");
    let saved = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    let refused = api
        .post("/sources", &json!({ "component_id": saved["id"] }))
        .await
        .expect(422);
    assert!(
        refused["error"]
            .as_str()
            .is_some_and(|error| error.contains("action")),
        "{refused}"
    );
    assert_eq!(
        api.get("/users/me/sources").await.expect(200)["data"],
        json!([])
    );
}

#[tokio::test]
async fn type_source_is_a_source() {
    let source = deploy(
        &new_user().await,
        &component("type: 'source', run() { this.$emit(1); }"),
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(1)]);
}

#[tokio::test]
async fn code_that_never_finishes_loading_is_422() {
    let api = limited_user().await;
    let faults = code_faults(
        &api,
        "await new Promise(() => setInterval(() => {}, 1000)); export default {};",
    )
    .await;
    assert_eq!(faults, ["loading took longer than 4 s"]);
}

#[tokio::test]
async fn code_that_ends_its_process_while_loading_is_422() {
    let faults = code_faults(&new_user().await, "process.exit(0);").await;
    assert!(
        faults[0].contains("ended while the component was loading"),
        "{faults:?}"
    );
}

#[tokio::test]
async fn create_and_update_of_a_source_report_code_that_does_not_load_alike() {
    let api = new_user().await;
    let source = deploy(&api, &component("run() { this.$emit('old'); }")).await;
    let bad = json!({ "component_code": "module.exports = {" });
    for answer in [
        api.post("/sources", &bad).await,
        api.put(&source.path(""), &bad).await,
    ] {
        let body = answer.expect(422);
        assert!(
            texts(&body["details"]["component_code"])[0].contains("line 1"),
            "{body}"
        );
    }
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("old")]);
}
