//! The size of `$.service.db`: a `set` beyond it throws and changes nothing, a deletion always works.

use serde_json::json;
use sluice_testkit::{Method, wait_for};

use super::{cramped_user, with_props};
use crate::support::{PATIENCE, deploy};

#[tokio::test]
async fn a_set_beyond_the_size_throws_and_changes_nothing_and_a_deletion_makes_room() {
    let code = with_props(
        "db: '$.service.db'",
        "const { db } = this; let message; const big = 'x'.repeat(1500);
         if (event.again) return this.$emit([db.get('a') === big, db.get('b') ?? null, db.get('c') === big]);
         db.set('a', big); db.set('b', 'small'); try { db.set('b', 'y'.repeat(600)); } catch (error) { message = `${error.name}: ${error.message}`; }
         const kept = db.get('b'); db.set('b', 'tiny'); db.set('a', undefined); db.set('c', big); this.$emit([message, kept]);",
    );
    let source = deploy(&cramped_user().await, &code).await;
    source.run(json!({})).await;
    let message =
        "RangeError: db.set(\"b\") would make the store larger than 2048 bytes: nothing was stored";
    assert_eq!(source.events(1).await, [json!([message, "small"])]);
    // A new process knows the size of what it was given.
    wait_for(PATIENCE, "no process", async || {
        let metrics = source.api.root(Method::GET, "/metrics").send().await.text;
        metrics.contains("sluice_processes 0\n").then_some(())
    })
    .await;
    source.run(json!({ "again": true })).await;
    assert_eq!(source.events(2).await[1], json!([false, "tiny", true]));
}

#[tokio::test]
async fn the_size_holds_for_all_invocations_together_and_in_bytes() {
    let code = with_props(
        "db: '$.service.db'",
        "const { db } = this; let full = null; for (let n = 0; n < 9 && full === null; n++) { try { db.set(`${event.n}-${n}`, 'é'.repeat(150)); } catch { full = n; } } this.$emit(full);",
    );
    let source = deploy(&cramped_user().await, &code).await;
    source.run(json!({ "n": 1 })).await;
    assert_eq!(source.events(1).await, [json!(6)]);
    source.run(json!({ "n": 2 })).await;
    assert_eq!(source.events(2).await[1], json!(0));
}
