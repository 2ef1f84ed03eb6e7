//! TypeScript in one file: what it may use, and where its mistakes are reported.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::stage::user;
use crate::support::deploy;

const MODULE: &str = r#"import type { Readable } from "node:stream";
import { createHash, type BinaryToTextEncoding } from "node:crypto";
import { AxiosRequestConfig } from "axios";
import { defineSource } from "@pipedream/types";

enum Level { Low = 1, High }
const enum Word { Yes = "yes" }

interface Item<T = unknown> {
  readonly id: number;
  value?: T;
}

type Named<T extends Item> = T & { name: string };

abstract class Counter<T extends Item> {
  private static made = 0;
  constructor(protected readonly items: T[], public level: Level = Level.High) {
    Counter.made++;
  }
  total(): number { return this.items.length * this.level; }
  static get count(): number { return Counter.made; }
}
class Plain extends Counter<Item> {}

namespace Text {
  export const digest = (text: string, encoding: BinaryToTextEncoding = "hex") => createHash("md5").update(text).digest(encoding);
}

function first<T>(items: readonly T[]): T | undefined;
function first<T>(items: readonly T[], otherwise: T): T;
function first<T>(items: readonly T[], otherwise?: T) { return items[0] ?? otherwise; }

const settings = { interval: 60, kind: "a" } as const satisfies Record<string, number | string>;
declare const nowhere: Readable;

export default defineSource({
  name: "Typed", version: "0.0.1", type: "source",
  methods: {
    config(this: { url: string }): AxiosRequestConfig { return { method: "get" }; },
    name<T extends Item>(item: T): Named<T> { return { ...item, name: `item ${item.id}` }; },
  },
  async run(event: { items: Item<string>[] }): Promise<void> {
    const counter = new Plain(event.items);
    const item = first<Item>(event.items)!;
    this.$emit([counter.total(), Counter.count, this.name(item).name, Text.digest("a"), Word.Yes, Level[2], settings.interval, <string>settings.kind, this.config()]);
  },
});
"#;

#[tokio::test]
async fn row_typescript_in_full_runs_as_component_code() {
    let source = deploy(&user().await, MODULE).await;
    source.run(json!({ "items": [{ "id": 7 }] })).await;
    let md5 = "0cc175b9c0f1b6a831c399e269772661";
    assert_eq!(
        source.events(1).await,
        [json!([2, 1, "item 7", md5, "yes", "High", 60, "a", { "method": "get" }])]
    );
    let path = format!("/components/{}", text(&source.source["component_id"]));
    let saved = source.api.get(&path).await.ok();
    assert_eq!(saved["code"], MODULE);
}

