//! Components that flood the server with messages of their own making.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Server, wait_for};

use super::megabytes;
use crate::{
    sandbox::manual,
    support::{PATIENCE, deploy, own_server},
};

/// Waits until another invocation has told it its id, and writes the messages of `line(id, n)` without end.
fn flood(line: &str) -> String {
    manual(&format!(
        r"if (event.fine) return this.$emit('fine');
        if (event.id) return void (globalThis.id = event.id);
        while (!globalThis.id) await new Promise((done) => setTimeout(done, 10));
        const id = globalThis.id; const x = 'x'.repeat(1000); const encoder = new TextEncoder();
        const write = (text) => {{ let bytes = encoder.encode(text); while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes)); }};
        for (let n = 0; ; ) {{ let text = ''; for (const end = n + 200; n < end; n++) text += `{line}\n`; write(text); }}"
    ))
}

#[rstest]
#[case::log_lines(r#"{"t":"log","i":"${id}","k":"log","l":"info","ts":1,"m":"${x}"}"#)]
#[case::empty_log_lines(r#"{"t":"log","i":"${id}","k":"log","l":"info","ts":1,"m":""}"#)]
#[case::log_lines_of_nobody(
    r#"{"t":"log","i":"2FZ8vXW1Y3kQ9mB7nC5dE4fG6hJ","k":"log","l":"info","ts":1,"m":"${x}"}"#
)]
#[case::writes(r#"{"t":"write","i":"${id}","db":[["${n}","${x}"]]}"#)]
#[case::events(r#"{"t":"emit","i":"${id}","e":"${x}","m":{}}"#)]
#[case::empty_events(r#"{"t":"emit","i":"${id}","e":1,"m":{}}"#)]
#[case::responses(r#"{"t":"respond","i":"${id}","s":200,"b":"${x}","h":[]}"#)]
#[tokio::test]
async fn a_flood_of_forged_messages_does_not_fill_the_memory(#[case] line: &str) {
    let flags = [
        "--invocation-timeout",
        "2s",
        "--max-emits",
        "8MiB",
        "--max-attempts",
        "1",
    ];
    let server = Server::start(own_server().args(flags)).await;
    let source = deploy(&server.api(), &flood(line)).await;
    let before = megabytes(server.pid());
    let id = source.run(json!({})).await["id"].clone();
    source.run(json!({ "id": id })).await;
    let mut most = 0;
    wait_for(PATIENCE, "the end of the flood", async || {
        most = most.max(megabytes(server.pid()));
        (!source.errors_so_far().await.is_empty()).then_some(())
    })
    .await;
    assert!(most < before + 120, "{before} MB grew to {most} MB");
    source.run(json!({ "fine": true })).await;
    // Events before the failure are kept.
    wait_for(PATIENCE, "the next event", async || {
        let newest = source.summaries().await.into_iter().next();
        newest.filter(|summary| summary["event"] == "fine")
    })
    .await;
}
