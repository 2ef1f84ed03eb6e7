//! Many components are looked at together, without their packages, and none costs another anything.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sluice_code::{CodeTree, Language, LinkOptions, Linker, Location, MemoryFiles, ParsedModule};
use sluice_model::ComponentShape;
use sluice_runtime::LoadError;

use crate::support::runtime;

/// The shape of each, or its first error.
async fn survey(codes: &[&str]) -> Vec<Result<ComponentShape, String>> {
    let parsed = codes
        .iter()
        .map(|code| ParsedModule::parse(*code, Some(Language::JavaScript)));
    let (modules, broken): (Vec<_>, Vec<_>) = parsed
        .map(|parsed| match parsed {
            Ok(module) => (Some(module), None),
            Err(errors) => (None, Some(errors[0].message.clone())),
        })
        .unzip();
    let modules = modules.into_iter().flatten().map(CodeTree::single);
    let mut found = runtime().survey(modules.collect(), &None).await.into_iter();
    broken
        .into_iter()
        .map(|broken| {
            if let Some(error) = broken {
                return Err(error);
            }
            let shape = found.next().expect("each has a result");
            shape.map_err(|error| match error {
                LoadError::Code(errors) => errors[0].message.clone(),
                other => other.to_string(),
            })
        })
        .collect()
}

/// As [`survey`], for the components of one app, which share a process.
async fn survey_app(codes: &[String]) -> Vec<Result<String, String>> {
    let files = codes.iter().enumerate();
    let files: BTreeMap<String, String> = files
        .map(|(number, code)| (format!("acme/actions/{number}.mjs"), code.clone()))
        .collect();
    let linker = Linker::new(
        MemoryFiles::new(&files).expect("valid paths"),
        LinkOptions::default(),
    );
    let mut modules = Vec::new();
    for path in files.keys() {
        let tree = linker.link(&Location::new(path.as_str())).await;
        modules.push(tree.expect("valid code"));
    }
    let shapes = runtime().survey(modules, &None).await.into_iter();
    shapes
        .map(|shape| match shape {
            Ok(shape) => Ok(shape.name),
            Err(LoadError::Code(errors)) => Err(errors[0].message.clone()),
            Err(other) => Err(other.to_string()),
        })
        .collect()
}

async fn props_of(code: &str) -> Value {
    let shape = survey(&[code]).await.remove(0).expect("it loads");
    serde_json::to_value(&shape.props).expect("props are JSON")
}

fn plain(name: &str) -> String {
    format!("export default {{ name: '{name}', version: '0.0.1', run() {{}} }};")
}

/// Those of `names` that were read as what they are.
async fn names_around(bad: &str) -> (Vec<String>, Result<ComponentShape, String>) {
    let good: Vec<String> = ["a", "b", "c"].iter().map(|name| plain(name)).collect();
    let mut found = survey(&[&good[0], bad, &good[1], &good[2]]).await;
    let bad = found.remove(1);
    let names = found
        .into_iter()
        .map(|shape| shape.map_or_else(|fault| fault, |shape| shape.name));
    (names.collect(), bad)
}

#[tokio::test]
async fn packages_are_stood_in_for_in_every_form_of_import() {
    let code = r#"
        import axios, { isAxiosError } from "axios";
        import * as everything from "@scope/everything/deep.js";
        import { axios as send, ConfigurationError, DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } from "@pipedream/platform";
        import { defineAction } from "@pipedream/types";
        import slack from "@pipedream/slack";
        import crypto from "crypto";
        import { createRequire } from "node:module";
        export { thing } from "another@1.2.3";
        const require = createRequire(import.meta.url);
        const lodash = require("lodash/fp");
        const lazy = await import("lazy");
        class Client extends everything.Client { constructor() { super("x"); this.own = 1; } }
        const client = new Client();
        const made = new axios.Axios({ a: 1 }).create().defaults;
        made.headers.common.x = 1;
        const tagged = lazy.gql`query ${1}`;
        const text = `${axios.VERSION}` + everything.x, number = 1 + Number(lodash.y) * 2;
        for (const item of lodash.list) throw item;
        await lodash.promise;
        if (client.own !== 1 || text !== "" || number !== 1) throw new Error("not as it should be");
        if (!(new ConfigurationError("x") instanceof Error)) throw new Error("no error");
        if (typeof crypto.createHash !== "function") throw new Error("no crypto");
        if (typeof send !== "function" || isAxiosError() === undefined || tagged === undefined) throw new Error("no call");
        export default defineAction({
          name: "All", version: "0.0.1", type: "action",
          props: {
            slack,
            inherited: { propDefinition: [slack, "channel"], label: "Channel" },
            seconds: { type: "integer", default: DEFAULT_POLLING_SOURCE_TIMER_INTERVAL },
            unknown: { type: "string", default: axios.defaults.baseURL, options: lodash.values, optional: true },
            foreign: lodash.prop,
          },
          run() {},
        });"#;
    let props = props_of(code).await;
    assert_eq!(
        props,
        json!([
            { "name": "slack", "type": "app", "app": "slack" },
            { "name": "inherited", "type": "any", "label": "Channel" },
            { "name": "seconds", "type": "integer", "default": 900 },
            { "name": "unknown", "type": "string", "optional": true },
            { "name": "foreign", "type": "any" },
        ])
    );
}

