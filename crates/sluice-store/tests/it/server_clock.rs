//! A clock that is set back: first attempts are due at once, and no wait takes longer than it would have from its beginning.

use std::collections::BTreeSet;

use rstest::rstest;
use sluice_model::{
    DeploymentId, EmitId, EventId, IdGen, TimerSpec,
    workflow::{Pause, PauseKind, RunOrigin},
};
use sluice_store::{
    BatchLimit, Conn, Result, accounts,
    deliveries::{self, Attempt, AttemptOutcome, AttemptRecord, Outgoing},
    delivery_history, params, query_one,
    runs::{self, Run, RunState},
    sends::{
        self, SendKind, SendRow, SendState,
        outbox::{self, SendQueue},
    },
    server_clock::{self, AT_ONCE},
    timers::{self, TimerKey},
    webhooks,
};

use crate::support::{
    Db, TestStore, invocation_ids, source_id, user_id, webhook, webhook_id, workflow_id,
};

const HOUR: i64 = 3_600_000;
/// The time before the clock is set back, and after.
const BEFORE: i64 = 1_000 * HOUR;
const AFTER: i64 = 100 * HOUR;

const LIMIT: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 1 << 20,
};

#[rstest]
fn the_latest_time_is_kept(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    assert_eq!(t.read(server_clock::latest), Ok(None));
    for (now, latest) in [(5, 5), (9, 9), (7, 9)] {
        t.write(move |c| server_clock::advance(c, now)).unwrap();
        assert_eq!(t.read(server_clock::latest), Ok(Some(latest)));
    }
}

fn due_at(c: &mut dyn Conn, emitter: &str, prop: &str) -> Result<Option<i64>> {
    let timers = timers::of_emitter(c, &source_id(emitter))?;
    Ok(timers
        .into_iter()
        .find(|timer| timer.prop == prop)
        .and_then(|timer| timer.due_at))
}

#[rstest]
fn a_timer_is_due_within_one_interval(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let cron = TimerSpec::Cron {
            expression: "0 * * * *".to_owned(),
            timezone: None,
        };
        let (a, b) = (source_id("a"), source_id("b"));
        timers::upsert(c, &a, "hourly", &TimerSpec::HOURLY, Some(BEFORE + HOUR))?;
        timers::upsert(c, &a, "off", &TimerSpec::HOURLY, None)?;
        timers::upsert(c, &b, "cron", &cron, Some(BEFORE + HOUR))?;
        timers::upsert(c, &b, "due", &TimerSpec::HOURLY, Some(AFTER - 1))?;
        timers::upsert(c, &b, "soon", &TimerSpec::HOURLY, Some(AFTER + 1))?;
        let first = timers::clamp(c, AFTER, None, 1)?;
        let key = TimerKey {
            emitter_id: a.into(),
            prop: "hourly".to_owned(),
        };
        assert_eq!(first.as_ref(), Some(&key));
        assert_eq!(timers::clamp(c, AFTER, first.as_ref(), 9)?, None);
        // A second time nothing changes.
        assert_eq!(timers::clamp(c, AFTER + 1, None, 9)?, None);
        assert_eq!(due_at(c, "a", "hourly")?, Some(AFTER + HOUR));
        assert_eq!(due_at(c, "a", "off")?, None);
        assert_eq!(due_at(c, "b", "cron")?, Some(AFTER + HOUR));
        assert_eq!(due_at(c, "b", "due")?, Some(AFTER - 1));
        assert_eq!(due_at(c, "b", "soon")?, Some(AFTER + 1));
        Ok(())
    })
    .unwrap();
}

fn waiting_run(number: usize, due_at: i64) -> Run {
    Run {
        id: invocation_ids(3)[number],
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
            kind: PauseKind::Delay,
            position: 0,
            context: None,
        }),
        pause_key: Some(format!("key-{number}")),
        error: None,
        exit_reason: None,
        event: "{}".to_owned(),
        trace: None,
    }
}

#[rstest]
fn a_run_waits_as_long_as_it_was_to_wait(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let runs = [
            (waiting_run(0, BEFORE + 5 * HOUR), BEFORE),
            (waiting_run(1, BEFORE), AFTER - HOUR),
            (waiting_run(2, BEFORE + HOUR), BEFORE),
        ];
        for (run, since) in &runs {
            runs::begin(c, run)?;
            runs::update(c, run, *since)?;
        }
        assert_eq!(runs::clamp(c, AFTER, 1)?, 1);
        assert_eq!(runs::clamp(c, AFTER, 9)?, 1);
        assert_eq!(runs::clamp(c, AFTER + 1, 9)?, 0);
        let due = |c: &mut dyn Conn, number: usize| {
            let run: &Run = &runs[number].0;
            let run = runs::get(c, &run.workflow_id, &run.id)?.unwrap();
            Result::Ok(run.due_at)
        };
        assert_eq!(due(c, 0)?, Some(AFTER + 5 * HOUR));
        assert_eq!(due(c, 1)?, Some(BEFORE), "it began before the new time");
        assert_eq!(due(c, 2)?, Some(AFTER + HOUR));
        Ok(())
    })
    .unwrap();
}

fn deliver(c: &mut dyn Conn, ids: &mut IdGen, now_ms: i64) -> Result<()> {
    let emit_id = EmitId::generate(ids, now_ms);
    let event = Outgoing {
        emit_id: &emit_id,
        emitter: &source_id("s").into(),
        id: EventId { ms: now_ms, seq: 0 },
        channel: "",
        meta: "{}",
        data: "{}",
        trace: None,
    };
    deliveries::insert_payload(c, &event)?;
    deliveries::insert(c, &emit_id, &webhook_id("w"), now_ms)
}

