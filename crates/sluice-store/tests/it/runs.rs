//! Runs of workflows: pages of them, ranges of them, and forgetting them.

use rstest::rstest;
use sluice_model::{
    DeploymentId, EmitId, IdGen, InvocationId,
    workflow::{Pause, PauseKind, RunOrigin, WorkflowDefinition, WorkflowSettings},
};
use sluice_store::{
    BatchLimit, Result,
    deployments::{self, Deployment},
    run_history::{self, Content, ListedStep, Selection},
    run_pruning::{self, RunKey},
    run_steps::{self, StepRecord, StepState},
    runs::{self, Run, RunState, WaitingRun},
    sends::{self, SendKind, SendRow, SendState, SendStep},
    traces, workflows,
};

use crate::support::{Db, TestStore, invocation_ids, user_id, workflow, workflow_id};

fn run(workflow: &str, id: InvocationId, state: RunState) -> Run {
    Run {
        id,
        workflow_id: workflow_id(workflow),
        deployment_id: DeploymentId::parse("d_a").unwrap(),
        state,
        origin: RunOrigin {
            source_type: "manual".to_owned(),
            emitter_id: None,
            event_id: None,
            replay_of: None,
            key_id: None,
        },
        depth: 0,
        accepted_at: 1,
        started_at: 10,
        finished_at: state.is_over().then_some(20),
        due_at: None,
        pause: None,
        pause_key: None,
        error: None,
        exit_reason: None,
        event: "{}".to_owned(),
        trace: None,
    }
}

/// A store with runs of `p_a` in these states, and one of `p_b`; their ids grow.
fn store_with(db: Db, states: &[RunState]) -> Option<(TestStore, Vec<InvocationId>)> {
    let t = TestStore::new(db)?;
    let ids = invocation_ids(states.len() + 1);
    let mut rows: Vec<Run> = ids
        .iter()
        .zip(states)
        .map(|(id, state)| run("a", *id, *state))
        .collect();
    rows.push(run("b", ids[states.len()], RunState::Succeeded));
    t.write(move |c| rows.iter().try_for_each(|row| runs::begin(c, row)))
        .unwrap();
    Some((t, ids))
}

fn page(
    t: &TestStore,
    state: Option<RunState>,
    limit: u32,
    after: Option<InvocationId>,
    before: Option<InvocationId>,
) -> Vec<InvocationId> {
    let selection = Selection {
        state,
        after,
        before,
        limit: BatchLimit {
            rows: limit,
            bytes: 1_000,
        },
        content: Content::Whole,
    };
    let read = t.read(move |c| run_history::page(c, &workflow_id("a"), &selection));
    read.unwrap()
        .into_iter()
        .map(|listed| listed.run.id)
        .collect()
}

