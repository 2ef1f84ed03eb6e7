//! Errors have the positions of the author's files.

use std::fs;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;
use sluice_code::{BundleOptions, SourceMap};

use crate::support::{Tree, run};

#[tokio::test]
async fn the_source_map_leads_to_the_line_in_the_original_file() {
    let tree = Tree::of(&[
        (
            "acme/a.mjs",
            "#!/usr/bin/env node\nimport { fail } from './b.ts';\nimport './c.cjs';\nfail();\n",
        ),
        (
            "acme/b.ts",
            "interface Nothing {}\n\nexport function fail(): never {\n  throw new Error('told');\n}\n",
        ),
        ("acme/c.cjs", "require('pkg-cjs');\n"),
    ]);
    let options = BundleOptions {
        source_map: Some(SourceMap::WithSources),
        ..BundleOptions::default()
    };
    let bundle = tree
        .bundle_with("acme/a.mjs", options)
        .await
        .expect("it can be bundled");
    let map = bundle.map.expect("a map was asked for");
    let read: Value = serde_json::from_str(&map).expect("a map is JSON");
    assert_eq!(read["version"], 3);
    let sources = read["sources"].as_array().expect("a map names its sources");
    for name in ["acme/a.mjs", "acme/b.ts", "acme/c.cjs"] {
        assert!(sources.contains(&name.into()), "{sources:?}");
    }
    assert_eq!(
        sources.len(),
        read["sourcesContent"].as_array().map_or(0, Vec::len)
    );

    let inline = BASE64_STANDARD.encode(&map);
    let code = format!(
        "{}\n//# sourceMappingURL=data:application/json;base64,{inline}\n",
        bundle.code
    );
    let other = Tree::of(&[("bundled.mjs", &code)]);
    fs::write(
        other.path("asks.mjs"),
        "export default await import('./bundled.mjs').then(() => 'no error', (error) => error.stack);",
    )
    .expect("a file can be written");
    let ran = run(&[other.path("asks.mjs")]);
    let stack = ran[0]["exports"]["default"].as_str().unwrap_or_default();
    assert!(stack.contains("acme/b.ts:4:"), "{stack}");
    assert!(stack.contains("acme/a.mjs:4:"), "{stack}");
}

#[tokio::test]
async fn a_map_may_leave_out_the_sources_and_is_only_made_when_asked_for() {
    let tree = Tree::of(&[("a.mjs", "export default 'written here';")]);
    let plain = tree.bundle("a.mjs").await.expect("it can be bundled");
    assert_eq!(plain.map, None);
    assert!(!plain.code.contains("sourceMappingURL"), "{}", plain.code);
    let options = BundleOptions {
        source_map: Some(SourceMap::NamesOnly),
        ..BundleOptions::default()
    };
    let bundle = tree
        .bundle_with("a.mjs", options)
        .await
        .expect("it can be bundled");
    let map = bundle.map.expect("a map was asked for");
    assert!(
        map.contains("a.mjs") && !map.contains("written here"),
        "{map}"
    );
}