fn failed(due: &deliveries::Due, at: i64, pause: i64) -> AttemptRecord {
    AttemptRecord {
        id: due.id.clone(),
        was_due_at: due.due_at,
        outcome: AttemptOutcome::Retry { due_at: at + pause },
        tries: due.tries + 1,
        attempts: vec![Attempt {
            at,
            status: None,
            latency_ms: 1,
            response: None,
            error: None,
        }],
    }
}

#[rstest]
fn deliveries_keep_their_order_and_their_pauses(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        webhooks::insert(c, &webhook("w", &user_id("a"), 1))?;
        let mut ids = IdGen::new(1);
        for now in [BEFORE, BEFORE + 1, AFTER] {
            deliver(c, &mut ids, now)?;
        }
        let created = |c: &mut dyn Conn, now| {
            let due = deliveries::due(c, &webhook_id("w"), now, &BTreeSet::new(), LIMIT)?;
            Result::Ok(due.iter().map(|due| due.created_at).collect::<Vec<_>>())
        };
        assert_eq!(created(c, AFTER)?, [BEFORE, BEFORE + 1, AFTER]);

        // The first failed before the clock was set back.
        let first =
            deliveries::due(c, &webhook_id("w"), BEFORE, &BTreeSet::new(), LIMIT)?.remove(0);
        deliveries::record(c, &failed(&first, BEFORE, HOUR), BEFORE)?;
        assert_eq!(created(c, AFTER)?, [BEFORE + 1, AFTER]);
        assert_eq!(deliveries::clamp(c, AFTER, 9)?, 1);
        assert_eq!(deliveries::clamp(c, AFTER + 1, 9)?, 0);
        assert_eq!(created(c, AFTER + HOUR - 1)?, [BEFORE + 1, AFTER]);
        assert_eq!(created(c, AFTER + HOUR)?, [BEFORE, BEFORE + 1, AFTER]);

        // A delivery that is asked for again is due at once by the old clock.
        delivery_history::replay(c, &first.id, BEFORE, BEFORE)?;
        assert_eq!(created(c, AFTER)?, [BEFORE + 1, AFTER]);
        assert_eq!(deliveries::clamp(c, AFTER, 9)?, 1);
        assert_eq!(created(c, AFTER)?, [BEFORE, BEFORE + 1, AFTER]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_first_delivery_is_listed_as_due_since_it_was_made(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        webhooks::insert(c, &webhook("w", &user_id("a"), 1))?;
        deliver(c, &mut IdGen::new(1), BEFORE)?;
        let due = deliveries::due(c, &webhook_id("w"), AFTER, &BTreeSet::new(), LIMIT)?.remove(0);
        assert_eq!((due.due_at, due.due_since()), (AT_ONCE, BEFORE));
        let listed = delivery_history::get(c, &user_id("a"), &due.id)?.unwrap();
        assert_eq!(listed.due_at, Some(BEFORE));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn sends_keep_their_order_and_their_pauses(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let mut ids = IdGen::new(1);
        let mut rows = Vec::new();
        for (due_at, since) in [
            (BEFORE + HOUR, BEFORE),
            (AT_ONCE, BEFORE),
            (AFTER + HOUR, AFTER),
        ] {
            let row = SendRow {
                id: EmitId::generate(&mut ids, since),
                step: None,
                user_id: user_id("a"),
                kind: SendKind::Http,
                state: SendState::Pending,
                due_at: Some(due_at),
                tries: 0,
                result: None,
                created_at: since,
                updated_at: since,
                payload: "{}".to_owned(),
                trace: None,
            };
            sends::insert(c, &row)?;
            rows.push(row.id);
        }
        let lane = SendQueue {
            user_id: user_id("a"),
            kind: SendKind::Http,
        };
        let due = |c: &mut dyn Conn, now| {
            let due = outbox::due(c, &lane, now, &BTreeSet::new(), LIMIT)?;
            Result::Ok(due.iter().map(|row| row.id).collect::<Vec<_>>())
        };
        assert_eq!(outbox::queues_due(c, AFTER, "node", true)?.len(), 1);
        assert_eq!(due(c, AFTER)?, rows[1..2]);
        assert_eq!(outbox::clamp(c, AFTER, 9)?, 1);
        assert_eq!(outbox::clamp(c, AFTER, 9)?, 0);
        assert_eq!(due(c, AFTER + HOUR - 1)?, rows[1..2]);
        assert_eq!(due(c, AFTER + HOUR)?, rows);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn an_account_waits_no_longer_than_the_longest_pause(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (id, until) in [("apn_a", BEFORE), ("apn_b", AFTER + 1)] {
            c.execute(
                "INSERT INTO accounts (id, user_id, app_id, name, credentials_sealed, version, \
                 renewing_until, created_at, updated_at) VALUES (?1, 'u', 'a', 'n', 's', 1, ?2, 1, 1)",
                params![id, until],
            )?;
        }
        assert_eq!(accounts::clamp(c, AFTER, HOUR)?, 1);
        assert_eq!(accounts::clamp(c, AFTER, HOUR)?, 0);
        let until = |c: &mut dyn Conn, id| {
            let sql = "SELECT renewing_until FROM accounts WHERE id = ?1";
            query_one::<i64>(c, sql, params![id])
        };
        assert_eq!(until(c, "apn_a")?, AFTER + HOUR);
        assert_eq!(until(c, "apn_b")?, AFTER + 1);
        Ok(())
    })
    .unwrap();
}
