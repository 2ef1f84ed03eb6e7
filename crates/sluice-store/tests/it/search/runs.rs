//! Searches of runs.

use rstest::rstest;
use sluice_model::{
    DeploymentId, IdGen, InvocationId,
    workflow::{RunError, RunOrigin},
};
use sluice_store::{
    Conn, Result,
    run_steps::{self, StepRecord, StepState},
    runs::{self, Run, RunState},
    search::{self, Direction, Part, Search},
};

use super::{between, everything, query};
use crate::support::{Db, TestStore, workflow_id};

fn run(id: InvocationId, state: RunState, event: &str) -> Run {
    Run {
        id,
        workflow_id: workflow_id("a"),
        deployment_id: DeploymentId::parse("d_a").unwrap(),
        state,
        origin: RunOrigin {
            source_type: "http".to_owned(),
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
        error: (state == RunState::Failed).then(|| RunError {
            step: Some("charge".to_owned()),
            code: "Error".to_owned(),
            message: "declined".to_owned(),
            stack: String::new(),
            prop: None,
        }),
        exit_reason: None,
        event: event.to_owned(),
        trace: None,
    }
}

fn step(name: &str, exports: &str, inputs: &str) -> StepRecord {
    StepRecord {
        position: 0,
        attempt: 1,
        name: name.to_owned(),
        state: StepState::Completed,
        started_at: 1,
        duration_ms: 1,
        error: None,
        logs: "[]".to_owned(),
        exports: exports.to_owned(),
        inputs: Some(inputs.to_owned()),
        pause: None,
    }
}

/// Runs that were accepted at the times 1 to 4.
pub(super) fn store_runs(c: &mut dyn Conn) -> Result<Vec<InvocationId>> {
    use RunState::{Failed, Running, Succeeded};
    let mut ids = IdGen::new(7);
    let runs = [
        (Succeeded, r#"{"total":50}"#, "load"),
        (Failed, r#"{"total":150}"#, "charge"),
        (Running, r#"{"total":250}"#, "load"),
        (Failed, r#"{"total":350}"#, "load"),
    ];
    let mut made = Vec::new();
    for (ms, (state, event, name)) in (1..).zip(runs) {
        let id = InvocationId::generate(&mut ids, ms);
        runs::begin(c, &run(id, state, event))?;
        let exports = format!(r#"{{"at":{ms}}}"#);
        let inputs = format!(r#"{{"order":"A-{ms}"}}"#);
        run_steps::insert(c, &workflow_id("a"), &id, &step(name, &exports, &inputs))?;
        made.push(id);
    }
    Ok(made)
}

#[rstest]
fn runs_are_found_by_field_and_time(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = store_runs(c)?;
        let mut find = |state: Option<RunState>, search: &Search| {
            let part = everything();
            let step = search::runs(c, &workflow_id("a"), state, search, &part).unwrap();
            let place = |id: &InvocationId| 1 + ids.iter().position(|made| made == id).unwrap();
            step.found.iter().map(place).collect::<Vec<_>>()
        };
        assert_eq!(find(None, &query("total:>100")), [4, 3, 2]);
        assert_eq!(find(None, &query("state:failed total:>200")), [4]);
        assert_eq!(find(None, &query("-status:failed")), [3, 1]);
        assert_eq!(find(Some(RunState::Failed), &query("total:>0")), [4, 2]);
        assert_eq!(find(None, &query("step:charge")), [2]);
        assert_eq!(find(None, &query("steps.load.at:<=3")), [3, 1]);
        assert_eq!(find(None, &query("inputs.load.order:A-3")), [3]);
        assert_eq!(find(None, &query("a-2")), [2]);
        assert_eq!(find(None, &query("error:decl*")), [4, 2]);
        assert_eq!(find(None, &query("trigger:http declined")), [4, 2]);
        assert_eq!(find(None, &between(Some(2), Some(3))), [3, 2]);
        assert_eq!(find(Some(RunState::Failed), &between(Some(3), None)), [4]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_step_is_bounded_and_has_a_direction(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = store_runs(c)?;
        let mut find = |direction, from: Option<usize>, rows, wanted| {
            let part = Part {
                direction,
                from: from.map(|index| ids[index]),
                rows,
                wanted,
            };
            let failed = query("state:failed");
            let step = search::runs(c, &workflow_id("a"), None, &failed, &part).unwrap();
            (step.found, step.next)
        };
        let older = Direction::Older;
        assert_eq!(find(older, None, 1, 9), (vec![ids[3]], Some(ids[3])));
        assert_eq!(find(older, Some(3), 9, 9), (vec![ids[1]], None));
        assert_eq!(find(older, None, 9, 1), (vec![ids[3]], Some(ids[3])));
        assert_eq!(
            find(Direction::Newer, Some(0), 9, 9),
            (vec![ids[1], ids[3]], None)
        );
        Ok(())
    })
    .unwrap();
}
