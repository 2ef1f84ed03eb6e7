//! Lines belong to the invocation that wrote them, also when invocations overlap.

use serde_json::json;

use super::{http, manual};
use crate::support::{deploy, new_user};

#[tokio::test]
async fn lines_of_overlapping_invocations_are_attributed_to_their_own() {
    // Every invocation waits until all have begun, and then they take turns.
    let code = "let begun = 0; let all; const started = new Promise((resolve) => { all = resolve; });\n".to_owned()
        + &http(
            "const { n } = event.body; if (++begun === 5) all(); await started;
             for (let turn = 0; turn < 4; turn++) {
                 console.log(`console ${n}`); process.stdout.write(`stdout ${n}\\n`);
                 await new Promise((done) => setTimeout(() => { console.log(`timer ${n}`); done(); }, 3));
                 await new Promise((done) => require('fs').stat('.', () => { console.log(`callback ${n}`); done(); }));
                 queueMicrotask(() => console.log(`microtask ${n}`)); await null;
             } this.$emit(n);",
        );
    let source = deploy(&new_user().await, &code).await;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(source.send(&json!({ "n": n })).await.expect(200)["id"].clone());
    }
    source.events(5).await;
    let logs = source.logs().await;
    assert_eq!(logs.len(), 100);
    for line in &logs {
        let n: usize = line["msg"]
            .as_str()
            .and_then(|msg| msg.rsplit(' ').next()?.parse().ok())
            .expect("a number");
        assert_eq!(line["invocation_id"], ids[n], "{line}");
    }
}

#[tokio::test]
async fn errors_of_overlapping_invocations_end_their_own() {
    let code = "let begun = 0; let all; const started = new Promise((resolve) => { all = resolve; });\n".to_owned()
        + &http(
            "const { n, how } = event.body; if (++begun === 4) all(); await started;
             if (how === 'timer') { setTimeout(() => { throw new Error(`timer ${n}`); }, 1); await new Promise(() => {}); }
             if (how === 'rejection') { Promise.reject(new Error(`rejection ${n}`)); await new Promise(() => {}); }
             if (how === 'interval') { setInterval(() => { throw new Error(`interval ${n}`); }, 1); await new Promise(() => {}); }
             await new Promise((done) => setTimeout(done, 30)); this.$emit(n);",
        );
    let source = deploy(&new_user().await, &code).await;
    let mut ids = Vec::new();
    for (n, how) in ["timer", "rejection", "interval", "none"]
        .iter()
        .enumerate()
    {
        ids.push(
            source
                .send(&json!({ "n": n, "how": how }))
                .await
                .expect(200)["id"]
                .clone(),
        );
    }
    assert_eq!(source.events(1).await, [3]);
    let errors = source.errors(3).await;
    assert_eq!(errors.len(), 3);
    for error in errors {
        let n: usize = error["error"]["msg"]
            .as_str()
            .and_then(|msg| msg.rsplit(' ').next()?.parse().ok())
            .expect("a number");
        assert_eq!(error["original_context"]["id"], ids[n], "{error}");
        assert_eq!(error["original_event"]["body"]["n"], n);
    }
}

#[tokio::test]
async fn a_line_written_after_its_invocation_ended_is_still_its_own() {
    let code = "let release; const released = new Promise((resolve) => { release = resolve; });\n"
        .to_owned()
        + &manual(
            "if (event.n === 1) { released.then(() => console.log('late')); return this.$emit(1); } release(); await new Promise((done) => setTimeout(done, 20));",
        );
    let source = deploy(&new_user().await, &code).await;
    let first = source.run(json!({ "n": 1 })).await;
    source.events(1).await;
    source.run(json!({ "n": 2 })).await;
    assert_eq!(source.log_with("late").await["invocation_id"], first["id"]);
}
