//! Shapes that are read from syntax trees are those that a process reports.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use sluice_code::{CodeTree, LinkOptions, Linker, Location, MemoryFiles};
use sluice_model::ComponentShape;
use sluice_runtime::LoadError;
use sluice_testkit::{ComponentTree, Flaw, TreePlan};

use crate::support::runtime;

async fn linked(texts: &BTreeMap<String, String>, paths: &[String]) -> Vec<CodeTree> {
    let files = MemoryFiles::new(texts).expect("valid paths");
    let linker = Linker::new(files, LinkOptions::default());
    let mut trees = Vec::new();
    for path in paths {
        let tree = linker.link(&Location::new(path.as_str())).await;
        trees.push(tree.unwrap_or_else(|errors| panic!("{path}: {errors:?}")));
    }
    trees
}

/// The static shape of each component, after comparing it with that of a process.
async fn compared(
    texts: &BTreeMap<String, String>,
    paths: &[String],
) -> Vec<Option<Result<ComponentShape, Vec<String>>>> {
    let trees = linked(texts, paths).await;
    let surveyed = runtime().survey(trees.clone(), &None).await;
    let mut results = Vec::new();
    for ((tree, surveyed), path) in trees.iter().zip(surveyed).zip(paths) {
        let known = tree.static_shape();
        let known = known.map(|shape| shape.check(tree.format()));
        let surveyed = surveyed.map_err(|error| match error {
            LoadError::Code(errors) => errors.into_iter().map(|error| error.message).collect(),
            other => vec![other.to_string()],
        });
        if let Some(known) = &known {
            assert_eq!(*known, surveyed, "{path}: {:?}", texts.get(path));
        }
        results.push(known);
    }
    results
}

