//! A node that has lost its lease starts nothing.

use serde_json::json;
use sluice_runtime::scripted::ScriptedOutcome;

use crate::fixture::Fixture;

#[tokio::test]
async fn work_is_stored_without_a_lease_and_runs_with_it() {
    let fixture =
        Fixture::without_lease(|invocation| ScriptedOutcome::success().emit(&invocation.event))
            .await;
    fixture.run(&json!(1)).await;
    // The owner has read the source, and has nothing to do but to wait for the lease.
    fixture.has_owner().await;
    assert_eq!(fixture.processes.invocations().len(), 0);

    sluice_cluster::testing::renew(&fixture.infra.cluster);
    assert_eq!(fixture.events(1).await, [json!(1)]);
}
