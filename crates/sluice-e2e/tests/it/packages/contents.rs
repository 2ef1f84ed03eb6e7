//! What packages may be and do.

use serde_json::json;

use super::{Shop, emitting, importing, outcome};

#[tokio::test]
async fn packages_need_packages_of_their_own_each_in_its_version() {
    let shop = Shop::open().await;
    for version in ["1.0.0", "2.0.0"] {
        shop.publish("base", version);
    }
    for (name, range) in [("old", "^1"), ("new", "^2")] {
        shop.registry.publish(
            name,
            "1.0.0",
            json!({ "dependencies": { "base": range } }),
            &[("index.js", "module.exports = require('base')")],
        );
    }
    let code = emitting("[require('old'), require('new'), require('base@1')]");
    assert_eq!(
        outcome(&shop.api(), &code).await,
        json!(["base 1.0.0", "base 2.0.0", "base 1.0.0"])
    );
}

#[tokio::test]
async fn a_package_reads_the_files_beside_it_and_lists_them() {
    let shop = Shop::open().await;
    shop.registry.publish(
        "reader",
        "1.0.0",
        json!({}),
        &[
            ("index.js", "const fs = require('fs'), path = require('path');\nexports.read = () => [fs.readFileSync(path.join(__dirname, 'data.txt'), 'utf8'), fs.readdirSync(__dirname).length, require('./data.json').x];"),
            ("data.txt", "beside"),
            ("data.json", "{\"x\": 7}"),
        ],
    );
    let code = emitting("require('reader').read()");
    assert_eq!(outcome(&shop.api(), &code).await, json!(["beside", 4, 7]));
}

#[tokio::test]
async fn a_package_cannot_be_changed_by_the_code_that_uses_it() {
    let shop = Shop::open().await;
    shop.publish("thing", "1.0.0");
    let code = emitting(
        "(() => { const file = require.resolve('thing'); const fs = require('fs');
           const tries = [() => fs.writeFileSync(file, 'evil'), () => fs.unlinkSync(file), () => fs.writeFileSync(file + '.new', ''), () => fs.renameSync(file, file + '2')];
           return tries.map((attempt) => { try { attempt(); return 'done'; } catch (error) { return 'refused'; } }); })()",
    );
    assert_eq!(outcome(&shop.api(), &code).await, json!(vec!["refused"; 4]));
    assert_eq!(
        outcome(&shop.api(), &emitting("require('thing')")).await,
        "thing 1.0.0"
    );
}

#[tokio::test]
async fn es_module_packages_exports_maps_and_conditions_work_in_both_forms() {
    let shop = Shop::open().await;
    shop.registry.publish(
        "modern",
        "1.0.0",
        json!({ "type": "module", "exports": { ".": { "import": "./main.js", "require": "./main.cjs" }, "./sub": "./sub.js" } }),
        &[
            ("main.js", "export const kind = 'esm'; export default 'default';"),
            ("main.cjs", "exports.kind = 'cjs';"),
            ("sub.js", "export default 'sub';"),
            ("hidden.js", ""),
        ],
    );
    shop.registry.publish(
        "pure",
        "1.0.0",
        json!({ "type": "module", "exports": "./main.js" }),
        &[("main.js", "export const kind = 'pure';")],
    );
    let esm = importing(
        "import value, { kind } from 'modern'; import sub from 'modern/sub'; import * as pure from 'pure';",
        "[value, kind, sub, pure.kind, await import('modern/hidden.js').then(() => 'open', () => 'closed')]",
    );
    assert_eq!(
        outcome(&shop.api(), &esm).await,
        json!(["default", "esm", "sub", "pure", "closed"])
    );
    let cjs = emitting("[require('modern').kind, require('pure').kind]");
    assert_eq!(outcome(&shop.api(), &cjs).await, json!(["cjs", "pure"]));
}

#[tokio::test]
async fn no_install_script_runs() {
    let shop = Shop::open().await;
    let mark = shop.server.data_dir().join("a-script-ran");
    let script = format!("touch {}", mark.display());
    shop.registry.publish(
        "scripted",
        "1.0.0",
        json!({ "scripts": { "preinstall": script, "install": script, "postinstall": script, "prepare": script } }),
        &[("index.js", "module.exports = 'installed'")],
    );
    assert_eq!(
        outcome(&shop.api(), &emitting("require('scripted')")).await,
        "installed"
    );
    assert!(!mark.exists());
}
