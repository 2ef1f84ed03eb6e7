//! Code that a bundler made, with its source map in the last line.

use std::collections::BTreeMap;

use rstest::rstest;
use serde_json::json;
use sluice_code::{BundleOptions, MemoryFiles, SourceMap, bundle, with_inline_map};

use crate::support::{deploy, new_user};

const LIBRARY: &str = "\
type Reason = { text: string };

export function fail(reason: Reason): never {
  throw new Error(reason.text);
}
";

/// A component in the given file, which imports one of TypeScript.
async fn made(entry: &str, code: &str) -> (String, String) {
    let files = [(entry, code), ("lib/fail.ts", LIBRARY)];
    let files: BTreeMap<_, _> = files.map(|(path, text)| (path.into(), text.into())).into();
    let files = MemoryFiles::new(&files).expect("good paths");
    let entry = MemoryFiles::location(entry).expect("a good path");
    let options = BundleOptions {
        source_map: Some(SourceMap::NamesOnly),
        ..BundleOptions::default()
    };
    let bundle = bundle(&entry, files, options).await.expect("it is sound");
    let map = bundle.map.expect("it was asked for");
    let sent = with_inline_map(&bundle.code, &map);
    (bundle.code, sent)
}

#[rstest]
#[case::module(
    "a.mjs",
    "import { fail } from \"./lib/fail.ts\";\n\nexport default {\n  name: \"A\", version: \"0.0.1\",\n  run() { fail({ text: \"no\" }); },\n};\n"
)]
#[case::common_js(
    "a.cjs",
    "const { fail } = require(\"./lib/fail.ts\");\n\nmodule.exports = {\n  name: \"A\", version: \"0.0.1\",\n  run() { fail({ text: \"no\" }); },\n};\n"
)]
#[tokio::test]
async fn errors_have_the_lines_of_the_author_and_the_code_is_shown_without_its_map(
    #[case] path: &str,
    #[case] code: &str,
) {
    let (shown, sent) = made(path, code).await;
    let source = deploy(&new_user().await, &sent).await;
    let id = source.source["component_id"].as_str().expect("an id");
    let component = source.api.get(&format!("/components/{id}")).await.ok();
    assert_eq!(component["code"], json!(shown));
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0);
    let stack = error["error"]["stack"].as_str().expect("a stack");
    assert!(stack.contains("lib/fail.ts:4:"), "{stack}");
    assert!(stack.contains(&format!("{path}:5:")), "{stack}");
}
