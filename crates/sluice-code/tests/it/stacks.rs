//! Errors have the positions of the author's files.

use crate::support::{Tree, run};

#[tokio::test]
async fn a_stack_has_the_lines_of_every_file() {
    let tree = Tree::of(&[
        (
            "acme/a.mjs",
            "#!/usr/bin/env node\nimport { fail } from './b';\nimport './c.js';\nfail();\n",
        ),
        (
            "acme/b.ts",
            "interface Nothing {}\n\nexport function fail(): never {\n  throw new Error('told');\n}\n",
        ),
        ("acme/c.js", "require('pkg-cjs');\n"),
    ]);
    let other = Tree::of(&[]);
    let entry = tree.lay_out_in(&other, "acme/a.mjs").await;
    let entry = entry.display();
    other.write(
        "asks.mjs",
        &format!(
            "export default await import('{entry}').then(() => 'no error', (error) => error.stack);"
        ),
    );
    let ran = run(&[other.path("asks.mjs")]);
    let stack = ran[0]["exports"]["default"].as_str().unwrap_or_default();
    assert!(stack.contains("acme/b.ts:4:9"), "{stack}");
    assert!(stack.contains("acme/a.mjs:4:1"), "{stack}");
}
