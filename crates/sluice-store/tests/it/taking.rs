//! Due work that several nodes want at the same time.

use std::sync::mpsc;

use rstest::rstest;
use sluice_model::{
    DeploymentId, EmitterId, EventId, TimerSpec,
    workflow::{Pause, PauseKind, RunOrigin},
};
use sluice_store::{
    Conn, Result,
    held_events::{self, HeldEvent},
    runs::{self, Run, RunState},
    state, timers,
};

use crate::support::{Db, TestStore, invocation_ids, source_id, workflow_id};

/// How much work of each kind there is, and when the first of it is due.
const ROWS: usize = 3;
const FIRST: i64 = 10;

fn emitters() -> Vec<EmitterId> {
    let ids = (0..ROWS).map(|number| source_id(&format!("s{number}")));
    ids.map(EmitterId::from).collect()
}

/// One piece of work of each kind is due each millisecond.
fn store_due(c: &mut dyn Conn) -> Result<()> {
    let work = emitters().into_iter().zip(invocation_ids(ROWS));
    for (due_at, (emitter, run)) in (FIRST..).zip(work) {
        state::insert(c, &emitter)?;
        timers::upsert(c, &emitter, "t", &TimerSpec::HOURLY, Some(due_at))?;
        let held = HeldEvent {
            emitter_id: emitter,
            id: EventId { ms: 1, seq: 1 },
            due_at,
            depth: 0,
        };
        held_events::insert(c, &held)?;
        let run = Run {
            id: run,
            workflow_id: workflow_id("a"),
            deployment_id: DeploymentId::parse("d_a").unwrap(),
            state: RunState::Waiting,
            origin: RunOrigin {
                source_type: "manual".to_owned(),
                emitter_id: None,
                event_id: None,
                replay_of: None,
                key_id: None,
            },
            depth: 0,
            accepted_at: 1,
            started_at: 1,
            finished_at: None,
            due_at: Some(due_at),
            pause: Some(Pause {
                kind: PauseKind::Suspend,
                position: 0,
                context: None,
            }),
            pause_key: Some(format!("key-{due_at}")),
            error: None,
            exit_reason: None,
            event: "{}".to_owned(),
            trace: None,
        };
        runs::begin(c, &run)?;
    }
    Ok(())
}

/// The due times of what is taken of each kind.
fn take(c: &mut dyn Conn, now: i64) -> Result<[Vec<i64>; 3]> {
    let ticks = timers::take_due(c, &emitters(), now)?;
    let held = held_events::take_due(c, now, 9)?;
    let waiting = runs::take_due(c, now, 9)?;
    Ok([
        ticks.iter().map(|timer| timer.due_at).collect(),
        held.iter().map(|held| held.due_at).collect(),
        waiting.iter().filter_map(|run| run.due_at).collect(),
    ])
}

/// The same due times for each kind.
fn each(due: &[i64]) -> [Vec<i64>; 3] {
    [(); 3].map(|()| due.to_vec())
}

#[rstest]
fn due_work_is_taken_once_and_in_order(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        store_due(c)?;
        let others = [source_id("s2").into()];
        assert_eq!(timers::take_due(c, &others, FIRST + 1)?, []);
        assert_eq!(take(c, FIRST + 1)?, each(&[FIRST, FIRST + 1]));
        assert_eq!(take(c, FIRST + 2)?, each(&[FIRST + 2]));
        assert_eq!(take(c, i64::MAX)?, each(&[]));
        Ok(())
    })
    .unwrap();
}

#[test]
fn work_that_another_node_is_taking_is_passed_over() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    t.write(store_due).unwrap();
    let (taken, is_taken) = mpsc::channel();
    let (release, is_released) = mpsc::channel::<()>();
    let store = t.store.clone();
    t.runtime.block_on(async {
        let first = tokio::spawn(async move {
            let take_first = move |c: &mut dyn Conn| {
                assert!(state::try_lock(c, &emitters()[0])?);
                taken.send(take(c, FIRST)?).unwrap();
                is_released.recv().unwrap();
                Ok(())
            };
            store.write(take_first).await
        });
        let is_taken = tokio::task::spawn_blocking(move || is_taken.recv().unwrap());
        assert_eq!(is_taken.await.unwrap(), each(&[FIRST]));
        // The thread for writes is busy.
        let take_rest = t.store.commit(|c| {
            let mut free = Vec::new();
            for emitter in emitters() {
                free.push(state::try_lock(c, &emitter)?);
            }
            Ok((free, take(c, FIRST + 1)?))
        });
        // One that waits for a lock fails after some seconds.
        let (free, rest) = take_rest.await.unwrap();
        assert_eq!(free, [false, true, true]);
        assert_eq!(rest, each(&[FIRST + 1]));
        release.send(()).unwrap();
        first.await.unwrap().unwrap();
    });
}