/// Each of these is the code of a component beside the same files. Returns whether its shape is known without a process.
async fn are_known(codes: &[&str]) -> Vec<bool> {
    let mut texts: BTreeMap<String, String> = [
        (
            "acme/acme.app.mjs",
            r#"import { axios } from "@pipedream/platform";
            import { STATES } from "./common/constants.mjs";
            export default {
              type: "app", app: "acme",
              propDefinitions: {
                item: { type: "string", label: "Item", async options({ page }) { return axios(page); } },
                state: { type: "string", label: `State of ${STATES.length}`, options: STATES, optional: true },
                short: "integer",
                shown: { propDefinition: [{ propDefinitions: { base: { type: "boolean", label: "B" } } }, "base"], label: "C" },
              },
              methods: { get(x) { return this.$auth.key + x; } },
            };"#,
        ),
        (
            "acme/common/constants.mjs",
            r#"export const STATES = ["open", { label: "Closed", value: "closed" }], LIMIT = 60 * 15;
            const all = { STATES, LIMIT, NOTHING: undefined, "dashed-name": -1 };
            export default all;
            export function helper() { return 1; }
            export class Thing extends Error { #a = 1; run() { return this.#a; } }"#,
        ),
        ("acme/common/all.mjs", "export * from './constants.mjs'; export { default as constants } from './constants.mjs';"),
        ("acme/common/types.ts", "export interface Item { id: string } export const KIND: string = 'kind';"),
        ("acme/common/fields.json", r#"[{ "label": "A", "value": 1.5 }, null]"#),
        ("acme/common/circle-a.mjs", "import b from './circle-b.mjs'; export default { b };"),
        ("acme/common/circle-b.mjs", "import a from './circle-a.mjs'; export default { run: () => a };"),
        ("acme/common/effect.mjs", "const list = []; list.push(1); export default list;"),
        ("acme/common/required.cjs", "module.exports = { LIMIT: 5 };"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    let mut paths = Vec::new();
    for (number, code) in codes.iter().enumerate() {
        let extension = if code.contains(": string") {
            "ts"
        } else if code.contains("module.exports") {
            "js"
        } else {
            "mjs"
        };
        let path = format!("acme/actions/{number}/{number}.{extension}");
        texts.insert(path.clone(), (*code).to_owned());
        paths.push(path);
    }
    let shapes = compared(&texts, &paths).await;
    shapes.iter().map(Option::is_some).collect()
}

#[tokio::test]
async fn declared_shapes_need_no_process() {
    let codes = [
        r#"import app from "../../acme.app.mjs";
        export default { name: "A", key: "acme-a", version: "0.0.1", description: `x`, type: "action",
          props: { app, item: { propDefinition: [app, "item", (c) => ({ x: c.y })], optional: true },
            state: { propDefinition: [app, "state"], label: "Own", default: "open" }, short: { propDefinition: [app, "short"] },
            shown: { propDefinition: [app, "shown"] }, missing: { propDefinition: [app, "nothing"], optional: true },
            no: { propDefinition: [undefined, "x"] }, bad: { propDefinition: [app, "methods"] } },
          additionalProps() {}, run() {} };"#,
        r#"import common, { STATES, LIMIT as limit, helper, Thing } from "../../common/constants.mjs";
        import * as all from "../../common/all.mjs";
        const { "dashed-name": dashed, NOTHING } = common, base = { hooks: { deploy: async () => {}, other: 1, async activate() {} } };
        export default { ...base, ...null, ...undefined, ...helper, name: "B" + limit, version: `0.${limit}.1`, type: "source", dedupe: "unique",
          props: { timer: { type: "$.interface.timer", default: { intervalSeconds: limit / 2 } }, db: "$.service.db",
            many: { type: "string[]", options: [...STATES, "more"], default: Object.keys(common) },
            one: { type: "integer", default: all.LIMIT, min: dashed, max: all.constants.LIMIT ?? 1, label: NOTHING || "Label" },
            two: { type: "any", default: true && !limit ? 1 : [null, undefined, 1.25, () => 1, Thing] } },
          methods: { ...base.methods }, run: helper };"#,
        r#"import axios, { isAxiosError } from "axios"; import * as star from "star/deep.js"; import fs, { createReadStream } from "node:fs"; import "side";
        import { createHash, randomUUID } from "crypto"; import { pipeline } from "stream/promises";
        import { DEFAULT_POLLING_SOURCE_TIMER_INTERVAL as seconds, ConfigurationError } from "@pipedream/platform";
        import { defineAction } from "@pipedream/types";
        const client = new star.Client({ a: [1, ...star.list], fs, createReadStream, createHash, randomUUID, pipeline }).login(isAxiosError), { get } = axios;
        class Own extends star.Base { run() { super.run(); } }
        export default defineAction({ name: "C", version: "1", type: "action",
          props: { foreign: client.prop, text: { type: "string", default: axios.VERSION, label: `${get}x` },
            seconds: { type: "integer", default: seconds, own: Own, error: ConfigurationError, nested: { axios, list: [axios] } } },
          run() {} });"#,
        r#"import type { Item } from "../../common/types"; import { Item as Other } from "../../common/types";
        import fields from "../../common/fields.json";
        interface Options { a: string }
        type All = Options | Item;
        declare function later(x: All): string;
        const name: string = "D" as string;
        export default { name, version: "0.0.1", props: { fields: { type: "any", default: fields, label: name! } },
          async run(this: All, other: Other): Promise<string> { return "x"; } } satisfies object;"#,
        r#""use strict"; const { get } = require("lodash"), axios = require("axios"), fs = require("fs");
        function helper() { return get(axios, fs); }
        module.exports = { name: "E", version: "0.0.1", props: { x: { type: "string", default: axios.x } }, run: helper };"#,
        "export default { name: 'F', props: { a: { type: 'objekt' }, b: 1, c: null, d: () => 1 } };",
        "export { default } from '../../acme.app.mjs';",
        "const a = { name: 'G', version: 1, run() {} }; export { a as default }; export function unused() { return /a[b-z]+(?<n>x)/u; }",
        "export default { name: 'H', version: '0.0.1', props: 'none', hooks: null, run: 1 };",
        "const a = { x: { y: 'z' } }; export default { name: a.x.y, version: '0.0.1', props: { [a.x.y]: 'string', n: { type: 'integer', default: NaN } }, run() {} };",
    ];
    assert_eq!(are_known(&codes).await, [true; 10]);
}

#[tokio::test]
async fn what_is_not_sure_is_left_to_a_process() {
    const REST: &str = "version: '0.0.1', run() {} };";
    let codes = [
        format!(
            "import a from '../../common/circle-a.mjs'; export default {{ name: 'A', a, {REST}"
        ),
        format!(
            "import list from '../../common/effect.mjs'; export default {{ name: 'B', list, {REST}"
        ),
        format!(
            "import c from '../../common/required.cjs'; export default {{ name: 'C', c, {REST}"
        ),
        format!(
            "import {{ nothing }} from '../../common/constants.mjs'; export default {{ name: 'D', nothing, {REST}"
        ),
        format!(
            "import {{ checkPrime }} from 'crypto'; export default {{ name: 'E', checkPrime, {REST}"
        ),
        format!("const x = [].find(() => true).id; export default {{ name: 'F', {REST}"),
        format!("export default {{ name: later, {REST} const later = 'G';"),
        format!("const x = 1; const x = 2; export default {{ name: 'H', {REST}"),
        format!("export default {{ name: 'I', test() {{ return /(/; }}, {REST}"),
        format!("if (globalThis.x) throw 1; export default {{ name: 'J', {REST}"),
        format!("export default {{ get name() {{ return 'K'; }}, {REST}"),
        format!("export default {{ name: process.env.A ?? 'L', {REST}"),
        format!("const a = {{}}; a.name = 'M'; export default {{ ...a, name: 'M', {REST}"),
        format!("export default {{ name: 'N', props: {{ 2: 'string', 1: 'string' }}, {REST}"),
        format!("export default {{ name: 'O', __proto__: {{ x: 1 }}, {REST}"),
        format!(
            "export default {{ name: 'P', props: {{ a: {{ type: 'any', default: {{ toJSON: () => 1 }} }} }}, {REST}"
        ),
        format!("const name = 'Q'.toLowerCase(); export default {{ name, {REST}"),
        format!(
            "import slack from '@pipedream/slack'; export default {{ name: 'R', props: {{ slack }}, {REST}"
        ),
        format!("const wait = await 1; export default {{ name: 'S', wait, {REST}"),
        format!("class A {{ static x = 1; }} export default {{ name: 'T', A, {REST}"),
        "export default function () {}".to_owned(),
        "export const name = 'U';".to_owned(),
        format!("enum E {{ A }} const x: string = ''; export default {{ name: 'V', E, x, {REST}"),
        format!("export default {{ name: 'W', test() {{ break; }}, {REST}"),
        format!(
            "import {{ Item }} from '../../common/types'; const x: string = Item; export default {{ name: 'X', x, {REST}"
        ),
        format!("module.exports = {{ name: 'Y', {REST} module.exports.name = 'Z';"),
        format!("const a = require('./other.js'); module.exports = {{ name: 'Z', {REST}"),
    ];
    // The last one has no such file.
    let codes: Vec<&str> = codes[..26].iter().map(String::as_str).collect();
    let parsed: Vec<&str> = codes
        .into_iter()
        .filter(|code| sluice_code::ParsedModule::parse(*code, None).is_ok())
        .collect();
    assert!(parsed.len() > 20, "{}", parsed.len());
    let known = are_known(&parsed).await;
    for (code, known) in parsed.iter().zip(known) {
        assert!(!known, "{code}");
    }
}

#[tokio::test]
async fn a_generated_tree_is_read_without_processes() {
    let folder = sluice_testkit::scratch_folder();
    let plan = TreePlan {
        apps: 5,
        broken_one_in: 7,
    };
    let tree = ComponentTree::write(folder.path(), plan);
    let texts = texts_in(folder.path());
    let is_read = |flaw: &Option<Flaw>| {
        !matches!(
            flaw,
            Some(Flaw::Syntax | Flaw::MissingFile | Flaw::LoopsAtLoad)
        )
    };
    let planted: Vec<_> = tree
        .components
        .iter()
        .filter(|(_, one)| is_read(&one.flaw))
        .collect();
    let paths: Vec<String> = planted.iter().map(|(path, _)| (*path).clone()).collect();
    let shapes = compared(&texts, &paths).await;
    for ((path, planted), shape) in planted.iter().zip(shapes) {
        let runs = matches!(planted.flaw, Some(Flaw::MissingName | Flaw::ThrowsAtLoad));
        assert_eq!(shape.is_none(), runs, "{path}");
    }
}

#[tokio::test]
async fn the_starter_set_has_the_shapes_of_a_process() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../starter");
    let texts = texts_in(&root);
    let is_component = |path: &&String| {
        let parts: Vec<&str> = path.split('/').collect();
        let stem = path
            .rsplit('/')
            .next()
            .and_then(|name| name.split('.').next());
        parts.len() == 4
            && ["sources", "actions"].contains(&parts[1])
            && stem == Some(parts[2])
            && !path.contains(".test.")
    };
    let paths: Vec<String> = texts.keys().filter(is_component).cloned().collect();
    assert!(paths.len() > 10, "{paths:?}");
    let shapes = compared(&texts, &paths).await;
    let known = shapes.iter().flatten().count();
    assert!(known * 2 > paths.len(), "{known} of {}", paths.len());
}

/// The texts of all files, by path.
fn texts_in(root: &Path) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let path = path.strip_prefix(root).expect("a path below the root");
                texts.insert(path.to_string_lossy().into_owned(), text);
            }
        }
    }
    texts
}