#[tokio::test]
async fn row_typescript_may_be_common_js() {
    for export in ["module.exports =", "export ="] {
        let code = format!(
            "const crypto = require(\"crypto\");
             interface Event {{ text: string }}
             {export} {{ name: \"Typed\", version: \"0.0.1\", run(event: Event) {{ this.$emit(crypto.createHash(\"md5\").update(event.text as string).digest(\"hex\").length); }} }};"
        );
        let source = deploy(&user().await, &code).await;
        source.run(json!({ "text": "a" })).await;
        assert_eq!(source.events(1).await, [json!(32)], "{export}");
    }
}

#[tokio::test]
async fn typescript_may_import_in_the_way_of_common_js() {
    for (import, export) in [
        ("import path = require(\"path\");", "export ="),
        ("import path = require(\"path\");", "export default"),
        ("import * as path from \"path\";", "export ="),
    ] {
        let code = format!(
            "{import}
             interface Event {{ name: string }}
             {export} {{ name: \"Typed\", version: \"0.0.1\", run(event: Event) {{ this.$emit(path.extname(event.name)); }} }};"
        );
        let source = deploy(&user().await, &code).await;
        source.run(json!({ "name": "a.txt" })).await;
        assert_eq!(source.events(1).await, [".txt"], "{import} {export}");
    }
}

#[tokio::test]
async fn an_error_thrown_in_typescript_has_the_line_of_its_author() {
    let code = r#"interface Event {
  text: string;
}

type Unused = { a: number };

function fail(text: string): never {
  throw new RangeError(`no ${text}`);
}

export default {
  name: "Typed", version: "0.0.1",
  run(event: Event) {
    fail(event.text as string);
  },
};
"#;
    let source = deploy(&user().await, code).await;
    source.run(json!({ "text": "luck" })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["msg"], "no luck");
    assert_lines(
        &error["error"]["stack"],
        &["component.ts:8:9", "component.ts:14:5"],
    );
    let line = source.log_with("no luck").await;
    assert_lines(&line["msg"], &["component.ts:8:9"]);
}

#[tokio::test]
async fn an_error_in_a_hook_in_typescript_has_the_line_of_its_author() {
    let code = "interface A {\n  a: string;\n}\n\nexport default {\n  name: 'T', version: '1',\n  hooks: {\n    async activate(this: A) {\n      throw new Error('not today');\n    },\n  },\n  run() {},\n};";
    let body = json!({ "component_code": code });
    let refused = user().await.post("/sources", &body).await.expect(422);
    let observations = refused["observations"].to_string();
    assert!(observations.contains("not today"), "{observations}");
    assert!(observations.contains("component.ts:9:13"), "{observations}");
}

#[track_caller]
fn assert_lines(stack: &Value, places: &[&str]) {
    let stack = stack.as_str().expect("a text");
    for place in places {
        assert!(stack.contains(place), "{place} is not in: {stack}");
    }
}

#[tokio::test]
async fn an_error_while_typescript_loads_has_the_line_of_its_author() {
    let code = "interface A {\n  a: string;\n}\n\nconst value: A | undefined = undefined;\nconst text: string = value!.a;\nexport default { name: 'T', version: '1', run() {} };";
    let faults = faults(&user().await, code).await;
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("undefined"), "{faults:?}");
    assert!(faults[0].ends_with("(line 6, column 29)"), "{faults:?}");
}

#[tokio::test]
async fn a_syntax_error_in_typescript_is_reported_at_its_place() {
    let code = "interface A {\n  a: string;\n}\nexport default {\n  name: 'T' oops,\n  run(a: A): void {},\n};";
    let faults = faults(&user().await, code).await;
    assert!(faults[0].starts_with("SyntaxError"), "{faults:?}");
    assert!(faults[0].ends_with("(line 5, column 13)"), "{faults:?}");
}

#[tokio::test]
async fn a_name_that_a_package_does_not_export_is_told_with_its_line_and_without_paths() {
    let api = user().await;
    let import = "import { nowhere } from 'lodash';\n";
    let rest = "export default { name: 'T', version: '1', run() { nowhere(); } };";
    let told =
        "SyntaxError: The requested module 'lodash' does not provide an export named 'nowhere'";
    let written = faults(&api, &format!("\n{import}{rest}")).await;
    assert_eq!(written, [format!("{told} (line 2, column 10)")]);
    let typed = faults(&api, &format!("interface A {{ a: 1 }}\n{import}{rest}")).await;
    assert_eq!(typed, [format!("{told} (line 2, column 10)")]);
}

#[tokio::test]
async fn a_missing_package_of_typescript_is_named() {
    let code = "import missing from 'no-such-thing';\ninterface A { a: string }\nexport default { name: 'T', version: '1', run(event: A) { missing(event); } };";
    let faults = faults(&user().await, code).await;
    assert!(faults[0].contains("no-such-thing"), "{faults:?}");
}

#[tokio::test]
async fn deep_nesting_is_refused_and_the_server_lives() {
    let api = user().await;
    let pairs = [
        ("[", "]"),
        ("(", ")"),
        ("{a:", "}"),
        ("f(", ")"),
        ("!{a:[", "]}"),
    ];
    for (open, close) in pairs {
        let nested = format!("{}1{}", open.repeat(2_000), close.repeat(2_000));
        let component = format!(
            "module.exports = {{ name: 'T', version: '1', run() {{ return {nested}; }} }};"
        );
        for code in [
            component.clone(),
            format!("const typed: number = 1;\n{component}"),
        ] {
            let faults = faults(&api, &code).await;
            assert_eq!(
                faults,
                ["SyntaxError: the code is nested too deeply"],
                "{open}"
            );
        }
    }
    let source = deploy(
        &api,
        "module.exports = { name: 'T', version: '1', run() { this.$emit(1); } };",
    )
    .await;
    source.run(json!({})).await;
    source.events(1).await;
}

async fn faults(api: &Api, code: &str) -> Vec<String> {
    let body = json!({ "component_code": code });
    let refused = api.post("/components", &body).await.expect(422);
    let list = refused["details"]["component_code"].as_array().cloned();
    list.expect("a list").iter().map(text).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
