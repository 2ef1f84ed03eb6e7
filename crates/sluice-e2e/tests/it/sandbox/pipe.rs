//! The pipe to the supervisor: a component that writes on it or reads from it harms itself alone.

use rstest::rstest;
use serde_json::json;

use super::{Witness, manual, tight_user};
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
async fn the_pipe_cannot_be_opened_by_name() {
    let expressions = [
        "fs.writeFileSync('/dev/stdout', 'x')",
        "fs.writeFileSync('/proc/self/fd/1', 'x')",
        "fs.readFileSync('/dev/stdin')",
        "fs.readFileSync('/proc/self/fd/0')",
    ];
    super::assert_refused(&new_user().await, &expressions, json!({})).await;
}

#[tokio::test]
async fn a_component_that_reads_the_supervisor_s_messages_starves_itself() {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let code = manual(
        "if (!event.fail) return this.$emit('fine'); Deno.stdin.readSync(new Uint8Array(65536)); for (;;) await Deno.stdin.read(new Uint8Array(65536));",
    );
    let source = deploy(&api, &code).await;
    source.run(json!({ "fail": true })).await;
    assert_eq!(source.errors(1).await[0]["error"]["code"], "Timeout");
    source.run(json!({})).await;
    source.events(1).await;
    witness.answers(2).await;
}
