//! Limits, each set by its flag: overrunning one ends the invocation, is in the log, and the source works on.

use serde_json::{Value, json};

use super::{limited_user, manual};
use crate::support::{Deployed, deploy};

/// Deploys a source that does `body` when told to, and otherwise emits "fine".
async fn misbehaving(body: &str) -> Deployed {
    deploy(
        &limited_user().await,
        &manual(&format!(
            "if (!event.fail) return this.$emit('fine'); {body}"
        )),
    )
    .await
}

/// Makes it misbehave and then behave; gives the error of the first.
async fn overrun(source: &Deployed, events: &[&str]) -> Value {
    let invocation = source.run(json!({ "fail": true })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["original_context"]["id"], invocation["id"]);
    let message = error["error"]["msg"].as_str().expect("a message");
    let line = source.log_with(message).await;
    assert_eq!(
        [&line["level"], &line["invocation_id"]],
        [&json!("error"), &invocation["id"]]
    );
    source.run(json!({})).await;
    assert_eq!(source.events(events.len()).await, events);
    error["error"].clone()
}

#[tokio::test]
async fn an_invocation_that_hangs_is_ended_as_timeout_and_its_emits_stand() {
    let source = misbehaving("this.$emit('before'); await new Promise(() => {});").await;
    let error = overrun(&source, &["before", "fine"]).await;
    assert_eq!(error["code"], "Timeout");
    assert!(
        error["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("1000 ms")),
        "{error}"
    );
}

#[tokio::test]
async fn an_invocation_that_spins_is_ended_as_timeout_and_its_emits_and_lines_stand() {
    let source = misbehaving("this.$emit('before'); console.log('about to spin'); for (;;);").await;
    let error = overrun(&source, &["before", "fine"]).await;
    assert_eq!(error["code"], "Timeout");
    source.log_with("about to spin").await;
}

#[tokio::test]
async fn an_invocation_that_spins_keeps_what_it_stored_before() {
    let code = "module.exports = { name: 'Spinner', version: '1', props: { db: '$.service.db' }, run(event) { \
        if (!event.fail) return this.$emit(this.db.get('a') ?? 'nothing'); \
        this.db.set('a', 'kept'); for (;;); } };";
    let source = deploy(&limited_user().await, code).await;
    overrun(&source, &["kept"]).await;
}

#[tokio::test]
async fn an_emit_after_the_timeout_is_refused() {
    let source = misbehaving("await new Promise((done) => setTimeout(done, 1300)); this.$emit('too late'); console.log('woke up');").await;
    overrun(&source, &["fine"]).await;
    source
        .log_with("$emit was called after the invocation had ended")
        .await;
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, ["fine", "fine"]);
}

#[tokio::test]
async fn a_component_that_outgrows_its_heap_is_ended_and_reported() {
    let source =
        misbehaving("const all = []; for (;;) all.push(new Array(4_000_000).fill(0));").await;
    let error = overrun(&source, &["fine"]).await;
    assert!(
        error["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("ran out of memory (limit 48 MB)")),
        "{error}"
    );
}

#[tokio::test]
async fn an_invocation_that_logs_too_much_is_ended_though_it_catches_the_error() {
    let source = misbehaving("this.$emit('before'); try { for (let n = 0; n < 1000; n++) console.log('x'.repeat(100)); } catch {} this.$emit('after');").await;
    let error = overrun(&source, &["before", "fine"]).await;
    assert_eq!(error["code"], "LogLimit");
    let stored: usize = source
        .logs()
        .await
        .iter()
        .filter_map(|line| line["msg"].as_str())
        .filter(|msg| msg.starts_with("xxx"))
        .map(str::len)
        .sum();
    assert!(
        stored <= 8 * 1024 && stored > 6 * 1024,
        "{stored} bytes were stored"
    );
}

#[tokio::test]
async fn an_event_that_is_too_large_ends_its_invocation_and_the_emits_before_it_stand() {
    let source = misbehaving(
        "this.$emit('before'); try { this.$emit('é'.repeat(4100)); } catch {} this.$emit('after');",
    )
    .await;
    let error = overrun(&source, &["before", "fine"]).await;
    assert_eq!(error["code"], "EmitTooLarge");
}

#[tokio::test]
async fn an_event_at_the_limit_is_emitted() {
    let source = deploy(
        &limited_user().await,
        &manual("this.$emit('x'.repeat(8 * 1024 - 2));"),
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await[0].as_str().map(str::len),
        Some(8 * 1024 - 2)
    );
}

#[tokio::test]
async fn an_invocation_that_emits_too_much_in_all_is_ended_and_the_emits_before_stand() {
    let source = misbehaving("for (let n = 0; n < 100; n++) this.$emit('x'.repeat(4000));").await;
    let large = "x".repeat(4000);
    let mut events = vec![large.as_str(); 16];
    events.push("fine");
    let error = overrun(&source, &events).await;
    assert!(
        error["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("emitted more than 65536 bytes")),
        "{error}"
    );
}

#[tokio::test]
async fn a_process_that_prints_past_the_console_cannot_fill_the_log() {
    let body = "const line = new TextEncoder().encode('y'.repeat(100) + '\\n'); for (let n = 0; n < 1000; n++) Deno.stderr.writeSync(line); this.$emit('done');";
    let source = deploy(&limited_user().await, &manual(body)).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["done"]);
    let page = source.api.get(&source.path("/logs")).await.expect(200);
    assert!(
        page["page_info"]["total_count"]
            .as_u64()
            .is_some_and(|count| count <= 82),
        "{}",
        page["page_info"]
    );
}

#[tokio::test]
async fn what_an_ended_invocation_left_running_cannot_fill_the_log() {
    let code = "let ticks = 0;\n".to_owned()
        + &manual(
            "if (event.leave) { setInterval(() => { ticks += 1; throw new Error('x'.repeat(500)); }, 1); return; }
             while (ticks < 100) await new Promise((done) => setTimeout(done, 5)); this.$emit('enough');",
        );
    let source = deploy(&limited_user().await, &code).await;
    source.run(json!({ "leave": true })).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["enough"]);
    let page = source.api.get(&source.path("/logs")).await.expect(200);
    let count = page["page_info"]["total_count"].as_u64();
    assert!(
        count.is_some_and(|count| (1..=20).contains(&count)),
        "{count:?} lines"
    );
}

#[tokio::test]
async fn other_invocations_survive_one_that_spins() {
    let code = super::http(
        "if (event.body === 'spin') { for (;;); } await new Promise((done) => setTimeout(done, 300)); this.$emit(event.body);",
    );
    let source = deploy(&limited_user().await, &code).await;
    for body in ["a", "b", "spin", "c"] {
        source.send(&json!(body)).await.expect(200);
    }
    let mut events = source.events(3).await;
    events.sort_by_key(ToString::to_string);
    assert_eq!(events, ["a", "b", "c"]);
    assert_eq!(source.errors(1).await[0]["error"]["code"], "Timeout");
}