fn ids_of(t: &TestStore, workflow: &'static str) -> Vec<InvocationId> {
    let all = (None, None);
    let read = t.read(move |c| run_history::outlines(c, &workflow_id(workflow), all, None, 100));
    let outlines = read.unwrap().into_iter();
    outlines.map(|outline| outline.id).collect()
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn pages_are_newest_first_and_before_asks_for_the_nearest(#[case] db: Db) {
    use RunState::{Failed, Succeeded};
    let states = [Succeeded, Failed, Succeeded, Failed, Succeeded];
    let Some((t, ids)) = store_with(db, &states) else {
        return;
    };
    assert_eq!(page(&t, None, 2, None, None), [ids[4], ids[3]]);
    assert_eq!(page(&t, None, 2, Some(ids[3]), None), [ids[2], ids[1]]);
    assert_eq!(page(&t, None, 2, None, Some(ids[1])), [ids[3], ids[2]]);
    assert_eq!(page(&t, Some(Failed), 9, None, None), [ids[3], ids[1]]);
    assert_eq!(page(&t, Some(Failed), 9, Some(ids[3]), None), [ids[1]]);
    let count = |state| t.read(move |c| run_history::count(c, &workflow_id("a"), state));
    assert_eq!((count(None).unwrap(), count(Some(Failed)).unwrap()), (5, 2));
}

fn step_of(exports: &str, logs: &str) -> StepRecord {
    StepRecord {
        position: 0,
        attempt: 1,
        name: "one".to_owned(),
        state: StepState::Completed,
        started_at: 1,
        duration_ms: 1,
        error: None,
        logs: logs.to_owned(),
        exports: exports.to_owned(),
        inputs: Some("{}".to_owned()),
        pause: None,
    }
}

/// A store with three runs of `p_a`: each has an event of 2 MiB and a step with 1 MiB of exports and 1 MiB of logs.
fn store_with_large_runs(db: Db) -> Option<(TestStore, Vec<InvocationId>)> {
    let t = TestStore::new(db)?;
    let ids = invocation_ids(3);
    let runs = ids.clone();
    t.write(move |c| {
        let text = "é".repeat(MIB / 2);
        for id in runs {
            let row = Run {
                event: text.repeat(2),
                ..run("a", id, RunState::Succeeded)
            };
            runs::begin(c, &row)?;
            run_steps::insert(c, &workflow_id("a"), &id, &step_of(&text, &text))?;
        }
        Ok(())
    })
    .unwrap();
    Some((t, ids))
}

const MIB: usize = 1024 * 1024;

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn a_page_of_whole_runs_is_bounded_in_bytes(#[case] db: Db) {
    let Some((t, ids)) = store_with_large_runs(db) else {
        return;
    };
    let page = |mib: usize, before| {
        let selection = Selection {
            state: None,
            after: None,
            before,
            limit: BatchLimit {
                rows: 9,
                bytes: (mib * MIB) as u64,
            },
            content: Content::Whole,
        };
        let read = t.read(move |c| run_history::page(c, &workflow_id("a"), &selection));
        let listed = read.unwrap().into_iter();
        let whole = listed.inspect(|listed| assert_eq!(listed.run.event.len(), 2 * MIB));
        whole.map(|listed| listed.run.id).collect::<Vec<_>>()
    };
    assert_eq!(page(13, None), [ids[2], ids[1], ids[0]]);
    assert_eq!(page(12, None), [ids[2], ids[1]]);
    assert_eq!(page(1, None), [ids[2]], "one is always read");
    assert_eq!(page(4, Some(ids[0])), [ids[1]], "the nearest comes first");
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn a_list_can_read_the_beginning_of_large_texts(#[case] db: Db) {
    let Some((t, ids)) = store_with_large_runs(db) else {
        return;
    };
    let selection = Selection {
        state: None,
        after: None,
        before: None,
        limit: BatchLimit { rows: 9, bytes: 0 },
        content: Content::Start(10),
    };
    let read = t.read(move |c| run_history::page(c, &workflow_id("a"), &selection));
    let listed = read.unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[0].run.event, "é".repeat(10));
    assert_eq!(listed[0].event_bytes, 2 * MIB as u64);
    let steps = |content| {
        let id = ids[0];
        t.read(move |c| run_history::steps(c, &workflow_id("a"), &id, content))
            .unwrap()
    };
    let start = "é".repeat(10);
    let expected = ListedStep {
        record: step_of(&start, &start),
        exports_bytes: MIB as u64,
        logs_bytes: MIB as u64,
        inputs_bytes: 2,
    };
    assert_eq!(steps(Content::Start(10)), [expected]);
    assert_eq!(steps(Content::Whole)[0].record.logs.len(), MIB);
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn a_run_that_waits_is_found_by_its_time_and_its_key(#[case] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = invocation_ids(2);
        let pauses = [
            (PauseKind::Suspend, None, 7),
            (PauseKind::Rerun, Some(serde_json::json!("x".repeat(99))), 5),
        ];
        for (id, (kind, context, due_at)) in ids.iter().zip(pauses) {
            let row = Run {
                due_at: Some(due_at),
                pause_key: Some(format!("key-{due_at}")),
                pause: Some(Pause {
                    kind,
                    position: 0,
                    context,
                }),
                depth: 2,
                ..run("a", *id, RunState::Waiting)
            };
            runs::begin(c, &row)?;
        }
        let waiting = |id, kind, due_at: i64| WaitingRun {
            workflow_id: workflow_id("a"),
            id,
            depth: 2,
            due_at: Some(due_at),
            pause: Some(kind),
            pause_key: Some(format!("key-{due_at}")),
        };
        let (suspended, again) = (
            waiting(ids[0], PauseKind::Suspend, 7),
            waiting(ids[1], PauseKind::Rerun, 5),
        );
        assert_eq!(runs::due(c, 4, 9)?, []);
        assert_eq!(runs::due(c, 7, 9)?, [again, suspended.clone()]);
        assert_eq!(runs::next_due(c)?, Some(5));
        assert_eq!(runs::by_pause_key(c, "key-7")?.as_ref(), Some(&suspended));
        assert!(runs::claim(
            c,
            &suspended.workflow_id,
            &suspended.id,
            "key-7"
        )?);
        assert_eq!(runs::by_pause_key(c, "key-7")?, None);
        runs::cancel(c, &suspended, Some("late"), 8)?;
        let cancelled = runs::get(c, &workflow_id("a"), &ids[0])?.unwrap();
        let expected = Run {
            finished_at: Some(8),
            exit_reason: Some("late".to_owned()),
            depth: 2,
            ..run("a", ids[0], RunState::Cancelled)
        };
        assert_eq!(cancelled, expected);
        assert_eq!(
            runs::state(c, &workflow_id("a"), &ids[0])?,
            Some(RunState::Cancelled)
        );
        Ok(())
    })
    .unwrap();
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn outlines_of_a_range_include_both_ends(#[case] db: Db) {
    let Some((t, ids)) = store_with(db, &[RunState::Failed; 5]) else {
        return;
    };
    let outlines = |start, end, after, limit| {
        let read = t
            .read(move |c| run_history::outlines(c, &workflow_id("a"), (start, end), after, limit));
        let outlines = read.unwrap().into_iter();
        outlines.map(|outline| outline.id).collect::<Vec<_>>()
    };
    assert_eq!(
        outlines(Some(ids[1]), Some(ids[3]), None, 9),
        [ids[3], ids[2], ids[1]]
    );
    assert_eq!(outlines(None, None, Some(ids[3]), 2), [ids[2], ids[1]]);
    assert_eq!(outlines(None, Some(ids[0]), None, 9), [ids[0]]);
    assert_eq!(outlines(None, None, Some(ids[0]), 9), []);
}

fn send(run: InvocationId, due_at: Option<i64>) -> SendRow {
    SendRow {
        id: EmitId::generate(&mut IdGen::new(3), 1),
        step: Some(SendStep {
            workflow_id: workflow_id("a"),
            run_id: run,
            name: "one".to_owned(),
        }),
        user_id: user_id("u"),
        kind: SendKind::Http,
        state: SendState::Pending,
        due_at,
        tries: 0,
        result: None,
        created_at: 1,
        updated_at: 1,
        payload: "{}".to_owned(),
        trace: None,
    }
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn runs_beyond_the_newest_go_unless_they_are_not_over(#[case] db: Db) {
    use RunState::{Failed, Queued, Succeeded, Waiting};
    let states = [
        Succeeded, Waiting, Failed, Queued, Succeeded, Succeeded, Succeeded,
    ];
    let Some((t, ids)) = store_with(db, &states) else {
        return;
    };
    let unsent = ids[2];
    t.write(move |c| sends::insert(c, &send(unsent, Some(5))))
        .unwrap();
    let beyond = |keep, limit| {
        let found = t.read(move |c| run_pruning::beyond(c, &workflow_id("a"), keep, limit));
        let found = found.unwrap().into_iter();
        found.map(|key| key.run).collect::<Vec<_>>()
    };
    assert_eq!(beyond(2, 9), [ids[0], ids[4]], "{ids:?}");
    assert_eq!(beyond(2, 1), [ids[0]]);
    assert_eq!(beyond(7, 9), []);
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn a_run_that_is_forgotten_takes_its_steps_and_sends_with_it(#[case] db: Db) {
    let Some((t, ids)) = store_with(db, &[RunState::Succeeded; 2]) else {
        return;
    };
    let gone = ids[0];
    let step = StepRecord {
        pause: Some(PauseKind::Delay),
        ..step_of("{}", "[]")
    };
    t.write(move |c| {
        run_steps::insert(c, &workflow_id("a"), &gone, &step)?;
        assert_eq!(run_steps::of_run(c, &workflow_id("a"), &gone)?, [step]);
        sends::insert(c, &send(gone, None))?;
        let key = RunKey {
            workflow: workflow_id("a"),
            run: gone,
        };
        run_pruning::remove(c, vec![key])
    })
    .unwrap();
    assert_eq!(ids_of(&t, "a"), [ids[1]]);
    assert_eq!(ids_of(&t, "b"), [ids[2]]);
    let left = t.read(move |c| {
        let steps = run_steps::of_run(c, &workflow_id("a"), &gone)?.len();
        Ok(steps + sends::of_run(c, &workflow_id("a"), &gone)?.len())
    });
    assert_eq!(left.unwrap(), 0);
}

fn definition() -> WorkflowDefinition {
    WorkflowDefinition {
        name: "W".to_owned(),
        description: None,
        env: std::collections::BTreeMap::new(),
        triggers: Vec::new(),
        steps: Vec::new(),
        settings: WorkflowSettings::default(),
    }
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn everybodys_old_runs_are_found_by_when_they_ended(#[case] db: Db) {
    let Some((t, ids)) = store_with(db, &[RunState::Succeeded, RunState::Waiting]) else {
        return;
    };
    t.write(|c| {
        ["a", "b"]
            .iter()
            .try_for_each(|tail| workflows::insert(c, &workflow(tail, &user_id("u"), 1)))
    })
    .unwrap();
    let older = |before| {
        let found = t.read(move |c| run_pruning::older_than(c, before, 9));
        let mut found: Vec<_> = found.unwrap().into_iter().map(|key| key.run).collect();
        found.sort();
        found
    };
    assert_eq!(older(20), []);
    assert_eq!(older(21), [ids[0], ids[2]]);
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn versions_are_newest_first_and_slugs_are_known(#[case] db: Db) -> Result<()> {
    let Some(t) = TestStore::new(db) else {
        return Ok(());
    };
    t.write(|c| {
        workflows::insert(c, &workflow("a", &user_id("u"), 1))?;
        for number in 1..=3 {
            let deployment = Deployment {
                id: DeploymentId::parse(&format!("d_{number}")).unwrap(),
                workflow_id: workflow_id("a"),
                number,
                definition: definition(),
                document: "name: W".to_owned(),
                files: std::collections::BTreeMap::new(),
                created_at: 1,
            };
            deployments::insert(c, &deployment)?;
        }
        Ok(())
    })?;
    let versions = t.read(|c| deployments::versions(c, &workflow_id("a")))?;
    let numbers: Vec<_> = versions.iter().map(|version| version.number).collect();
    assert_eq!(numbers, [3, 2, 1]);
    let taken = |slug: &'static str| t.read(move |c| workflows::slug_taken(c, &user_id("u"), slug));
    assert_eq!((taken("w-a")?, taken("w-b")?), (true, false));
    Ok(())
}

#[rstest]
fn replays_are_found_by_the_first_run(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    use RunState::{Failed, Queued, Succeeded};
    let Some((t, ids)) = store_with(db, &[Failed, Succeeded]) else {
        return;
    };
    let replays = invocation_ids(6)[4..].to_vec();
    t.write(move |c| {
        for (replay, workflow) in [(replays[1], "a"), (replays[0], "a"), (replays[0], "b")] {
            let mut row = run(workflow, replay, Queued);
            row.origin.replay_of = Some(ids[0]);
            runs::begin(c, &row)?;
        }
        let found = traces::replays_of_run(c, &workflow_id("a"), &ids[0], 5)?;
        assert_eq!(found, replays);
        assert_eq!(
            traces::replays_of_run(c, &workflow_id("a"), &ids[1], 5)?,
            []
        );
        Ok(())
    })
    .unwrap();
}
