//! What the code of a step may be, and what it has to work with.

use serde_json::{Value, json};
use sluice_testkit::{
    Api, Backend, Registry, Server,
    receiver::{Answer, Receiver},
};

use crate::{
    accounts::fixtures::{key_account, key_app},
    support::{new_user, own_server, shared_server},
    workflows::fixtures::{
        Workflow, deploy, deploy_running, deploy_with, exports, returned, user_of_open_server,
    },
};

/// Each gives back its event and exports `x`.
const FORMS: [(&str, &str); 12] = [
    (
        "define",
        "export default defineComponent({ async run({ steps, $ }) { $.export('x', 1); return steps.trigger.event } })",
    ),
    (
        "object",
        "export default { name: 'A', version: '1', type: 'action', run({ steps, $ }) { $.export('x', 1); return steps.trigger.event } }",
    ),
    (
        "common_js",
        "module.exports = { async run({ steps, $ }) { $.export('x', require('util').inspect(1).length); return steps.trigger.event } }",
    ),
    (
        "methods",
        "export default defineAction({ methods: { put($) { $.export('x', this.one()) }, one: () => 1 }, run({ steps, $ }) { this.put($); return steps.trigger.event } })",
    ),
    (
        "arrow",
        "export default async (event, steps) => { this.x = 1; return steps.trigger.event === event && event }",
    ),
    (
        "named",
        "export default async function step(event) { this.x = 1; return event }",
    ),
    (
        "required",
        "const { inspect } = require('util');\nmodule.exports = (event) => { this.x = inspect(1).length; return event }",
    ),
    (
        "bare_arrow",
        "async (event, steps) => {\n  this.x = 1;\n  return event;\n}\n",
    ),
    (
        "bare_function",
        "async function (event, steps) { this.x = 1; return event }",
    ),
    (
        "typed",
        "interface Order { n: number }\nexport default defineComponent({ async run({ steps, $ }: any): Promise<Order> { $.export('x', 1 as number); return steps.trigger.event } })",
    ),
    (
        "typed_arrow",
        "export default async (event: { n: number }, steps: any): Promise<unknown> => { this.x = 1; return event }",
    ),
    (
        "imported",
        "import { inspect } from 'node:util';\nexport default { run({ steps, $ }) { $.export('x', inspect(1).length); return steps.trigger.event } }",
    ),
];

/// A document in which each of these is the code of a step.
fn of_codes(codes: &[(&str, &str)]) -> Value {
    let steps = codes
        .iter()
        .map(|(name, code)| json!({ "name": name, "code": code }));
    json!({ "name": "Test", "steps": steps.collect::<Vec<_>>() })
}

async fn deploy_steps(api: &Api, steps: Value) -> Workflow {
    let document = json!({ "name": "Test", "steps": steps });
    deploy(api, &document.to_string()).await
}

#[tokio::test]
async fn every_form_of_code_is_a_step() {
    let workflow = deploy(&new_user().await, &of_codes(&FORMS).to_string()).await;
    let event = json!({ "n": 1 });
    let run = workflow.run_and_wait(&event).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    for (name, _) in FORMS {
        let expected = json!({ "x": 1, "$return_value": event });
        assert_eq!(exports(&run, name), &expected, "{name}");
    }
}

