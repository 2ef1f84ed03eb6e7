//! An owner that panics is replaced: nothing that was accepted is lost.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use sluice_infra::TaskLabel;
use sluice_runtime::scripted::ScriptedOutcome;

use crate::fixture::Fixture;

#[tokio::test]
async fn a_panicked_owner_is_counted_and_replaced_and_its_work_runs() {
    let calls = AtomicUsize::new(0);
    // The script runs on the owner's task.
    let fixture = Fixture::start(move |invocation| {
        assert!(
            calls.fetch_add(1, Ordering::SeqCst) > 0,
            "the first call panics"
        );
        ScriptedOutcome::success().emit(&invocation.event)
    })
    .await;
    fixture.run(&json!(1)).await;
    assert_eq!(fixture.events(1).await, [json!(1)]);
    fixture.run(&json!(2)).await;
    assert_eq!(fixture.events(2).await, [json!(1), json!(2)]);
    let label = TaskLabel { worker: "source" };
    let panics = fixture.infra.metrics.worker_panics.get_or_create(&label);
    assert_eq!(panics.get(), 1);
}
