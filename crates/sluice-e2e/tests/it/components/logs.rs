//! What a component prints, as lines of its log.

use serde_json::{Value, json};

use super::{component, manual};
use crate::support::{Deployed, deploy, new_user};

/// `[level, message]` of every line, once one with `last` is there.
async fn lines(source: &Deployed, last: &str) -> Vec<Value> {
    source.log_with(last).await;
    source
        .logs()
        .await
        .iter()
        .map(|line| json!([line["level"], line["msg"]]))
        .collect()
}

#[tokio::test]
async fn console_methods_have_their_levels_and_keep_their_order() {
    let code = manual(
        "console.debug('d'); console.log('l'); console.info('i'); console.warn('w'); console.error('e'); console.assert(1 === 2, 'a'); console.log('end');",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        lines(&source, "end").await,
        [
            json!(["debug", "d"]),
            json!(["info", "l"]),
            json!(["info", "i"]),
            json!(["warn", "w"]),
            json!(["error", "e"]),
            json!(["error", "Assertion failed: a"]),
            json!(["info", "end"])
        ]
    );
}

#[tokio::test]
async fn console_formats_as_node_does() {
    let code = manual(
        r#"console.log("%s is %d%% of %i, %j %o", "x", 1.5, 2.9, { a: 1 }, [1]);
        console.log({ a: { b: [1, "two", null, undefined] } }, 5, "plain", Symbol("s"), 1n);
        console.log(); console.log("two\nlines"); console.group("g"); console.log("inside"); console.groupEnd(); console.count(); console.count();
        console.log(new Map([["k", new Set([1])]]), new Date(0), /re/g); console.log("end");"#,
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    let messages: Vec<Value> = lines(&source, "end")
        .await
        .into_iter()
        .map(|line| line[1].clone())
        .collect();
    assert_eq!(
        messages,
        [
            "x is 1.5% of 2, {\"a\":1} [ 1, [length]: 1 ]",
            "{ a: { b: [ 1, 'two', null, undefined ] } } 5 plain Symbol(s) 1n",
            "",
            "two\nlines",
            "g",
            "  inside",
            "default: 1",
            "default: 2",
            "Map(1) { 'k' => Set(1) { 1 } } 1970-01-01T00:00:00.000Z /re/g",
            "end",
        ]
    );
}

#[tokio::test]
async fn standard_output_and_error_are_lines_too() {
    let code = manual(
        "process.stdout.write('out\\n'); process.stderr.write('err\\n'); require('process').stdout.write(Buffer.from('bytes')); console.log('end');",
    );
    let source = deploy(&new_user().await, &code).await;
    let invocation = source.run(json!({})).await;
    source.log_with("end").await;
    let logs = source.logs().await;
    let seen: Vec<Value> = logs
        .iter()
        .map(|line| json!([line["k"], line["level"], line["msg"]]))
        .collect();
    assert_eq!(
        seen,
        [
            json!(["stdout", "info", "out"]),
            json!(["stderr", "error", "err"]),
            json!(["stdout", "info", "bytes"]),
            json!(["log", "info", "end"])
        ]
    );
    assert!(
        logs.iter()
            .all(|line| line["invocation_id"] == invocation["id"]),
        "{logs:?}"
    );
}

#[tokio::test]
async fn a_logged_error_shows_the_component_s_own_lines() {
    let code = "module.exports = { name: 'T', version: '1',\n  methods: {\n    broken() { return new Error('shown'); },\n  },\n  run() {\n    console.error(this.broken());\n  } };";
    let source = deploy(&new_user().await, code).await;
    source.run(json!({})).await;
    let line = source.log_with("Error: shown").await;
    let text = line["msg"].as_str().expect("a message");
    assert!(
        text.contains("component.cjs:3:23") && text.contains("component.cjs:6:"),
        "{text}"
    );
    assert!(
        !text.contains("harness") && !text.contains("ext:") && !text.contains("file://"),
        "{text}"
    );
}

#[tokio::test]
async fn a_thrown_error_is_a_line_with_a_stack_of_the_component_s_own_lines() {
    let code = "import assert from 'node:assert';\nexport default { name: 'T', version: '1',\n  async run() {\n    await null;\n    assert.equal(1, 2, 'not equal');\n  } };";
    let source = deploy(&new_user().await, code).await;
    let invocation = source.run(json!({})).await;
    let line = source.log_with("not equal").await;
    assert_eq!(
        [&line["k"], &line["level"], &line["invocation_id"]],
        [&json!("error"), &json!("error"), &invocation["id"]]
    );
    let text = line["msg"].as_str().expect("a message");
    assert!(text.contains("component.mjs:5:12"), "{text}");
    assert!(
        !text.contains("harness") && !text.contains("file://"),
        "{text}"
    );
}

#[tokio::test]
async fn what_is_printed_while_the_code_loads_is_logged_without_an_invocation() {
    let code = format!(
        "console.log('loading');\n{}",
        component("run() { console.log('running'); }")
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    source.log_with("running").await;
    assert_eq!(
        source.log_with("loading").await["invocation_id"],
        json!(null)
    );
}

#[tokio::test]
async fn hooks_log_into_the_source_s_log() {
    let code = component(
        "hooks: { deploy() { console.log('from deploy'); }, activate() { console.warn('from activate'); } }, run() {}",
    );
    let source = deploy(&new_user().await, &code).await;
    assert_eq!(
        lines(&source, "from activate").await,
        [
            json!(["info", "from deploy"]),
            json!(["warn", "from activate"])
        ]
    );
}

#[tokio::test]
async fn a_line_that_looks_like_a_frame_of_the_runtime_is_kept() {
    let code = manual(
        "console.log('(node:42) Warning: kept'); console.log('kept too, as seen at node:fs (ext:x)');",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    source.log_with("kept too").await;
    source.log_with("(node:42) Warning: kept").await;
}

#[tokio::test]
async fn a_line_has_its_time_and_hostile_text_is_kept_harmless() {
    let code = manual(
        r#"console.log("nul \u0000, lone \ud800, \u001b[31mred\u001b[0m, 語🦀"); console.log('x'.repeat(20_000));"#,
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    let line = source.log_with("語🦀").await;
    let created = source.source["created_at"].as_i64().expect("created_at");
    assert!(
        line["ts"].as_i64().is_some_and(|ts| ts / 1000 >= created),
        "{line}"
    );
    assert_eq!(
        source.log_with("xxx").await["msg"].as_str().map(str::len),
        Some(20_000)
    );
}
