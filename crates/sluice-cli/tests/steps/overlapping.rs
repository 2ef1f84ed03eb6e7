//! Steps of several runs at once.

use std::time::Duration;

use serde_json::json;

use crate::support::{PATIENCE, input, module, start};

#[tokio::test]
async fn what_overlapping_steps_do_is_kept_apart() {
    let code = "async (event) => { this.mine = event; await new Promise((done) => setTimeout(done, event)); $send.emit(event); console.log(`at ${event}`); return event }";
    let steps = start(vec![module("test", code)]).await;
    let waits = [60, 30, 1, 45];
    let ids = waits.map(|ms| steps.begin(&input("test", &json!(ms)), PATIENCE));
    for (ms, id) in waits.into_iter().zip(ids) {
        let ran = steps.ended(id).await;
        assert_eq!(ran.ok(), json!({ "mine": ms, "$return_value": ms }));
        assert_eq!(
            ran.sends(),
            [("emit", json!({ "raw_event": ms, "channel": "" }))]
        );
        assert_eq!(ran.logs(), [format!("at {ms}")]);
    }
}

#[tokio::test]
async fn each_step_is_held_to_its_own_time() {
    let code = "async (event) => { this.x = 1; await new Promise((done) => setTimeout(done, event)); return 'done' }";
    let steps = start(vec![module("test", code)]).await;
    let patient = steps.begin(&input("test", &json!(1_000)), PATIENCE);
    let hasty = steps.begin(&input("test", &json!(60_000)), Duration::from_millis(100));
    let ran = steps.ended(hasty).await;
    assert_eq!(ran.failure().name, "Timeout");
    assert_eq!(ran.exports(), json!({ "x": 1 }));
    assert_eq!(steps.ended(patient).await.returned(), "done");
}
