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

/// One invocation emits 15 MB, which is allowed, and keeps them for a while.
const LARGE: &str = "const text = 'x'.repeat(1_000_000); for (let n = 0; n < 15; n++) this.$emit(text); await new Promise((done) => setTimeout(done, 1000));";

#[tokio::test]
async fn large_events_of_one_account_share_a_limit_of_memory() {
    let flags = ["--max-emits", "16MiB", "--max-db", "1MiB"];
    let limit = ["--max-unstored-per-account", "64MiB"];
    let server = Server::start(own_server().args(flags).args(limit)).await;
    let api = server.api();
    let mut sources = Vec::new();
    for _ in 0..8 {
        sources.push(deploy(&api, &manual(LARGE)).await);
    }
    let before = megabytes(server.pid());
    for _ in 0..3 {
        for source in &sources {
            source.run(json!({})).await;
        }
    }
    let mut most = 0;
    for source in &sources {
        wait_for(PATIENCE, "all events", async || {
            most = most.max(megabytes(server.pid()));
            let page = source
                .api
                .get(&source.path("/event_summaries?limit=1"))
                .await;
            let total = page.expect(200)["page_info"]["total_count"].as_u64();
            total.filter(|total| *total == 3 * 15)
        })
        .await;
    }
    // Without a limit they took 325 MB.
    assert!(most < before + 240, "{before} MB grew to {most} MB");
}
