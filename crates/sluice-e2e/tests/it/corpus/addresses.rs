//! Components of several files by their address: which files are followed, and how mistakes in them are told.

use std::collections::HashMap;

use axum::{
    Router,
    http::{StatusCode, Uri},
};
use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Api;

use super::{
    loopback::serve,
    stage::{deployed, user},
};
use crate::support::{Deployed, deploy};

/// Serves files; gives the address they are below.
fn site(files: &[(&'static str, &'static str)]) -> String {
    let files: HashMap<String, &str> = files
        .iter()
        .map(|(name, text)| (format!("/{name}"), *text))
        .collect();
    serve(Router::new().fallback(async move |uri: Uri| {
        let text = files.get(uri.path()).copied();
        text.ok_or(StatusCode::NOT_FOUND)
    }))
}

async fn deploy_url(api: &Api, url: &str) -> Deployed {
    let body = json!({ "component_url": url });
    deployed(api, api.post("/sources", &body).await)
}

/// Why the component at an address is refused.
async fn faults(url: &str) -> Vec<String> {
    let body = json!({ "component_url": url });
    let refused = user().await.post("/components", &body).await.expect(422);
    let list = refused["details"]["component_code"].as_array().cloned();
    let texts = list
        .expect("a list")
        .into_iter()
        .map(|fault| fault.as_str().map(str::to_owned));
    texts.map(|text| text.expect("a text")).collect()
}

const RUN: &str =
    "export const run = (value) => ({ name: 'T', version: '1', run() { this.$emit(value); } });";

