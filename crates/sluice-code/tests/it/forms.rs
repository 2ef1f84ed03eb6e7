//! The forms of modules: linked files behave like the original ones.

use serde_json::{Value, json};

use crate::support::{Tree, run};

type Case = (&'static str, &'static [(&'static str, &'static str)]);

/// The first file of each case is the entry.
#[rustfmt::skip]
const CASES: &[Case] = &[
    ("imports by default, by name and as a whole", &[
        ("a.mjs", "import d, { one, two as zwei } from './b.mjs'; import * as all from './b.mjs'; export default { d, one, zwei, all };"),
        ("b.mjs", "export const one = 1; export function two() { return 2 } export default 'default';"),
    ]),
    ("a cycle with functions that are hoisted", &[
        ("a.mjs", "import { b } from './b.mjs'; export function a(n) { return n === 0 ? 'done' : b(n - 1) } console.log(a(3)); export default 1;"),
        ("b.mjs", "import { a } from './a.mjs'; export function b(n) { return a(n) } console.log('b', typeof a);"),
    ]),
    ("a cycle that reads too early throws", &[
        ("a.mjs", "import './b.mjs'; export const a = 1;"),
        ("b.mjs", "import { a } from './a.mjs'; try { console.log(a) } catch (e) { console.log(e.name) } export default 1;"),
    ]),
    ("re-exports of every form", &[
        ("a.mjs", "export * from './b.mjs'; export * as ns from './b.mjs'; export { default } from './b.mjs'; export { x as y } from './c.mjs'; export * from './c.mjs';"),
        ("b.mjs", "export const b = 1; const inner = 2; export { inner as renamed }; export default 'b default';"),
        ("c.mjs", "export const x = 'x'; export * from './d.mjs';"),
        ("d.mjs", "export const d = 'd'; export default 'not taken by a star';"),
    ]),
    ("live bindings", &[
        ("a.mjs", "import { count, add } from './b.mjs'; export { count } from './b.mjs'; console.log(count); add(); add(); console.log(count);"),
        ("b.mjs", "export let count = 0; export const add = () => { count += 1 };"),
    ]),
    ("a default export that is an expression, and one that is a live binding", &[
        ("a.mjs", "import b from './b.mjs'; import c, { set } from './c.mjs'; set(); console.log(b, c); export default 1 + 1;"),
        ("b.mjs", "let x = 1; export default x; x = 2;"),
        ("c.mjs", "let x = 1; export { x as default }; export const set = () => { x = 2 };"),
    ]),
    ("names of default exports", &[
        ("a.mjs", "import f from './f.mjs'; import g from './g.mjs'; import h from './h.mjs'; import k from './k.mjs'; import l from './l.mjs'; export default { f, g, h, k, l }; export const sum = f() + g() + h();"),
        ("f.mjs", "export default function named() { return 1 }"),
        ("g.mjs", "export default function () { return 2 }"),
        ("h.mjs", "export default () => 3"),
        ("k.mjs", "export default class Named {}"),
        ("l.mjs", "export default class {}"),
    ]),
    ("the same name in several files", &[
        ("a.mjs", "import { value as b } from './b.mjs'; import { value as c } from './c.mjs'; const value = 'a'; function helper() { return value } class Item {} export default { value, b, c, helper, h: helper(), Item };"),
        ("b.mjs", "function helper() { return 'b' } class Item {} export const value = [helper(), helper, Item];"),
        ("c.mjs", "const helper = () => 'c'; class Item {} export const value = [helper(), helper, Item];"),
    ]),
    ("shadowing", &[
        ("a.mjs", "import { x } from './b.mjs'; const b_default = 1; function f(x) { { const x = 3; return x } } export default [x, f(2), ((x) => x)(4), b_default]; try { throw 5 } catch (x) { console.log(x) }"),
        ("b.mjs", "export const x = 'outer'; export default 1;"),
    ]),
    ("top-level await holds up those who import it", &[
        ("a.mjs", "import { b } from './b.mjs'; import './c.mjs'; console.log('a', b); export default b;"),
        ("b.mjs", "console.log('b starts'); export const b = await new Promise((done) => setTimeout(() => done('awaited'), 5)); console.log('b ends');"),
        ("c.mjs", "export default 'silent';"),
    ]),
    ("an import that is run later", &[
        ("a.mjs", "console.log('a'); export const later = async () => { const one = await import('./b.mjs'); const two = await import('./b.mjs'); const c = await import('./c.cjs'); console.log(one === two, one, c.default, c.x) }; export default 1;"),
        ("b.mjs", "console.log('b'); import './d.mjs'; export const b = await Promise.resolve('b'); export default 'd';"),
        ("c.cjs", "console.log('c'); module.exports = { x: 1 };"),
        ("d.mjs", "console.log('d');"),
    ]),
    ("an import of what is only known when it runs", &[
        ("a.mjs", "const name = ['node', 'path'].join(':'); export const later = async () => console.log((await import(name)).basename('/x/y'));"),
    ]),
    ("one instance for all who import it, in the order of the language", &[
        ("a.mjs", "console.log('a'); import { list } from './d.mjs'; import './b.mjs'; import './c.mjs'; export default list;"),
        ("b.mjs", "import { list } from './d.mjs'; console.log('b'); list.push('b');"),
        ("c.mjs", "import './b.mjs'; import { list } from './x/../d.mjs'; console.log('c'); list.push('c');"),
        ("d.mjs", "console.log('d'); export const list = [];"),
        ("x/e.mjs", ""),
    ]),
    ("this, strict mode, and the address of a module", &[
        ("a.mjs", "import { b } from './b.mjs'; console.log(this, (function () { return this })()); try { undeclared = 1 } catch (e) { console.log(e.name) } export default [b, import.meta.url.startsWith('file:///')];"),
        ("b.mjs", "export const b = [typeof this, typeof module, typeof exports];"),
    ]),
    ("a hashbang, a byte order mark and directives", &[
        ("a.mjs", "#!/usr/bin/env node\nimport b from './b.mjs'; import c from './c.cjs'; export default [b, c];"),
        ("b.mjs", "\u{feff}'use strict'; export default 'b';"),
        ("c.cjs", "\u{feff}'use strict'; module.exports = (function () { return this === undefined })();"),
    ]),
    ("JSON", &[
        ("a.mjs", "import data from './d.json' with { type: 'json' }; import c from './c.cjs'; export default [data, c];"),
        ("c.cjs", "module.exports = require('./d.json');"),
        ("d.json", "{\"a\": [1, 2], \"b-c\": {\"__proto__x\": null}, \"class\": true}"),
    ]),
    ("names that are strings", &[
        ("a.mjs", "import { 'x-y' as xy } from './b.mjs'; const z = 1; export { z as 'a b', xy };"),
        ("b.mjs", "const v = 'v'; export { v as 'x-y' };"),
    ]),
    ("an error while loading", &[
        ("a.mjs", "import './b.mjs'; console.log('never');"),
        ("b.mjs", "console.log('b'); throw new TypeError('broken');"),
    ]),
    ("packages", &[
        ("a.mjs", "import one, { named } from 'pkg-esm'; import { sub } from 'pkg-esm/sub'; import two from './b.mjs'; import fs from 'node:fs'; import { join } from 'path'; export default { one, named, sub, two, fs: typeof fs.readFileSync, join: join('a', 'b') }; console.log('a');"),
        ("b.mjs", "import 'pkg-cjs'; import * as all from 'pkg-esm'; import cjs from 'pkg-cjs'; export default [all, cjs]; console.log('b');"),
    ]),
    ("an ES module with CommonJS files", &[
        ("a.mjs", "import whole, { one, later } from './b.cjs'; import * as ns from './c.cjs'; import d from './d.cjs'; console.log(whole, one, typeof later, ns.x, ns.default, d); export default 1;"),
        ("b.cjs", "exports.one = 1; exports.later = function () {};"),
        ("c.cjs", "module.exports.x = 'x';"),
        ("d.cjs", "module.exports = function d() {};"),
    ]),
    ("CommonJS that was compiled from an ES module", &[
        ("a.mjs", "import whole from './b.cjs'; export default whole;"),
        ("b.cjs", "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'inner'; exports.x = 1;"),
    ]),
    ("what a CommonJS file sees beside ES modules", &[
        ("a.mjs", "import b from './b.cjs'; export default b;"),
        ("b.cjs", "const p = require('pkg-cjs'); const path = require('path'); module.exports = { p, base: path.basename('/x/y'), self: this === exports, same: module.exports === exports, types: [typeof require, typeof module, typeof __filename, typeof __dirname], name: [__filename, __dirname].every(path.isAbsolute) }; "),
    ]),
    ("CommonJS beside an ES module that makes its own require", &[
        ("a.mjs", "import { createRequire } from 'node:module'; import b from './b.cjs'; const require = createRequire(import.meta.url); export default [b, require('node:path').sep];"),
        ("b.cjs", "module.exports = require('node:path').sep + typeof require('pkg-cjs');"),
    ]),
    ("order where CommonJS and ES modules meet", &[
        ("a.mjs", "import './b.cjs'; import './c.mjs'; import './d.cjs'; console.log('a');"),
        ("b.cjs", "console.log('b starts'); require('./d.cjs'); console.log('b ends');"),
        ("c.mjs", "console.log('c');"),
        ("d.cjs", "console.log('d');"),
    ]),
    ("CommonJS throughout", &[
        ("a.cjs", "const b = require('./b.cjs'); const { c } = require('./c.cjs'); require('./b.cjs'); const data = require('./d.json'); const pkg = require('pkg-cjs'); module.exports = { name: 'x', b, c, data, pkg, run() {} };"),
        ("b.cjs", "console.log('b'); exports.b = 1; exports.me = this === exports;"),
        ("c.cjs", "console.log('c'); module.exports = { c: require('./b.cjs').b + 1 };"),
        ("d.json", "[1, {\"a\": null}]"),
    ]),
    ("a cycle in CommonJS", &[
        ("a.cjs", "exports.early = 1; const b = require('./b.cjs'); exports.late = 2; exports.seen = b.seen;"),
        ("b.cjs", "const a = require('./a.cjs'); exports.seen = Object.keys(a);"),
    ]),
    ("CommonJS that is not strict", &[
        ("a.cjs", "var octal = 010; undeclared = octal; const b = require('./b.cjs'); module.exports = { global: globalThis.undeclared, sloppy: (function () { return this !== undefined })(), b, self: this === module.exports }; delete globalThis.undeclared; if (octal) return; module.exports = 'never';"),
        ("b.cjs", "with ({ x: 1 }) { module.exports = x }"),
    ]),
    ("CommonJS that requires late and by chance", &[
        ("a.cjs", "console.log('a'); exports.later = () => console.log(require('./b.cjs')); try { require('not-' + 'there') } catch (e) { console.log(e.code) } if (false) require('./c.cjs');"),
        ("b.cjs", "console.log('b'); module.exports = 'b';"),
        ("c.cjs", "console.log('c');"),
    ]),
    ("TypeScript", &[
        ("a.mjs", "import b, { twice, Level, Point } from './b.ts'; console.log(twice(2), Level, new Point(1, 2)); export default b;"),
        ("b.ts", "import type { Shape } from './types.ts'; import { type Other, value } from './types.ts'; export enum Level { Low = 1, High = 'high' } export class Point { static origin = 0; readonly x: number; constructor(x: number, public y?: number) { this.x = x } } export function twice<T extends number>(n: T): number { return (n as number) * 2 } const b = { value, o: undefined as Other | undefined } satisfies object; export default b! as unknown as Shape;"),
        ("types.ts", "export interface Shape { a: string } export type Other = Shape; export const value: string = 'value'; declare const nothing: never;"),
    ]),
];

