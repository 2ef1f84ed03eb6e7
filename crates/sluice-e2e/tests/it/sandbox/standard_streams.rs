//! The standard streams of a process: what is written on them is a log line, and nothing can be read from them.

use rstest::rstest;
use serde_json::json;

use super::{Witness, manual};
use crate::support::{deploy, new_user};

#[rstest]
#[case::deno("Deno.stdout.writeSync(new TextEncoder().encode(line));")]
#[case::node("require('fs').writeSync(1, line);")]
#[tokio::test]
async fn forged_reports_about_others_have_no_effect(#[case] write: &str) {
    let api = new_user().await;
    let witness = Witness::deploy(&api).await;
    let code = manual(&format!(
        "for (const line of event.lines) {{ {write} }} this.$emit('done');"
    ));
    let slow = deploy(
        &api,
        &manual("await new Promise((done) => setTimeout(done, 1500)); this.$emit('finished')"),
    )
    .await;
    let invocation = slow.run(json!({})).await["id"].clone();
    let lines = [
        format!(r#"{{"t":"emit","i":{invocation},"e":"forged","m":{{}}}}"#),
        format!(r#"{{"t":"end","i":{invocation},"ms":1}}"#),
        format!(r#"{{"t":"respond","i":{invocation},"s":200,"b":"forged","h":[]}}"#),
    ]
    .map(|line| line + "\n");
    let source = deploy(&api, &code).await;
    source.run(json!({ "lines": lines })).await;
    assert_eq!(source.events(1).await, ["done"]);
    assert_eq!(slow.events(1).await, ["finished"]);
    witness.answers(2).await;
}

#[tokio::test]
async fn the_streams_cannot_be_opened_by_name() {
    let expressions = [
        "fs.writeFileSync('/dev/stdout', 'x')",
        "fs.writeFileSync('/proc/self/fd/1', 'x')",
        "fs.readFileSync('/dev/stdin')",
        "fs.readFileSync('/proc/self/fd/0')",
    ];
    super::assert_refused(&new_user().await, &expressions, json!({})).await;
}

#[tokio::test]
async fn nothing_can_be_read_from_standard_input() {
    let code = manual(
        "const bytes = new Uint8Array(65536);
         this.$emit([Deno.stdin.readSync(bytes), await Deno.stdin.read(bytes), require('fs').readFileSync(0, 'utf8')]);",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!([null, null, ""])]);
}

#[tokio::test]
async fn text_past_the_console_is_a_log_line() {
    let code = manual(
        "Deno.stdout.writeSync(new TextEncoder().encode('by Deno\\n')); require('fs').writeSync(1, 'by number\\n');
         Deno.stderr.writeSync(new TextEncoder().encode('an error\\n')); Deno.stdout.writeSync(new Uint8Array([33, 255, 10]));",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    for (text, kind, level) in [
        ("by Deno", "stdout", "info"),
        ("by number", "stdout", "info"),
        ("an error", "stderr", "error"),
        ("!\u{fffd}", "stdout", "info"),
    ] {
        let line = source.log_with(text).await;
        assert_eq!(line["k"], kind, "{line}");
        assert_eq!(line["level"], level, "{line}");
    }
}

#[tokio::test]
async fn a_long_line_without_an_end_is_cut_and_fills_no_memory() {
    let api = new_user().await;
    let witness = Witness::deploy(&api).await;
    let code = manual(
        "const text = new Uint8Array(1 << 20).fill(120); for (let n = 0; n < 32; n++) require('fs').writeSync(1, text); this.$emit('done');",
    );
    let source = deploy(&api, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["done"]);
    witness.answers(2).await;
}