#[tokio::test]
async fn steps_may_be_named_like_things_of_the_language() {
    let names = [
        "constructor",
        "toString",
        "hasOwnProperty",
        "Object",
        "steps",
        "event",
        "this",
        "await",
        "_",
    ];
    let codes = names.map(|name| {
        let code = format!(
            "export default {{ run({{ $ }}) {{ $.export('__proto__', 'p'); return '{name}' }} }}"
        );
        (name, code)
    });
    let mut codes: Vec<(&str, &str)> = codes.iter().map(|(n, c)| (*n, c.as_str())).collect();
    codes.push(("last", "export default { run({ steps }) { return Object.entries(steps).map(([name, step]) => [name, step.$return_value ?? null]) } }"));
    let workflow = deploy(&new_user().await, &of_codes(&codes).to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    let mut expected = vec![json!(["trigger", null])];
    expected.extend(names.iter().map(|name| json!([name, name])));
    assert_eq!(returned(&run, "last"), &Value::from(expected), "{run}");
}

#[tokio::test]
async fn steps_have_their_own_versions_of_a_package() {
    let registry = Registry::start();
    for version in ["1.0.0", "1.4.0", "2.0.0"] {
        let code = format!("module.exports = '{version}';");
        registry.publish("thing", version, json!({}), &[("index.js", &code)]);
    }
    let server = Server::start(own_server().registry(&registry)).await;
    let codes = [
        (
            "newest",
            "import thing from 'thing'; export default { run: () => thing }",
        ),
        ("fixed", "async () => require('thing@1.0.0')"),
        (
            "ranged",
            "module.exports = { run: () => require('thing@^1') }",
        ),
    ];
    let workflow = deploy(&server.api(), &of_codes(&codes).to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    let found = ["newest", "fixed", "ranged"].map(|name| returned(&run, name));
    assert_eq!(found, ["2.0.0", "1.0.0", "1.4.0"], "{run}");
    // A version of the workflow keeps what it was deployed with.
    registry.publish(
        "thing",
        "3.0.0",
        json!({}),
        &[("index.js", "module.exports = '3'")],
    );
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "newest"), "2.0.0");
}

#[tokio::test]
async fn the_axios_of_the_platform_takes_the_steps_own_tools() {
    let receiver = Receiver::start(|_| {
        Answer::status(200)
            .header("content-type", "application/json")
            .body(r#"{"said":"hello"}"#)
    });
    let code = "import { axios, ConfigurationError } from '@pipedream/platform';
        export default defineComponent({ props: { url: 'string' }, async run({ $ }) {
          if (!this.url) throw new ConfigurationError('no url');
          return axios($, { url: this.url, method: 'POST', data: { n: 1 } });
        } })";
    let steps = json!([{ "name": "call", "code": code, "props": { "url": "{{ event.url }}" } }]);
    let workflow = deploy_steps(&user_of_open_server().await, steps).await;
    let run = workflow
        .run_and_wait(&json!({ "url": receiver.url("/") }))
        .await;
    assert_eq!(returned(&run, "call")["said"], "hello", "{run}");
    assert_eq!(receiver.wait_for(1).await[0].json(), json!({ "n": 1 }));
    let run = workflow.run_and_wait(&json!({ "url": "" })).await;
    assert_eq!(run["error"]["code"], "ConfigurationError");
}

#[tokio::test]
async fn app_props_have_their_account() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let (first, second) = (
        key_account(&api, &slug, "key-1").await,
        key_account(&api, &slug, "key-2").await,
    );
    let code = format!(
        "const app = {{ type: 'app', app: '{slug}', methods: {{ key() {{ return this.$auth.api_key }} }} }};
         export default {{ props: {{ app }}, run() {{ return [this.app.$auth.api_key, this.app.key()] }} }}"
    );
    let step = |name: &str, account: &str| json!({ "name": name, "code": code, "props": { "app": { "authProvisionId": account } } });
    let steps = json!([step("one", &first), step("two", &second)]);
    let workflow = deploy_steps(&api, steps).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "one"), &json!(["key-1", "key-1"]), "{run}");
    assert_eq!(returned(&run, "two"), &json!(["key-2", "key-2"]));
    // New keys are seen by the next run; an account that is gone fails the step that needs it.
    let body = json!({ "credentials": { "api_key": "key-3" } });
    api.put(&format!("/accounts/{second}"), &body).await.ok();
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "two"), &json!(["key-3", "key-3"]));
}

