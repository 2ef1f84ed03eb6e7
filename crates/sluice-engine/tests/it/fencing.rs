//! An owner whose emitter was claimed by another server.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_infra::ResultLabel;
use sluice_runtime::scripted::ScriptedOutcome;
use sluice_store::{
    Conn,
    state::{self, Claim},
};
use sluice_testkit::wait_for;

use crate::fixture::{Fixture, Keeping, PATIENCE, source_id};

fn fenced(fixture: &Fixture) -> u64 {
    let label = ResultLabel { result: "fenced" };
    fixture.infra.metrics.commits.get_or_create(&label).get()
}

async fn claim_for_another_server(fixture: &Fixture) {
    let claim = |c: &mut dyn Conn| state::claim(c, &source_id(), &"other".into(), true);
    let claimed = fixture.infra.store.write(claim).await.unwrap();
    assert!(matches!(claimed, Claim::Made(_)));
}

#[rstest]
#[tokio::test]
async fn nothing_of_a_fenced_commit_is_kept_and_its_work_runs_again(
    #[values(Keeping::Direct, Keeping::StoreFirst)] keeping: Keeping,
) {
    let fixture = Fixture::start_with(keeping, |invocation| {
        let count = invocation.stored.get("count").and_then(Value::as_u64);
        let count = json!(count.unwrap_or(0) + 1);
        ScriptedOutcome::success()
            .emit(&count)
            .write("count", Some(&count))
    })
    .await;
    fixture.run(&json!(1)).await;
    assert_eq!(fixture.events(1).await, [json!(1)]);

    for round in 1..=5_usize {
        claim_for_another_server(&fixture).await;
        // A client whose request waits for the fenced commit is told that it failed.
        let kept = fixture.try_run(&json!(2)).await.is_ok();
        wait_for(PATIENCE, "a fenced commit", async || {
            (fenced(&fixture) == round as u64).then_some(())
        })
        .await;
        let expected: Vec<Value> = (1..=round).map(|count| json!(count)).collect();
        assert_eq!(fixture.committed_events().await, expected);

        // The next owner claims the source and continues with the state that was kept.
        let again = if kept {
            fixture.engine.owners.wake(&source_id());
            Ok(())
        } else {
            fixture.try_run(&json!(2)).await
        };
        assert!(again.is_ok(), "{again:?}");
        let events = fixture.events(round + 1).await;
        assert_eq!(events.last(), Some(&json!(round + 1)));
    }
}
