//! The server is killed at random moments while runs are under way: no accepted event is lost, and no step that is on
//! record runs again.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use rand::RngExt;
use rstest::rstest;
use sluice_testkit::{Backend, TestRng};

use super::{
    assembly::{Assembly, EMITTERS, NAMES, StepOfRun},
    rounds::rounds,
    traffic::Sent,
};

const DEFAULT_ROUNDS: u32 = 4;

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_recorded_step_runs_again_and_no_event_is_lost_however_often_the_server_is_killed(
    #[case] backend: Backend,
) {
    let mut assembly = Assembly::start(backend).await;
    for round in 1..=rounds(DEFAULT_ROUNDS) {
        tokio::time::sleep(moment()).await;
        // Now and then it is asked to stop, which must not confuse what kills leave behind.
        if round % 4 == 0 {
            assembly.terminate_and_restart().await;
        } else {
            assembly.kill_and_restart().await;
        }
    }
    tokio::time::sleep(moment()).await;
    let sent = assembly.close().await;
    all_accepted_events_ran(&assembly, &sent);
    no_recorded_step_ran_again(&assembly);
    emits_arrived_exactly_once(&assembly);
    requests_arrived_at_least_once(&assembly);
    let repeated = assembly.reports().len() - NAMES.len() * runs(&assembly).len();
    eprintln!("{} runs, {repeated} repeated steps", runs(&assembly).len());
    assert!(repeated > 0, "no kill met a step under way");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_step_runs_exactly_once_when_the_server_is_stopped_with_sigterm_under_load() {
    let mut assembly = Assembly::start(Backend::Sqlite).await;
    for _ in 0..2 {
        tokio::time::sleep(moment()).await;
        assembly.terminate_and_restart().await;
    }
    let sent = assembly.close().await;
    all_accepted_events_ran(&assembly, &sent);
    emits_arrived_exactly_once(&assembly);
    let times = times(assembly.reports().into_iter().map(|(_, step)| step));
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    let times = self::times(assembly.arrived());
    assert_eq!(times.len(), runs(&assembly).len());
    assert!(times.values().all(|times| *times == 1), "{times:?}");
}

/// From before the first process has started to well into the load.
fn moment() -> Duration {
    Duration::from_millis(TestRng.random_range(50..2_500))
}

/// What is accepted is a run that succeeded, and has each of its steps on record once.
fn all_accepted_events_ran(assembly: &Assembly, sent: &Sent) {
    let ledger = &assembly.stage.ledger;
    assert!(sent.accepted.len() > 20, "hardly any load: {sent:?}");
    assert_eq!(
        sent.invocations.len(),
        sent.answers,
        "an id was given twice"
    );
    let states = ledger.runs(&assembly.workflow.id);
    let other: Vec<_> = states
        .iter()
        .filter(|(_, state)| *state != "succeeded")
        .collect();
    assert!(other.is_empty(), "runs that did not succeed: {other:?}");
    let lost: Vec<_> = sent
        .invocations
        .iter()
        .filter(|id| !states.contains_key(*id))
        .collect();
    assert!(lost.is_empty(), "accepted and lost: {lost:?}");
    let most = sent.accepted.len() + sent.unanswered.len();
    assert!(
        states.len() <= most,
        "{} runs of {most} events",
        states.len()
    );
    let recorded = times(ledger.completed_steps(&assembly.workflow.id));
    assert_eq!(recorded, times(each(assembly, &NAMES)), "steps on record");
}

/// What was on record while the server was down did not report after that.
fn no_recorded_step_ran_again(assembly: &Assembly) {
    let reports = assembly.reports();
    for stop in &assembly.stops {
        let again: Vec<_> = reports
            .iter()
            .filter(|(number, step)| *number > stop.reports && stop.completed.contains(step))
            .collect();
        assert!(again.is_empty(), "on record, and ran again: {again:?}");
    }
    let recorded = assembly.stops.last().map_or(0, |stop| stop.completed.len());
    assert!(recorded > 0, "nothing was on record when it was killed");
}

fn emits_arrived_exactly_once(assembly: &Assembly) {
    let heard = assembly.stage.ledger.events(&assembly.relay.id);
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let heard = heard
        .iter()
        .map(|event| (text(&event.data["run"]), text(&event.data["part"])));
    assert_eq!(
        times(heard),
        times(each(assembly, &EMITTERS)),
        "emits heard"
    );
}

fn requests_arrived_at_least_once(assembly: &Assembly) {
    let arrived: BTreeSet<String> = assembly.arrived().into_iter().collect();
    assert_eq!(arrived, runs(assembly), "$.send.http");
}

fn runs(assembly: &Assembly) -> BTreeSet<String> {
    let runs = assembly.stage.ledger.runs(&assembly.workflow.id);
    runs.into_keys().collect()
}

/// These steps of every run.
fn each(assembly: &Assembly, names: &[&str]) -> Vec<StepOfRun> {
    let pairs = |run: String| {
        names
            .iter()
            .map(move |name| (run.clone(), (*name).to_owned()))
            .collect::<Vec<_>>()
    };
    runs(assembly).into_iter().flat_map(pairs).collect()
}

fn times<T: Ord>(things: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut times = BTreeMap::new();
    for thing in things {
        *times.entry(thing).or_default() += 1;
    }
    times
}