#[tokio::test]
async fn data_stores_are_shared_and_the_db_is_the_steps_own() {
    let api = new_user().await;
    let store = "export default { props: { store: { type: 'data_store' } }, async run() {
        const n = (await this.store.get('n') ?? 0) + 1; await this.store.set('n', n); return n } }";
    let db = "export default { props: { db: '$.service.db' }, run() {
        const n = (this.db.get('n') ?? 0) + 1; this.db.set('n', n); return n } }";
    let steps = json!([
        { "name": "store_one", "code": store, "props": { "store": "counters" } },
        { "name": "store_two", "code": store, "props": { "store": "counters" } },
        { "name": "db_one", "code": db },
        { "name": "db_two", "code": db },
    ]);
    let workflow = deploy_steps(&api, steps).await;
    let names = ["store_one", "store_two", "db_one", "db_two"];
    for expected in [[1, 2, 1, 1], [3, 4, 2, 2]] {
        let run = workflow.run_and_wait(&json!({})).await;
        let found = names.map(|name| returned(&run, name).clone());
        assert_eq!(found, expected.map(|n| json!(n)), "{run}");
    }
}

#[tokio::test]
async fn files_come_with_the_document_and_import_each_other() {
    let document = json!({ "name": "Test", "steps": [
        { "name": "one", "file": "./steps/one.mjs" },
        { "name": "two", "file": "steps/two.ts", "props": { "n": "{{ steps.one.$return_value }}" } },
    ] });
    let body = json!({ "document": document.to_string(), "files": {
        "steps/one.mjs": "import { twice } from '../lib/maths.mjs'; export default async (event) => twice(event.n)",
        "steps/two.ts": "import { twice } from '../lib/maths.mjs';
            export default defineComponent({ props: { n: { type: 'integer' } }, async run(): Promise<number> { if (this.n > 100) throw new Error('too many'); return twice(this.n) } })",
        "lib/maths.mjs": "export const twice = (n) => 2 * n;",
    } });
    let workflow = deploy_with(&new_user().await, &body).await;
    let run = workflow.run_and_wait(&json!({ "n": 3 })).await;
    assert_eq!(returned(&run, "two"), &json!(12), "{run}");
    let run = workflow.run_and_wait(&json!({ "n": 100 })).await;
    let stack = run["error"]["stack"].as_str().expect("a stack");
    assert!(stack.contains("two.ts:2:"), "{stack}");
}

#[tokio::test]
async fn steps_share_a_folder_for_files_and_no_module_state() {
    let bodies = [
        (
            "write",
            "globalThis.mark = 1; require('fs').writeFileSync(`${process.env.TMPDIR}/note`, 'kept')",
        ),
        (
            "read",
            "return require('fs').readFileSync(`${process.env.TMPDIR}/note`, 'utf8')",
        ),
    ];
    let codes = bodies.map(|(name, body)| {
        (
            name,
            format!("module.exports = defineComponent({{ async run({{ $ }}) {{ {body} }} }})"),
        )
    });
    let codes: Vec<(&str, &str)> = codes.iter().map(|(n, c)| (*n, c.as_str())).collect();
    let workflow = deploy(&new_user().await, &of_codes(&codes).to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "read"), "kept", "{run}");
}

#[tokio::test]
async fn the_older_form_ends_and_sends_with_what_is_around_it() {
    let codes = [
        (
            "send",
            "async (event) => { $send.emit({ raw_event: { a: 1 } }); this.x = 1; }",
        ),
        ("stop", "async (event) => { $end('enough') }"),
        ("never", "async () => { throw new Error('not this') }"),
    ];
    let workflow = deploy(&new_user().await, &of_codes(&codes).to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["exit_reason"], "enough", "{run}");
    assert_eq!(
        workflow.emitted(1).await,
        [json!({ "raw_event": { "a": 1 } })]
    );
}

#[tokio::test]
async fn what_steps_log_stands_with_them() {
    let bodies = [
        ("one", "console.log('a', { b: 1 }); console.error('c')"),
        ("two", "console.warn('d')"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    let lines = |step: usize| -> Vec<(Value, Value)> {
        let lines = run["steps"][step]["logs"].as_array().expect("lines");
        lines
            .iter()
            .map(|line| (line["level"].clone(), line["message"].clone()))
            .collect()
    };
    let line = |level: &str, message: &str| (json!(level), json!(message));
    assert_eq!(lines(0), [line("info", "a { b: 1 }"), line("error", "c")]);
    assert_eq!(lines(1), [line("warn", "d")]);
}