#[tokio::test]
async fn linked_files_do_what_the_original_ones_do() {
    let mut trees = Vec::new();
    let mut modules = Vec::new();
    for (_, files) in CASES {
        let tree = Tree::of(files);
        let entry = files[0].0;
        let other = Tree::of(&[]);
        modules.push(tree.path(entry));
        modules.push(tree.lay_out_in(&other, entry).await);
        trees.push((tree, other));
    }
    let results = run(&modules);
    let wrong: Vec<String> = CASES
        .iter()
        .zip(results.chunks(2))
        .filter(|(_, pair)| pair[0] != pair[1])
        .map(|((name, _), pair)| format!("{name}:\n  files  {}\n  linked {}", pair[0], pair[1]))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for ((name, _), pair) in CASES.iter().zip(results.chunks(2)) {
        let may_fail = *name == "an error while loading";
        assert_eq!(
            pair[0]["error"] == Value::Null,
            !may_fail,
            "{name}: {}",
            pair[0]
        );
    }
}

#[tokio::test]
async fn json_needs_no_attribute_and_has_named_exports() {
    let tree = Tree::of(&[
        (
            "a.mjs",
            "import data, { one } from './d.json'; export default [data, one];",
        ),
        ("d.json", r#"{"one": 1, "two": [2]}"#),
    ]);
    assert_eq!(
        tree.exports("a.mjs").await["default"],
        json!([{"one": 1, "two": [2]}, 1])
    );
}

#[tokio::test]
async fn common_js_can_require_an_es_module() {
    let tree = Tree::of(&[
        (
            "a.cjs",
            "const { x, default: d } = require('./b.mjs'); module.exports = { x, d, later: async () => import('./b.mjs') };",
        ),
        (
            "b.mjs",
            "import one from 'pkg-esm'; import two from 'pkg-cjs'; export const x = [one, two]; export default 'd';",
        ),
    ]);
    assert_eq!(
        tree.exports("a.cjs").await,
        json!({"d": "d", "later": "[function later]", "x": ["esm", {"kind": "cjs"}]})
    );
}
