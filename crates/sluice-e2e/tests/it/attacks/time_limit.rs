//! Components that try to run longer than they may.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    sandbox::{Witness, manual, tight_user},
    support::{deploy, new_user},
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