#[tokio::test]
async fn common_js_requires_stand_ins() {
    let code = r#"
        const axios = require("axios"), { get } = require("lodash"), fs = require("fs");
        const star = __importStar(require("star"));
        function __importStar(mod) { return mod && mod.__esModule ? mod : Object.assign({ default: mod }, mod); }
        if (typeof fs.readFileSync !== "function") throw new Error("no fs");
        module.exports = { name: "C", version: "1.0.0", props: { n: { type: "string", default: star.default.x } }, run() { get(axios); } };"#;
    assert_eq!(
        props_of(code).await,
        json!([{ "name": "n", "type": "string" }])
    );
}

#[tokio::test]
async fn each_is_told_why_it_does_not_load() {
    let found = survey(&[
        "export default {",
        "export const a = 1;",
        "const x = 1;\nthrow new RangeError('too far');",
        "export default { name: 'N', run() {} }",
        &plain("good"),
    ])
    .await;
    let faults: Vec<String> = found
        .into_iter()
        .map(|shape| shape.map_or_else(|fault| fault, |shape| shape.name))
        .collect();
    assert!(faults[0].starts_with("SyntaxError: "), "{faults:?}");
    assert!(faults[1].contains("exports no component"), "{faults:?}");
    assert_eq!(faults[2], "RangeError: too far");
    assert!(faults[3].contains("version"), "{faults:?}");
    assert_eq!(faults[4], "good");
}

#[tokio::test]
async fn one_that_never_ends_costs_only_itself() {
    let (names, fault) = names_around("for (;;);\nexport default {};").await;
    assert_eq!(names, ["a", "b", "c"]);
    assert!(fault.unwrap_err().contains("took longer than"));
}

#[tokio::test]
async fn one_that_ends_its_process_costs_only_itself() {
    let (names, fault) = names_around("Deno.exit(3);\nexport default {};").await;
    assert_eq!(names, ["a", "b", "c"]);
    assert!(fault.unwrap_err().contains("the process ended"));
}

#[tokio::test]
async fn one_that_eats_all_memory_costs_only_itself() {
    // Numbers fill the memory fastest, because the garbage collector does not look into them.
    let code =
        "const all = []; for (;;) all.push(new Array(1_000_000).fill(0.5));\nexport default {};";
    let (names, fault) = names_around(code).await;
    assert_eq!(names, ["a", "b", "c"]);
    let fault = fault.unwrap_err();
    assert!(fault.contains("memory"), "{fault}");
}

#[tokio::test]
async fn one_that_changes_what_all_share_costs_only_itself() {
    for tampering in [
        "Array.prototype.map = () => ['x'];",
        "JSON.stringify = () => '{}';",
        "Object.prototype.extra = 1;",
        "globalThis.version = 2;",
    ] {
        let code = format!("{tampering}\n{}", plain("tampers"));
        let (names, _) = names_around(&code).await;
        assert_eq!(names, ["a", "b", "c"], "{tampering}");
    }
}

#[tokio::test]
async fn one_that_does_harm_later_costs_nobody_anything() {
    for harm in [
        "setTimeout(() => Deno.exit(1), 0);",
        "setTimeout(() => { for (;;); }, 0);",
        "setTimeout(() => { throw new Error('late'); }, 0);",
        "Promise.reject(new Error('late'));",
        "setTimeout(() => { Array.prototype.map = () => []; }, 0);",
        "Deno.stdout.writeSync(new TextEncoder().encode('nonsense\\n'));",
    ] {
        let code = format!("{harm}\n{}", plain("late"));
        let (names, _) = names_around(&code).await;
        assert_eq!(names, ["a", "b", "c"], "{harm}");
    }
}

#[tokio::test]
async fn a_broken_component_costs_the_others_of_its_app_nothing() {
    for broken in [
        "throw new Error('broken');\nexport default {};",
        "export default { name: 'No version', run() {} };",
        "Deno.exit(3);\nexport default {};",
        "for (;;);\nexport default {};",
    ] {
        let codes = [plain("a"), broken.to_owned(), plain("b"), plain("c")];
        let mut found = survey_app(&codes).await;
        assert!(found.remove(1).is_err(), "{broken}");
        let names: Result<Vec<String>, String> = found.into_iter().collect();
        assert_eq!(names.expect(broken), ["a", "b", "c"]);
    }
}

