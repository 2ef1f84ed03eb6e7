//! `sluice test` of a component without tests: it is sent what it would get on a server.

use serde_json::{Value, json};

use super::workshop::Workshop;

/// A source with these props that emits what it gets.
fn echo(props: &str) -> String {
    format!(
        "export default {{ name: 'Echo', version: '1', props: {{ {props} }}, run(event) {{ this.$emit(event); }} }};\n"
    )
}

async fn sample(code: &str, args: &[&str]) -> Value {
    let shop = Workshop::with(&[("a.mjs", code)]);
    let (told, exit) = shop.json(&[&["test", "a.mjs"], args].concat()).await;
    assert_eq!(exit, 0, "{told:#}");
    told
}

#[tokio::test]
async fn a_source_gets_what_its_interface_would_bring() {
    let request = &sample(&echo("http: '$.interface.http'"), &[]).await["emits"][0]["event"];
    assert_eq!(request["method"], "POST");
    assert_eq!(request["body"], json!({ "hello": "world" }));
    assert_eq!(request["bodyRaw"], r#"{"hello":"world"}"#);
    let timer = "timer: { type: '$.interface.timer', default: { intervalSeconds: 90 } }";
    let tick = &sample(&echo(timer), &[]).await["emits"][0]["event"];
    assert_eq!(tick["interval_seconds"], 90);
    assert!(
        tick["timestamp"]
            .as_i64()
            .is_some_and(|seconds| seconds > 1_000_000_000)
    );
    let shop = Workshop::with(&[(
        "a.ts",
        &echo("").replace("run(event)", "run(event: unknown): void"),
    )]);
    let (told, _) = shop.json(&["test", "a.ts", "--event", "[1]"]).await;
    assert_eq!(told["emits"][0]["event"], json!([1]), "{told:#}");
    let nothing = &sample(&echo(""), &[]).await["emits"][0]["event"];
    assert_eq!(*nothing, json!({}));
}

#[tokio::test]
async fn an_event_can_be_given_and_a_request_is_filled_in() {
    let code = echo("http: '$.interface.http'");
    let event = r#"{"method": "PUT", "body": [1]}"#;
    let put = &sample(&code, &["--event", event]).await["emits"][0]["event"];
    assert_eq!(
        (&put["method"], &put["path"], &put["body"]),
        (&json!("PUT"), &json!("/"), &json!([1]))
    );
    let shop = Workshop::with(&[
        ("a.mjs", &echo("")),
        ("e.json", r#"{"from": "a file"}"#),
        ("a.test.mjs", "throw new Error('not this');"),
    ]);
    let (told, _) = shop.json(&["test", "a.mjs", "--event", "@e.json"]).await;
    assert_eq!(told["emits"][0]["event"], json!({ "from": "a file" }));
    let ran = shop.run(&["test", "a.mjs", "--event", "{"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--event is not JSON"), "{}", ran.err);
}

#[tokio::test]
async fn everything_that_it_did_is_told() {
    let code = "export default {
      name: 'S', version: '1',
      props: { http: { type: '$.interface.http', customResponse: true }, db: '$.service.db', notes: 'data_store', acme: { type: 'app', app: 'acme' } },
      async run(event) {
        console.warn('careful', this.acme.$auth.key);
        this.db.set('n', 1);
        await this.notes.set('b', 2);
        await this.notes.set('a', 1);
        this.$emit(await this.notes.entries(), { summary: 'two notes', name: 'notes', id: 1 });
        this.http.respond({ status: 201, body: 'made' });
      },
    };\n";
    let args = [
        "--prop",
        "notes=mine",
        "--prop",
        r#"acme={"$auth": {"key": "k"}}"#,
    ];
    let mut told = sample(code, &args).await;
    assert_eq!(
        told["duration_ms"].take().as_i64().map(|ms| ms >= 0),
        Some(true)
    );
    assert_eq!(
        told,
        json!({
            "emits": [{ "event": [["a", 1], ["b", 2]], "id": "1", "name": "notes", "summary": "two notes" }],
            "logs": [{ "level": "warn", "message": "careful k" }],
            "response": { "status": 201, "headers": {}, "body": "made" },
            "exports": {}, "returned": null, "sends": [], "error": null, "db": { "n": 1 }, "duration_ms": null,
        })
    );
    let shop = Workshop::with(&[("a.mjs", code)]);
    let shown = shop.ok(&[&["test", "a.mjs"], &args[..]].concat()).await;
    for words in [
        "log      careful k\n",
        "emit     notes  two notes\n",
        "respond  201 made\n",
        "db       n = 1\n",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[tokio::test]
async fn actions_and_steps_run_as_steps() {
    let action = "export default { name: 'A', version: '1', type: 'action', props: { who: 'string' },
      async run({ steps, $ }) { $.export('x', steps.trigger.event.method); $.export('$summary', 'done'); await $.send.sse({ channel: 'c', payload: 1 }); return `hello ${this.who}`; } };\n";
    let told = sample(action, &["--prop", "who=world"]).await;
    assert_eq!(told["returned"], "hello world");
    assert_eq!(told["exports"], json!({ "x": "POST", "$summary": "done" }));
    assert_eq!(told["sends"][0]["kind"], "sse");
    for step in [
        "export default defineComponent({ run({ steps }) { return steps.trigger.event.n; } });\n",
        "export default async (event) => event.n;\n",
    ] {
        let told = sample(step, &["--event", r#"{"n": 3}"#]).await;
        assert_eq!(told["returned"], 3, "{step}");
    }
}

#[tokio::test]
async fn props_come_from_flags_and_files_and_what_is_missing_is_named() {
    let code = echo("a: 'string', b: 'integer', c: { type: 'string', default: 'd' }")
        .replace("this.$emit(event)", "this.$emit([this.a, this.b, this.c])");
    let shop = Workshop::with(&[
        ("a.mjs", &code),
        ("p.yaml", "a: x\nb: 1\n"),
        ("text", "from a file"),
    ]);
    let (told, _) = shop
        .json(&[
            "test", "a.mjs", "--props", "p.yaml", "--prop", "b=2", "--prop", "c=@text",
        ])
        .await;
    assert_eq!(told["emits"][0]["event"], json!(["x", 2, "from a file"]));
    let ran = shop.run(&["test", "a.mjs"]).await;
    assert_eq!(ran.code, 1);
    for words in ["a is required", "b is required", "--prop NAME=VALUE"] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
}

#[tokio::test]
async fn errors_have_the_lines_of_the_author() {
    let shop = Workshop::with(&[
        ("syntax.mjs", "export default {\n  name: 'S' version\n};\n"),
        ("load.mjs", "const a = 1;\nnull.x;\nexport default {};\n"),
        ("shape.mjs", "export default { name: 'S' };\n"),
        (
            "throws.mjs",
            "export default { name: 'S', version: '1',\n  run() {\n    throw new TypeError('no');\n  },\n};\n",
        ),
        (
            "lib/load.ts",
            "type A = string;\n\n(null as any).x;\nexport const a: A = '';\n",
        ),
        (
            "joined.ts",
            "import { a } from './lib/load.ts';\nexport default { name: a, version: '1', run() {} };\n",
        ),
    ]);
    for (file, place) in [
        ("syntax.mjs", "syntax.mjs:2:13: SyntaxError"),
        ("load.mjs", "load.mjs:2:6: Cannot read properties of null"),
        ("shape.mjs", "shape.mjs: version is required"),
        (
            "joined.ts",
            "lib/load.ts:3:15: Cannot read properties of null",
        ),
    ] {
        let ran = shop.run(&["test", file]).await;
        assert_eq!(ran.code, 1, "{ran:#?}");
        assert!(ran.err.contains(place), "{place}: {}", ran.err);
    }
    let (told, code) = shop.json(&["test", "throws.mjs"]).await;
    assert_eq!(code, 1);
    assert_eq!(told["error"]["name"], "TypeError");
    assert_eq!(
        told["error"]["stack"],
        "TypeError: no\n    at Object.run (throws.mjs:3:11)"
    );
}

#[tokio::test]
async fn a_component_that_kills_its_process_or_never_ends_is_told_as_an_error() {
    let shop = Workshop::with(&[
        (
            "exit.mjs",
            "export default { name: 'S', version: '1', run() { process.exit(3); } };\n",
        ),
        (
            "spin.mjs",
            "export default { name: 'S', version: '1', run() { for (;;); } };\n",
        ),
    ])
    .with_env("SLUICE_INVOCATION_TIMEOUT", "1s");
    for (file, name) in [("exit.mjs", "ProcessDied"), ("spin.mjs", "Timeout")] {
        let (told, code) = shop.json(&["test", file]).await;
        assert_eq!(code, 1, "{told:#}");
        assert_eq!(told["error"]["name"], name, "{told:#}");
    }
}