#[rstest]
#[case::es_modules("a.mjs", &[
    ("a.mjs", "import { run } from './lib/run.mjs'; import { deep } from './lib/deep/index.mjs'; export default run(deep);"),
    ("lib/run.mjs", RUN),
    ("lib/deep/index.mjs", "import up from '../../up.js'; export const deep = ['deep', up];"),
    ("up.js", "export default 'up';"),
], json!(["deep", "up"]))]
#[case::common_js("a.js", &[
    ("a.js", "const lib = require('./lib'); const { n } = require('./data'); module.exports = { name: 'T', version: '1', run() { this.$emit([lib(), n]); } };"),
    ("lib/index.js", "const { word } = require('../word.cjs'); module.exports = () => word;"),
    ("word.cjs", "exports.word = 'word';"),
    ("data.json", "{ \"n\": 5 }"),
], json!(["word", 5]))]
#[case::typescript("a.ts", &[
    ("a.ts", "import { run } from './run'; import { Level, type Kind } from './types.js'; import { Unused } from './types.js'; const kind: Kind = 'k'; export default run([Level.High, kind]);"),
    ("run.mjs", RUN),
    ("types.ts", "export enum Level { Low, High } export type Kind = string; export interface Unused { a: 1 }"),
], json!([1, "k"]))]
#[case::json_in_modules("a.mjs", &[
    ("a.mjs", "import { run } from './run.mjs'; import one from './one.json' with { type: 'json' }; import two from './one.json' assert { type: 'json' }; import three from './one.json'; export default run([one.a, two.a, three.a]);"),
    ("run.mjs", RUN),
    ("one.json", "{ \"a\": [1] }"),
], json!([[1], [1], [1]]))]
#[case::a_module_that_imports_common_js("a.mjs", &[
    ("a.mjs", "import whole from './old.js'; import { part } from './old.js'; import { run } from './run.mjs'; export default run([whole.part, part]);"),
    ("old.js", "const { sep } = require('path'); module.exports = { part: sep };"),
    ("run.mjs", RUN),
], json!(["/", "/"]))]
#[case::common_js_that_requires_a_module("a.js", &[
    ("a.js", "const app = require('./app.mjs'); module.exports = { name: 'T', version: '1', run() { this.$emit(app.default.word); } };"),
    ("app.mjs", "export default { word: 'modern' };"),
], json!("modern"))]
#[case::a_cycle_of_modules("a.mjs", &[
    ("a.mjs", "import { b } from './b.mjs'; export const a = () => 'a'; export default { name: 'T', version: '1', run() { this.$emit(b()); } };"),
    ("b.mjs", "import { a } from './a.mjs'; export const b = () => 'b' + a();"),
], json!("ba"))]
#[case::a_cycle_of_common_js("a.js", &[
    ("a.js", "exports.early = 'early'; const b = require('./b'); module.exports = { name: 'T', version: '1', run() { this.$emit(b.seen); } };"),
    ("b.js", "exports.seen = require('./a').early;"),
], json!("early"))]
#[case::an_import_at_run_time("a.mjs", &[
    ("a.mjs", "export default { name: 'T', version: '1', async run() { const { late } = await import('./late.mjs'); this.$emit(late); } };"),
    ("late.mjs", "export const late = 'late';"),
], json!("late"))]
#[case::names_that_files_share("a.mjs", &[
    ("a.mjs", "import other, { run } from './b.mjs'; import * as all from './c.mjs'; const value = 'a'; export default run([value, other, all.value, all.default, Object.keys(all)]);"),
    ("b.mjs", "export { run } from './run.mjs'; const value = 'b'; export default value;"),
    ("c.mjs", "export * from './d.mjs'; export { default } from './d.mjs';"),
    ("d.mjs", "export const value = 'd'; export default class Named {}; export const { name } = Named;"),
    ("run.mjs", RUN),
], json!(["a", "b", "d", null, ["default", "name", "value"]]))]
#[case::waiting_at_the_top("a.mjs", &[
    ("a.mjs", "import { late } from './late.mjs'; import { run } from './run.mjs'; export default run([late, typeof import.meta.url]);"),
    ("late.mjs", "export const late = await Promise.resolve('late');"),
    ("run.mjs", RUN),
], json!(["late", "string"]))]
#[case::sloppy_common_js("a.js", &[
    ("a.js", "#!/usr/bin/env node\n\"use strict\";\nconst old = require('./old'); module.exports = { name: 'T', version: '1', run() { this.$emit([old(1), typeof __dirname, typeof __filename]); } };"),
    ("old.js", "\u{feff}undeclared = 8; module.exports = function named() { return [undeclared, arguments.callee.name, this === globalThis || this === undefined]; };"),
], json!([[8, "named", true], "string", "string"]))]
#[case::packages_in_every_file("a.mjs", &[
    ("a.mjs", "import _ from 'lodash'; import * as whole from 'lodash'; import old from './old.cjs'; import { run } from './run.mjs'; export default run([_.add(1, 2), whole.default.add(3, 4), old]);"),
    ("old.cjs", "const _ = require('lodash'); const { stringify } = require('qs'); const got = require('got'); module.exports = [_.add(5, 6), stringify({ a: 1 }), typeof (got.default ?? got).get];"),
    ("run.mjs", RUN),
], json!([3, 7, [11, "a=1", "function"]]))]
#[case::versions_of_packages("a.mjs", &[
    ("a.mjs", "import version from './version.mjs'; import old from './old.cjs'; import { run } from './run.mjs'; export default run([version, old]);"),
    ("version.mjs", "import _ from 'lodash@4.18.1'; import get from 'lodash@^4/get.js'; export default [_.add(1, 2), get({ a: 1 }, 'a')];"),
    ("old.cjs", "module.exports = require('lodash@~4.18.0').add(3, 4);"),
    ("run.mjs", RUN),
], json!([[3, 1], 7]))]
#[case::names_are_kept("a.mjs", &[
    ("a.mjs", "import { AcmeError } from './errors.mjs'; import { run } from './run.mjs'; class Own extends AcmeError {} export default run([new Own().name, AcmeError.name, Own.name, (() => {}).name]);"),
    ("errors.mjs", "export class AcmeError extends Error { constructor(...all) { super(...all); this.name = this.constructor.name; } }"),
    ("run.mjs", "class AcmeError {} export const run = (value) => ({ name: 'T', version: '1', run() { this.$emit([...value, AcmeError.name]); } });"),
], json!(["Own", "AcmeError", "Own", "", "AcmeError"]))]
#[tokio::test]
async fn files_are_followed(
    #[case] entry: &str,
    #[case] files: &[(&'static str, &'static str)],
    #[case] expected: Value,
) {
    let source = deploy_url(&user().await, &format!("{}/{entry}", site(files))).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [expected]);
}

#[tokio::test]
async fn a_missing_file_is_named_with_the_file_that_imports_it() {
    let site = site(&[
        ("a.mjs", "import './lib/b.mjs';\nexport default {};"),
        ("lib/b.mjs", "\n  import '../gone.mjs';"),
        ("c.js", "const x = 1;\nrequire('./gone');"),
    ]);
    let of_module = faults(&format!("{site}/a.mjs")).await;
    assert_eq!(of_module.len(), 1, "{of_module:?}");
    for part in [&format!("{site}/lib/b.mjs:2:10"), "../gone.mjs"] {
        assert!(of_module[0].contains(part), "{of_module:?}");
    }
    let of_script = faults(&format!("{site}/c.js")).await;
    assert!(of_script[0].contains("./gone"), "{of_script:?}");
    assert!(
        of_script[0].ends_with("(line 2, column 9)"),
        "{of_script:?}"
    );
}

