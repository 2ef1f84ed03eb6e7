//! Code that comes with the files that it imports.

use rstest::rstest;
use serde_json::json;

use crate::support::{Deployed, new_user};

const LIBRARY: &str = "\
type Reason = { text: string };

export function fail(reason: Reason): never {
  throw new Error(reason.text);
}
";

#[rstest]
#[case::module(
    "a.mjs",
    "import { fail } from \"./lib/fail\";\n\nexport default {\n  name: \"A\", version: \"0.0.1\",\n  run() { fail({ text: \"no\" }); },\n};\n"
)]
#[case::common_js(
    "a.js",
    "const { fail } = require(\"./lib/fail\");\n\nmodule.exports = {\n  name: \"A\", version: \"0.0.1\",\n  run() { fail({ text: \"no\" }); },\n};\n"
)]
#[tokio::test]
async fn errors_have_the_lines_of_the_author_and_the_files_are_shown(
    #[case] path: &str,
    #[case] code: &str,
) {
    let api = new_user().await;
    let files = json!({ "path": path, "files": { "lib/fail.ts": LIBRARY, "unused.mjs": "x" } });
    let body = json!({ "component_code": code, "component_files": files });
    let source = api.post("/sources", &body).await.ok();
    let source = Deployed {
        id: source["id"].as_str().expect("an id").to_owned(),
        api,
        source,
    };
    let id = source.source["component_id"].as_str().expect("an id");
    let component = source.api.get(&format!("/components/{id}")).await.ok();
    assert_eq!(component["code"], json!(code));
    let shown = json!({ "path": path, "files": { "lib/fail.ts": LIBRARY } });
    assert_eq!(component["files"], shown);
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0);
    let stack = error["error"]["stack"].as_str().expect("a stack");
    assert!(stack.contains("lib/fail.ts:4:9"), "{stack}");
    assert!(stack.contains(&format!("{path}:5:")), "{stack}");
}

#[rstest]
#[case::missing("./none", json!({}), "`./none` names no file")]
#[case::outside("../a.mjs", json!({}), "outside of the folder")]
#[case::bad_path("./b", json!({ "../b.mjs": "" }), "outside of the folder")]
#[tokio::test]
async fn files_that_are_missing_or_elsewhere_are_refused(
    #[case] specifier: &str,
    #[case] files: serde_json::Value,
    #[case] message: &str,
) {
    let code =
        format!("import \"{specifier}\";\nexport default {{ name: \"A\", version: \"0.0.1\" }};");
    let body =
        json!({ "component_code": code, "component_files": { "path": "a.mjs", "files": files } });
    let answer = new_user().await.post("/components", &body).await;
    let error = answer.expect(422).to_string();
    assert!(error.contains(message), "{error}");
}
