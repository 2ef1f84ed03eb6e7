//! A process that exits: its unfinished invocations run again, three tries in all.

use rstest::rstest;
use serde_json::json;

use super::{component, manual};
use crate::support::{deploy, new_user};

#[rstest]
#[tokio::test]
async fn process_exit_is_tried_three_times_and_then_counts_as_thrown(
    #[values("process.exit(7)", "Deno.exit(7)")] exit: &str,
) {
    let code = manual(&format!(
        "if (!event.fail) return this.$emit('fine'); this.$emit('lost'); console.log('trying'); await null; {exit};"
    ));
    let source = deploy(&new_user().await, &code).await;
    let invocation = source.run(json!({ "fail": true })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "ProcessDied");
    let message = error["error"]["msg"].as_str().expect("a message");
    assert!(
        message.contains("it exited with code 7 (attempt 3 of 3)"),
        "{message}"
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, ["fine"]);
    let logs = source.logs().await;
    let tries = logs.iter().filter(|line| line["msg"] == "trying").count();
    assert_eq!(tries, 3, "{logs:#?}");
    assert!(
        logs.iter()
            .all(|line| line["invocation_id"] == invocation["id"]),
        "{logs:#?}"
    );
}

#[tokio::test]
async fn an_invocation_that_dies_leaves_nothing_behind_and_runs_again() {
    let code = component(
        "props: { db: '$.service.db' },
         async run(event) { const n = this.db.get('n') ?? 0; this.db.set('n', n + 1); this.$emit(n); await null; if (event.die) process.exit(1); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({ "die": true })).await;
    source.errors(1).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [0]);
}

#[tokio::test]
async fn invocations_that_shared_a_process_with_one_that_exits_are_not_lost() {
    let code = super::http(
        "if (event.body === 'exit') { await null; process.exit(1); } await new Promise((done) => setTimeout(done, 50)); this.$emit(event.body);",
    );
    let source = deploy(&new_user().await, &code).await;
    for body in ["a", "b", "exit", "c", "d"] {
        source.send(&json!(body)).await.expect(200);
    }
    let mut events = source.events(4).await;
    events.sort_by_key(ToString::to_string);
    assert_eq!(events, ["a", "b", "c", "d"]);
    assert_eq!(source.errors(1).await.len(), 1);
}