#[tokio::test]
async fn an_error_in_an_imported_file_names_that_file() {
    let entry = "import { fail } from './lib/fail.ts';\nexport default { name: 'T', version: '1', run() { fail(); } };";
    let site = site(&[
        ("a.mjs", entry),
        (
            "lib/fail.ts",
            "interface A {\n  a: string;\n}\nexport function fail(): never {\n  throw new Error('no luck');\n}",
        ),
        ("broken.mjs", "import './syntax.mjs'; export default {};"),
        ("syntax.mjs", "\nconst = 5;"),
        ("throwing.mjs", "import './throws.mjs'; export default {};"),
        ("throws.mjs", "\n\nthrow new Error('at load');"),
    ]);
    let source = deploy_url(&user().await, &format!("{site}/a.mjs")).await;
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0);
    let stack = error["error"]["stack"].as_str().expect("a stack");
    assert!(
        stack.contains(&format!("{site}/lib/fail.ts:5:9")),
        "{stack}"
    );
    assert!(stack.contains(&format!("{site}/a.mjs:2:51")), "{stack}");
    let line = source.log_with("no luck").await;
    assert!(
        line["msg"]
            .as_str()
            .is_some_and(|text| text.contains("lib/fail.ts:5:9")),
        "{line}"
    );

    let syntax = faults(&format!("{site}/broken.mjs")).await;
    assert!(
        syntax[0].contains(&format!("{site}/syntax.mjs:2:7")),
        "{syntax:?}"
    );
    assert!(syntax[0].contains("SyntaxError"), "{syntax:?}");
    let load = faults(&format!("{site}/throwing.mjs")).await;
    assert!(
        load[0].contains("at load") && load[0].contains("throws.mjs:3:7"),
        "{load:?}"
    );
}

#[rstest]
#[case(
    "import app from '../../acme.app.mjs';\nexport default { app };",
    "../../acme.app.mjs",
    "(line 1, column 17)"
)]
#[case(
    "const a = 1;\nmodule.exports = require('./x');",
    "./x",
    "(line 2, column 26)"
)]
#[case(
    "interface A { a: 1 }\nimport { x } from './x';\nexport default x as A;",
    "./x",
    "(line 2, column 19)"
)]
#[tokio::test]
async fn code_alone_cannot_import_files(
    #[case] code: &str,
    #[case] file: &str,
    #[case] place: &str,
) {
    let body = json!({ "component_code": code });
    let refused = user().await.post("/components", &body).await.expect(422);
    let fault = refused["details"]["component_code"][0]
        .as_str()
        .expect("a fault");
    assert!(
        fault.contains(file) && fault.contains("component_url"),
        "{fault}"
    );
    assert!(fault.ends_with(place), "{fault}");
}

#[tokio::test]
async fn code_that_comes_with_its_address_may_import_the_files_beside_it() {
    let site = site(&[("lib/run.mjs", RUN)]);
    let code = "import { run } from './run.mjs'; export default run('given');";
    let body =
        json!({ "component_code": code, "component_url": format!("{site}/lib/never-fetched.mjs") });
    let api = user().await;
    let source = deployed(&api, api.post("/sources", &body).await);
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["given"]);
}

#[tokio::test]
async fn a_source_is_updated_to_several_files() {
    let api = user().await;
    let source = deploy(
        &api,
        "module.exports = { name: 'T', version: '1', run() { this.$emit('old'); } };",
    )
    .await;
    let site = site(&[
        (
            "a.ts",
            "import { run } from './run.mjs'; const word: string = 'new'; export default run(word);",
        ),
        ("run.mjs", RUN),
        ("broken.mjs", "import './gone.mjs';"),
    ]);
    let broken = json!({ "component_url": format!("{site}/broken.mjs") });
    api.put(&source.path(""), &broken).await.expect(422);
    source.run(json!({})).await;
    source.events(1).await;
    let update = json!({ "component_url": format!("{site}/a.ts") });
    api.put(&source.path(""), &update).await.ok();
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, ["old", "new"]);
}
