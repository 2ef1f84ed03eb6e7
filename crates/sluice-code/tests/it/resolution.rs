//! Imports that resolve to files, and imports that are left to npm.

use serde_json::json;
use sluice_code::{LinkOptions, LocalFiles, link};

use crate::support::Tree;

#[tokio::test]
async fn a_path_may_leave_out_the_extension_or_name_a_folder() {
    let tree = Tree::of(&[
        (
            "a/a.mjs",
            "import one from './one'; import two from './two.app'; import three from '..'; import four from './four.js';
             import five from './five'; import six from './six.mjs'; import seven from './seven/'; import exact from './exact';
             export default [one, two, three, four, five, six, seven, exact];",
        ),
        ("a/one.mjs", "export default 'one.mjs'"),
        ("a/one.js", "export default 'one.js'"),
        ("a/two.app.mjs", "export default 'two'"),
        ("index.js", "export default 'index of the folder above'"),
        ("a/four.ts", "export default 'four' as string"),
        ("a/five/index.ts", "export default 'five' as string"),
        ("a/six.mts", "export default 'six' as string"),
        ("a/seven/index.json", "\"seven\""),
        ("a/exact", "export default 'exact'"),
        ("a/exact.mjs", "export default 'not exact'"),
    ]);
    assert_eq!(
        tree.exports("a/a.mjs").await["default"],
        json!([
            "one.mjs",
            "two",
            "index of the folder above",
            "four",
            "five",
            "six",
            "seven",
            "exact"
        ])
    );
}

#[tokio::test]
async fn files_of_another_app_come_from_the_folder_beside_it() {
    let tree = Tree::of(&[
        (
            "acme/sources/new/new.mjs",
            "import acme from '../../acme.app.mjs'; import utils from '@pipedream/other/common/utils'; import main from '@pipedream/main';
             import plain from '@pipedream/plain'; import index from '@pipedream/index'; export default [acme, utils, main, plain, index];",
        ),
        ("acme/acme.app.mjs", "export default 'acme'"),
        ("other/common/utils.mjs", "export { default } from '@pipedream/acme'"),
        ("main/package.json", r#"{"main": "lib/start.mjs"}"#),
        ("main/lib/start.mjs", "export default 'main'"),
        ("main/main.app.mjs", "export default 'not main'"),
        ("plain/package.json", r#"{"main": "dist/built.mjs"}"#),
        ("plain/plain.app.ts", "export default 'plain' as string"),
        ("index/index.mjs", "export default 'index'"),
    ]);
    assert_eq!(
        tree.exports("acme/sources/new/new.mjs").await["default"],
        json!(["acme", "acme", "main", "plain", "index"])
    );
}

#[tokio::test]
async fn apps_that_are_not_there_and_the_platform_stay_for_npm() {
    let tree = Tree::of(&[
        (
            "acme/acme.mjs",
            "import '@pipedream/elsewhere'; import '@pipedream/elsewhere/x.mjs'; import '@pipedream/platform'; import '@pipedream/types';
             import '@pipedream/built/dist/x.mjs'; import '@pipedream/acme@1.0.0'; export default 1;",
        ),
        ("platform/platform.app.mjs", "throw 1"),
        ("types/index.mjs", "throw 1"),
        ("built/built.app.ts", "throw 1"),
    ]);
    let code = tree.texts("acme/acme.mjs").await.remove("acme/acme.mjs");
    let code = code.unwrap_or_default();
    for name in [
        "elsewhere",
        "elsewhere/x.mjs",
        "platform",
        "types",
        "built/dist/x.mjs",
        "acme@1.0.0",
    ] {
        assert!(
            code.contains(&format!("import '@pipedream/{name}';")),
            "{name}: {code}"
        );
    }
}

#[tokio::test]
async fn the_tree_of_a_component_is_found_from_its_path() {
    let tree = Tree::of(&[
        (
            "components/acme/sources/new/new.mjs",
            "import x from '@pipedream/other/x.mjs'; export default x;",
        ),
        ("components/other/x.mjs", "export default 1;"),
        ("components/app/app.app.mjs", "export default 1;"),
        ("components/app/deep/er/tool.mjs", "export default 1;"),
        ("project/.git/HEAD", ""),
        ("project/package.json", "{}"),
        ("project/src/package.json", "{}"),
        (
            "project/src/tool.mjs",
            "import '../lib.mjs'; export default 1;",
        ),
        ("project/lib.mjs", ""),
    ]);
    for (path, name) in [
        (
            "components/acme/sources/new/new.mjs",
            "acme/sources/new/new.mjs",
        ),
        ("components/app/deep/er/tool.mjs", "app/deep/er/tool.mjs"),
        ("project/src/tool.mjs", "src/tool.mjs"),
    ] {
        let (files, entry) = LocalFiles::around(&tree.path(path)).expect("the component exists");
        assert_eq!(entry.as_str(), name);
        let linked = link(&entry, files.clone(), LinkOptions::default()).await;
        let linked = linked.unwrap_or_else(|errors| panic!("{path}: {errors:?}"));
        assert_eq!(linked.locations().next(), Some(entry.as_str()));
        for location in linked.locations() {
            assert!(files.root().join(location).is_file(), "{location}");
        }
    }
}

#[tokio::test]
async fn every_file_that_was_read_is_listed_once() {
    let tree = Tree::of(&[
        (
            "a.mjs",
            "import './b.mjs'; import './c.cjs'; import 'pkg-esm';",
        ),
        ("b.mjs", "import './c.cjs'; import('./d.mjs');"),
        ("c.cjs", "require('./e.json')"),
        ("d.mjs", ""),
        ("e.json", "{}"),
        ("unused.mjs", ""),
    ]);
    let linked = tree.link("a.mjs").await.expect("it can be linked");
    let names: Vec<&str> = linked.locations().collect();
    assert_eq!(names, ["a.mjs", "b.mjs", "c.cjs", "d.mjs", "e.json"]);
}
