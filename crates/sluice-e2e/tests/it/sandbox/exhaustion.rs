//! Using up memory, disk or threads ends the invocation that does it, and nobody else notices.

use rstest::rstest;
use serde_json::json;

use super::{Witness, manual, tight_user, tight_user_with_time};
use crate::support::deploy;

#[rstest]
#[case::one_large_file(
    "const block = Buffer.alloc(1 << 20, 1); for (;;) { fs.appendFileSync(`${tmp}/large`, block); await pause(2); }",
    "DiskLimit",
    "temporary files grew beyond 8 MB"
)]
#[case::a_file_without_a_name(
    "const file = fs.openSync(`${tmp}/gone`, 'w'); fs.unlinkSync(`${tmp}/gone`); const block = Buffer.alloc(1 << 20, 1); for (;;) { fs.writeSync(file, block); await pause(2); }",
    "DiskLimit",
    "temporary files grew beyond 8 MB"
)]
#[case::many_small_files(
    "for (let n = 0; ; n++) { fs.writeFileSync(`${tmp}/${n}`, 'x'); if (n % 500 === 0) await pause(0); }",
    "DiskLimit",
    "temporary files"
)]
#[case::buffers(
    "const all = []; for (;;) { all.push(Buffer.alloc(4 << 20, 1)); await pause(5); }",
    "OutOfMemory",
    "more than 160 MB of memory"
)]
#[case::buffers_without_giving_way(
    "const all = []; for (;;) { try { all.push(Buffer.alloc(4 << 20, 1)); } catch {} }",
    "OutOfMemory",
    "more than 160 MB of memory"
)]
#[case::wasm_memory(
    "const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); for (;;) { try { memory.grow(64); } catch {} new Uint8Array(memory.buffer).fill(1); await pause(5); }",
    "OutOfMemory",
    "more than 160 MB of memory"
)]
#[tokio::test]
async fn using_too_much_ends_the_invocation(
    #[case] body: &str,
    #[case] name: &str,
    #[case] message: &str,
) {
    let api = tight_user_with_time().await;
    let witness = Witness::deploy(&api).await;
    let code = manual(&format!(
        "if (!event.fail) return this.$emit('fine'); const fs = require('fs'); const tmp = process.env.TMPDIR; const pause = (ms) => new Promise((done) => setTimeout(done, ms)); {body}"
    ));
    let source = deploy(&api, &code).await;
    source.run(json!({ "fail": true })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], name, "{error}");
    let said = error["error"]["msg"].as_str().expect("a message");
    assert!(said.contains(message), "{said}");
    source.log_with(message).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["fine"]);
    witness.answers(2).await;
}

#[tokio::test]
async fn workers_without_end_are_ended() {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let code = manual(
        "if (!event.fail) return this.$emit('fine'); for (;;) { new Worker('data:text/javascript,setInterval(() => {}, 1000)', { type: 'module' }); await new Promise((done) => setTimeout(done, 1)); }",
    );
    let source = deploy(&api, &code).await;
    source.run(json!({ "fail": true })).await;
    let error = source.errors(1).await.remove(0);
    let code = error["error"]["code"].as_str().unwrap_or_default();
    assert!(
        ["OutOfMemory", "ThreadLimit", "ProcessDied"].contains(&code),
        "{error}"
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["fine"]);
    witness.answers(2).await;
}

#[tokio::test]
async fn code_that_uses_too_much_while_it_loads_is_refused_with_the_reason() {
    let api = tight_user().await;
    let code = "const all = []; for (;;) { try { all.push(Buffer.alloc(4 << 20, 1)); } catch {} }";
    let body = json!({ "component_code": code });
    let answer = api.post("/components", &body).await.expect(422);
    let said = answer["details"]["component_code"][0]
        .as_str()
        .expect("a fault");
    assert!(said.contains("more than 160 MB of memory"), "{said}");
}
