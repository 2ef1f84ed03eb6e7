//! An owner whose emitter was claimed by another server.

use std::sync::Arc;

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json, value::to_raw_value};
use sluice_engine::Engine;
use sluice_infra::{Infra, ResultLabel};
use sluice_runtime::{
    Processes,
    scripted::{ScriptedInvocation, ScriptedOutcome, ScriptedProcesses},
};
use sluice_store::{
    BatchLimit, Conn,
    events::{self, ChannelFilter},
    inbox,
    state::{self, Claim},
};
use sluice_testkit::wait_for;

use crate::fixture::{Fixture, Keeping, PATIENCE, source_id, source_named, user_id};

/// For the test with two engines.
const SOURCES: usize = 50;
const STALE_COMMITS: u64 = 10_000;

fn fenced(infra: &Infra) -> u64 {
    let label = ResultLabel { result: "fenced" };
    infra.metrics.commits.get_or_create(&label).get()
}

async fn claim_for_another_server(fixture: &Fixture) {
    let claim = |c: &mut dyn Conn| state::claim(c, &source_id(), &"other".into(), true);
    let claimed = fixture.infra.store.write(claim).await.unwrap();
    assert!(matches!(claimed, Claim::Made(_)));
}

/// Emits how many invocations were kept before, and one more.
fn count(invocation: &ScriptedInvocation) -> ScriptedOutcome {
    let count = invocation.stored.get("count").and_then(Value::as_u64);
    let count = json!(count.unwrap_or(0) + 1);
    ScriptedOutcome::success()
        .emit(&count)
        .write("count", Some(&count))
}

#[rstest]
#[tokio::test]
async fn nothing_of_a_fenced_commit_is_kept_and_its_work_runs_again(
    #[values(Keeping::Direct, Keeping::StoreFirst)] keeping: Keeping,
) {
    let fixture = Fixture::start_with(keeping, count).await;
    fixture.run(&json!(1)).await;
    assert_eq!(fixture.events(1).await, [json!(1)]);

    for round in 1..=5_usize {
        claim_for_another_server(&fixture).await;
        // A client whose request waits for the fenced commit is told that it failed.
        let kept = fixture.try_run(&json!(2)).await.is_ok();
        wait_for(PATIENCE, "a fenced commit", async || {
            (fenced(&fixture.infra) == round as u64).then_some(())
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

/// Two engines take turns. Each time the owner of the one that acts lost its claim in the round before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_ten_thousand_stale_commits_none_is_kept() {
    let names = (0..SOURCES).map(|number| &*format!("s{number}").leak());
    let processes = ScriptedProcesses::new(count);
    let fixture = Fixture::with_sources(
        names.clone().map(|name| (name, None)).collect(),
        |settings| {
            settings.direct_from = None;
            settings.max_processes = 4 * SOURCES;
            settings.max_processes_per_account = 4 * SOURCES;
        },
        processes.clone(),
    )
    .await;
    let processes: Arc<dyn Processes> = Arc::new(processes);
    let second = Engine::start(&fixture.infra, &processes).await.unwrap();
    let engines = [&fixture.engine, &second];
    let sources = names.clone();
    let alternating = sources.map(|name| alternate(&fixture.infra, engines, name));
    let rounds = join_all(alternating).await;

    for (name, rounds) in names.zip(rounds) {
        let expected: Vec<u64> = (1..=rounds).collect();
        assert_eq!(counts(&fixture.infra, name).await, expected);
    }
    let waiting = fixture.infra.store.read(inbox::emitters_with_work).await;
    assert_eq!(waiting.unwrap(), []);
}

/// Runs a source once in each round, with one engine after the other, until there were enough stale commits. Returns the
/// number of rounds.
async fn alternate(infra: &Infra, engines: [&Engine; 2], name: &str) -> u64 {
    let source = source_named(name);
    let mut round = 0;
    for engine in engines.iter().cycle() {
        if fenced(infra) >= STALE_COMMITS {
            break;
        }
        round += 1;
        let event = to_raw_value(&json!(round)).unwrap();
        engine
            .accept
            .run(&user_id(), &source, event, None, |_| None)
            .await
            .unwrap();
        wait_for(PATIENCE, "the event of the round", async || {
            let id = source.clone();
            let count = move |c: &mut dyn Conn| events::count(c, &id, &ChannelFilter::AllButSystem);
            let stored = infra.store.read(count).await.unwrap();
            if stored < round {
                // Its owner may have been fenced. Then the row waits in the store.
                engine.owners.wake(&source);
            }
            (stored >= round).then_some(())
        })
        .await;
    }
    round
}

/// The data of all events of a source, in order.
async fn counts(infra: &Infra, name: &str) -> Vec<u64> {
    let source = source_named(name);
    let page = BatchLimit {
        rows: 1_000,
        bytes: u64::MAX,
    };
    let read = infra.store.read(move |c| {
        let all = ChannelFilter::AllButSystem;
        events::after(c, &source, &all, None, page)
    });
    let events = read.await.unwrap();
    let data = |event: &events::StoredEvent| serde_json::from_str(&event.data).unwrap();
    events.iter().map(data).collect()
}
