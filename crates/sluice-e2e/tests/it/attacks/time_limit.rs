//! Components that try to run longer than they may.

use std::time::{Duration, Instant};

use serde_json::json;
use sluice_testkit::{Api, wait_for};

use crate::{
    sandbox::{Witness, manual, tight_user},
    support::{PATIENCE, deploy, new_user, server_as_it_comes, user_of_shared},
};

/// Waits until another invocation has told it its id, says of itself that it has ended and waits for others, and computes on.
const HOLD: &str = r#"if (event.fine) return this.$emit('fine');
    if (event.id) return void (globalThis.id = event.id);
    while (!globalThis.id) await new Promise((done) => setTimeout(done, 10));
    Deno.stdout.writeSync(new TextEncoder().encode(`{"t":"held","i":"${globalThis.id}"}\n`));
    for (;;) {}"#;

#[tokio::test]
async fn a_forged_message_that_an_invocation_waits_does_not_lift_its_time_limit() {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let source = deploy(&api, &manual(HOLD)).await;
    let id = source.run(json!({})).await["id"].clone();
    source.run(json!({ "id": id })).await;
    assert_eq!(source.errors(1).await[0]["error"]["code"], "Timeout");
    source.run(json!({ "fine": true })).await;
    assert_eq!(source.events(1).await, ["fine"]);
    witness.answers(2).await;
}

#[tokio::test]
async fn a_source_that_never_gives_way_is_deleted_within_seconds() {
    let api = new_user().await;
    let code = "module.exports = { name: 'Endless', version: '1', props: { http: { type: '$.interface.http', customResponse: true } },
        async run() { await this.http.respond({ status: 200, body: 'started' }); for (;;) {} } };";
    let source = deploy(&api, code).await;
    assert_eq!(source.send(&json!({})).await.text, "started");
    let begun = Instant::now();
    api.delete(&source.path("")).await.expect(204);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
}

/// A free user of a server that counts compute time.
async fn free_user() -> Api {
    user_of_shared("compute time", || {
        server_as_it_comes().args(["--daily-compute-quota", "1h", "--max-attempts", "2"])
    })
    .await
}

async fn compute_time(api: &Api) -> u64 {
    let account = api.get("/users/me").await.ok();
    let used = account["daily_compute_time_used"].as_u64();
    used.expect("a time")
}

#[tokio::test]
async fn a_process_that_ends_itself_pays_for_its_time() {
    let api = free_user().await;
    let code = manual("const end = Date.now() + 1000; while (Date.now() < end) {} Deno.exit(1);");
    let source = deploy(&api, &code).await;
    source.run(json!({})).await;
    source.errors(1).await;
    let used = compute_time(&api).await;
    assert!(used >= 2000, "two attempts took {used} ms");
}

#[tokio::test]
async fn compute_time_is_counted_while_an_invocation_runs() {
    let api = free_user().await;
    let source = deploy(&api, &manual("await new Promise(() => {});")).await;
    source.run(json!({})).await;
    let used = wait_for(PATIENCE, "the first count", async || {
        Some(compute_time(&api).await).filter(|used| *used > 0)
    })
    .await;
    assert!(used < 25_000, "{used} ms");
    assert!(source.errors_so_far().await.is_empty());
}

#[tokio::test]
async fn code_that_computes_without_an_invocation_pays_for_it() {
    let api = free_user().await;
    let code = manual(
        "const spin = () => { const end = Date.now() + 50; while (Date.now() < end) {} setImmediate(spin); }; spin();",
    );
    let source = deploy(&api, &code).await;
    source.run(json!({})).await;
    wait_for(PATIENCE, "the time after its end", async || {
        (compute_time(&api).await > 1000).then_some(())
    })
    .await;
}
