//! The forms that a step's code may have.

use serde_json::{Value, json};

use crate::support::{module, run_code, start, with_props};

const COMPONENTS: [&str; 6] = [
    "export default defineComponent({ run({ steps, $ }) { $.export('x', 1); return steps.trigger.event } })",
    "export default defineAction({ name: 'A', version: '1', type: 'action', async run({ steps, $ }) { $.export('x', 1); return steps.trigger.event } })",
    "export default { async run({ steps, $ }) { $.export('x', 1); return steps.trigger.event } }",
    "module.exports = { run: async ({ steps, $ }) => { $.export('x', 1); return steps.trigger.event } }",
    "module.exports = defineComponent({ async run({ steps, $ }) { this.put($); return steps.trigger.event }, methods: { put($) { $.export('x', this.one()) }, one: () => 1 } })",
    "exports.__esModule = true; exports.default = { run({ steps, $ }) { $.export('x', 1); return steps.trigger.event } }",
];

const FUNCTIONS: [&str; 11] = [
    "export default async (event, steps) => { this.x = 1; return event }",
    "export default (event, steps) => { this.x = 1; return steps.trigger.event }",
    "export default async function (event) { this.x = 1; return event }",
    "export default async function named(event) { this.x = 1; return event }",
    "module.exports = async (event, steps) => { this.x = 1; return event }",
    "module.exports = async function (event, steps) { this.x = 1; return event };",
    "async (event, steps) => {\n  this.x = 1;\n  return event;\n}\n",
    "// Why it is here\nasync function (event, steps) {\n  const put = () => { this.x = 1 };\n  put();\n  return event;\n}",
    "async function step(event) { this.x = 1; return event }",
    "const step = async (event) => { this.x = 1; return event };\nexport default step;",
    "const { inspect } = require('util');\nmodule.exports = (event) => { this.x = inspect(1).length; return event }",
];

#[tokio::test]
async fn a_step_is_a_component_or_a_function() {
    let forms = COMPONENTS.iter().chain(&FUNCTIONS).enumerate();
    let modules = forms.map(|(at, code)| module(&format!("step_{at}"), code));
    let steps = start(modules.collect()).await;
    for (at, code) in COMPONENTS.iter().chain(&FUNCTIONS).enumerate() {
        let ran = steps
            .run(&format!("step_{at}"), json!({ "body": at }))
            .await;
        assert_eq!(
            ran.ok(),
            json!({ "x": 1, "$return_value": { "body": at } }),
            "{code}"
        );
    }
}

#[tokio::test]
async fn this_is_new_for_each_run() {
    for code in [
        "export default async (event) => { const before = this.x ?? null; this.x = event; return before }",
        "export default async function (event) { const before = this.x ?? null; this.x = event; return before }",
        "export default { run({ steps }) { const before = this.x ?? null; this.x = steps.trigger.event; return before } }",
    ] {
        let steps = start(vec![module("test", code)]).await;
        for _ in 0..2 {
            assert_eq!(
                steps.run("test", json!(7)).await.returned(),
                Value::Null,
                "{code}"
            );
        }
    }
}

#[tokio::test]
async fn this_of_a_component_exports_nothing() {
    let ran = run_code("export default { run() { this.x = 1 } }").await;
    assert_eq!(ran.ok(), json!({}));
}

#[tokio::test]
async fn what_a_function_left_in_this_is_exported_when_it_ends_however_it_ends() {
    let ran = run_code("async (event) => { this.list = []; this.list.push(1); this.f = () => 1; throw new Error('oh') }").await;
    assert_eq!(ran.exports(), json!({ "list": [1] }));
    assert_eq!(ran.failure().message, "oh");
    let ran = run_code("async (event) => { this.fine = 1; this.bad = 1n; this.after = 2 }").await;
    assert_eq!(ran.failure().name, "ExportError");
    assert_eq!(ran.exports(), json!({ "fine": 1 }));
}

#[tokio::test]
async fn a_function_gets_its_params() {
    let code = "async (event, steps, params, auths) => [event.a, params.greeting, auths]";
    let step = with_props(
        module("test", code),
        json!({ "greeting": "hello {{ event.a }}" }),
    );
    let ran = start(vec![step])
        .await
        .run("test", json!({ "a": "you" }))
        .await;
    assert_eq!(ran.returned(), json!(["you", "hello you", {}]));
}

#[tokio::test]
async fn end_ends_the_run_and_is_no_error() {
    for code in [
        "async (event) => { this.x = 1; $end('enough'); this.y = 2 }",
        "async (event) => { this.x = 1; try { $end('enough') } catch {} }",
        "async (event) => { this.x = 1; setTimeout(() => $end('enough'), 1); await new Promise(() => {}) }",
    ] {
        let ran = run_code(code).await;
        assert_eq!(ran.ok(), json!({ "x": 1 }), "{code}");
        let flow = format!("{:?}", ran.step().flow);
        assert_eq!(flow, r#"Some(Exit { reason: Some("enough") })"#, "{code}");
    }
}

#[tokio::test]
async fn functions_find_respond_and_send_around_them() {
    let ran = run_code(
        "async (event) => { $respond({ status: 201, body: 'b' }); $send.emit({ raw_event: { a: 1 } }); await $send.http({ method: 'GET', url: 'https://a.test' }) }",
    )
    .await;
    ran.ok();
    assert_eq!(
        ran.step().reply.as_ref().map(|reply| reply.status),
        Some(201)
    );
    let kinds: Vec<_> = ran.sends().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["emit", "http"]);
    let bad =
        run_code("async (event) => { await $send.http({ method: 'GET', url: 'ftp://a.test' }) }")
            .await;
    assert_eq!(
        bad.failure().message,
        "$send.http: invalid value ftp://a.test for url"
    );
}

#[tokio::test]
async fn errors_have_the_lines_of_the_author() {
    for (code, place) in [
        (
            "async (event, steps) => {\n  // here\n  throw new Error('oh');\n}",
            "test.cjs:3:9",
        ),
        (
            "export default async (event, steps) => {\n  throw new Error('oh');\n}",
            "test.mjs:2:9",
        ),
        (
            "async function (event) {\n  throw new Error('oh');\n}",
            "test.cjs:2:9",
        ),
        (
            "export default {\n  run() { throw new Error('oh') } }",
            "test.mjs:2:17",
        ),
    ] {
        let ran = run_code(code).await;
        let stack = &ran.failure().stack;
        assert!(stack.contains(place), "{code}: {stack}");
        assert!(!stack.contains('/'), "{stack}");
    }
}

#[tokio::test]
async fn typescript_has_the_same_forms() {
    for code in [
        "export default async (event: { n: number }, steps: any): Promise<number> => {\n  this.x = 1;\n  if (event.n > 1) throw new Error('oh');\n  return event.n;\n}",
        "async (event: any) => {\n  this.x = 1;\n  if (event.n > 1) throw new Error('oh');\n  return event.n;\n}",
        "export default defineComponent({ run({ $, steps }: any) {\n  $.export('x', 1);\n  if (steps.trigger.event.n > 1) throw new Error('oh' as string);\n  return steps.trigger.event.n } })",
    ] {
        let steps = start(vec![module("test", code)]).await;
        let ran = steps.run("test", json!({ "n": 1 })).await;
        assert_eq!(ran.ok(), json!({ "x": 1, "$return_value": 1 }), "{code}");
        let ran = steps.run("test", json!({ "n": 2 })).await;
        let stack = &ran.failure().stack;
        assert!(stack.contains("test.ts:3:"), "{stack}");
    }
}