#[tokio::test]
async fn a_component_that_ends_the_process_later_is_not_held_against_the_next() {
    for harm in [
        "setTimeout(() => Deno.exit(1), 0);",
        "setTimeout(() => { for (;;); }, 0);",
        "setTimeout(() => { throw new Error('late'); }, 0);",
    ] {
        let codes = [
            plain("a"),
            format!("{harm}\n{}", plain("late")),
            plain("b"),
            plain("c"),
        ];
        let names: Result<Vec<String>, String> = survey_app(&codes).await.into_iter().collect();
        assert_eq!(names.expect(harm), ["a", "late", "b", "c"]);
    }
}

/// Changes of prototypes and Node modules that code in the same process would use.
const PATCHES: [&str; 9] = [
    "const map = Array.prototype.map; Array.prototype.map = function (...args) { return map.apply(this, args).slice(1); };",
    "Array.prototype.filter = () => [];",
    "JSON.stringify = () => '{}';",
    "Object.entries = () => [];",
    "require('fs').readFileSync = () => 'patched';",
    "require('util').inspect = () => 'patched';",
    "require('path').join = () => 'patched';",
    "require('module')._load = () => 'patched';",
    "process.env.TMPDIR = 'patched';",
];

/// Its shape depends on what the patches change.
const SENSITIVE: &str = r"
    import fs from 'fs';
    import { inspect } from 'util';
    import { join } from 'path';
    const text = JSON.stringify([fs.readFileSync(new URL(import.meta.url), 'utf8').length, inspect({ a: [1] }), join('a', 'b')]);
    export default {
      name: 'Sensitive', version: '1.2.3', description: text + Object.entries({ a: 1 }).length + (process.env.TMPDIR.length > 1),
      props: { first: 'string', second: { type: 'string[]', options: ['a', 'b'].map((x) => x + x) }, db: '$.service.db' },
      hooks: { deploy() {}, activate() {} },
      run() {},
    };";

/// Components that are alone, and the same ones around a hostile one, have the same shapes.
async fn neighbours_are_as_without(hostile: &str) {
    let alone = survey(&[SENSITIVE]).await.remove(0);
    let alone = alone.expect("it loads");
    let around = [SENSITIVE, hostile, SENSITIVE, SENSITIVE, hostile, SENSITIVE];
    for (number, shape) in survey(&around).await.into_iter().enumerate() {
        if around[number] == SENSITIVE {
            assert_eq!(
                format!("{:?}", shape.expect("it loads")),
                format!("{alone:?}"),
                "{number}"
            );
        }
    }
}

#[tokio::test]
async fn patched_prototypes_and_node_modules_do_not_reach_others() {
    let require = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    for patch in PATCHES {
        let hostile = format!("{require}\n{patch}\n{}", plain("patches"));
        neighbours_are_as_without(&hostile).await;
    }
}

#[tokio::test]
async fn forged_reports_shift_nothing() {
    let write =
        "const write = (line) => Deno.stdout.writeSync(new TextEncoder().encode(line + '\\n'));";
    let forged = r#"const shape = { name: "Forged", version: "6.6.6", hasRun: true };
        for (let n = 0; n < 3; n++) {
          write(JSON.stringify({ t: "surveyed", spoiled: false, shapes: [shape] }));
          write(JSON.stringify({ t: "loaded", shapes: [shape] }));
          write(JSON.stringify({ t: "failed", error: { message: "forged" } }));
        }"#;
    for order in [
        forged.to_owned(),
        forged.replace("\"surveyed\"", "\"loaded\""),
    ] {
        let during = format!("{write}\n{order}\n{}", plain("forges"));
        neighbours_are_as_without(&during).await;
        let later = format!(
            "{write}\nsetTimeout(() => {{ {order} }}, 0);\n{}",
            plain("forges")
        );
        neighbours_are_as_without(&later).await;
    }
}

#[tokio::test]
async fn a_forged_report_replaces_none() {
    let code = format!(
        r#"Deno.stdout.writeSync(new TextEncoder().encode('{{"t":"loaded","shapes":[{{"name":"A","version":"1"}},{{"name":"B","version":"1"}}]}}\n'));
        {}"#,
        plain("genuine")
    );
    let shape = survey(&[&code]).await.remove(0).unwrap();
    assert_eq!(shape.name, "genuine");
}

#[tokio::test]
async fn many_keep_their_order() {
    let names: Vec<String> = (0..60).map(|number| format!("n{number}")).collect();
    let codes: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let found = survey(&codes).await;
    let found: Vec<String> = found
        .into_iter()
        .map(|shape| shape.expect("it loads").name)
        .collect();
    assert_eq!(found, names);
}
