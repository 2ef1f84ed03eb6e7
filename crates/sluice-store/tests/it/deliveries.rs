//! The outbox: due deliveries, recorded attempts, and pruning.

use std::collections::BTreeSet;

use rstest::rstest;
use sluice_model::{DeliveryId, EmitId, EventId, IdGen, WebhookId};
use sluice_store::{
    BatchLimit, Conn, Result,
    deliveries::{self, Attempt, AttemptOutcome, AttemptRecord, Due, Outgoing},
    delivery_history, delivery_pruning, query_one, query_opt,
    server_clock::AT_ONCE,
    webhooks::{self, Webhook},
};

use crate::support::{Db, TestStore, source_id, user_id};

const ROOM: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 1 << 20,
};

fn webhook_id(tail: &str) -> WebhookId {
    WebhookId::parse(&format!("wh_{tail}")).unwrap()
}

fn webhook(tail: &str) -> Webhook {
    Webhook {
        id: webhook_id(tail),
        user_id: user_id("a"),
        name: None,
        description: None,
        url: "https://example.com".to_owned(),
        active: true,
        concurrency: 1,
        secret: "sealed".to_owned(),
        previous: None,
        created_at: 1,
        updated_at: 1,
    }
}

/// `count` ids in ascending order.
fn payloads(count: usize) -> Vec<EmitId> {
    let mut ids = IdGen::new(7);
    (0..count)
        .map(|_| EmitId::generate(&mut ids, 1_000))
        .collect()
}

fn store_payload(c: &mut dyn Conn, id: &EmitId, data: &str) -> Result<()> {
    let outgoing = Outgoing {
        emit_id: id,
        emitter: &source_id("s"),
        id: EventId { ms: 5, seq: 2 },
        channel: "custom",
        meta: "{}",
        data,
        trace: None,
    };
    deliveries::insert_payload(c, &outgoing)
}

/// One delivery for each payload, the first one made at `first_at` and each a millisecond after the one before.
fn fill(c: &mut dyn Conn, tail: &str, payloads: &[EmitId], first_at: i64) -> Result<()> {
    for (payload, at) in payloads.iter().zip(first_at..) {
        store_payload(c, payload, "{}")?;
        deliveries::insert(c, payload, &webhook_id(tail), at)?;
    }
    Ok(())
}

fn due_ids(c: &mut dyn Conn, tail: &str, now: i64, room: BatchLimit) -> Result<Vec<DeliveryId>> {
    let due = deliveries::due(c, &webhook_id(tail), now, &BTreeSet::new(), room)?;
    Ok(due.into_iter().map(|due| due.id).collect())
}

fn attempt(at: i64, status: u16) -> Attempt {
    Attempt {
        at,
        status: Some(status),
        latency_ms: 3,
        response: Some("\"ok\" ä".to_owned()),
        error: None,
    }
}

fn tried(due: &Due, outcome: AttemptOutcome) -> AttemptRecord {
    AttemptRecord {
        id: due.id.clone(),
        was_due_at: due.due_at,
        outcome,
        tries: due.tries + 1,
        attempts: [due.attempts.clone(), vec![attempt(20, 200)]].concat(),
    }
}

/// The state of a delivery, when it is due, and how many attempts it remembers.
fn state(c: &mut dyn Conn, id: &DeliveryId) -> Result<Option<(String, Option<i64>, usize)>> {
    let sql = "SELECT state FROM deliveries WHERE id = ?1";
    let Some(state): Option<String> = query_opt(c, sql, sluice_store::params![id])? else {
        return Ok(None);
    };
    let column = |name: &str| format!("SELECT {name} FROM deliveries WHERE id = ?1");
    let due = query_one(c, &column("due_at"), sluice_store::params![id])?;
    let attempts: String = query_one(c, &column("attempts"), sluice_store::params![id])?;
    let attempts: Vec<Attempt> = serde_json::from_str(&attempts).unwrap();
    Ok(Some((state, due, attempts.len())))
}

#[rstest]
fn what_is_due_comes_in_order_with_all_that_is_sent(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = payloads(3);
        fill(c, "w", &ids[..2], 10)?;
        store_payload(c, &ids[2], "{\"n\":1}")?;
        deliveries::insert(c, &ids[2], &webhook_id("w"), 10)?;
        deliveries::insert(c, &ids[2], &webhook_id("other"), 10)?;

        let order = ids.iter().map(|id| DeliveryId::of(id, &webhook_id("w")));
        let order: Vec<_> = order.collect();
        assert_eq!(
            due_ids(c, "w", 1, ROOM)?,
            order,
            "first attempts are due by any clock"
        );
        assert_eq!(deliveries::next_due(c, &webhook_id("w"), 1)?, None);
        let due = deliveries::due(c, &webhook_id("w"), 11, &BTreeSet::new(), ROOM)?;
        let expected = Due {
            id: order[2].clone(),
            due_at: AT_ONCE,
            tries: 0,
            attempts: Vec::new(),
            created_at: 10,
            emitter: source_id("s").into(),
            event_id: EventId { ms: 5, seq: 2 },
            channel: "custom".to_owned(),
            data: "{\"n\":1}".to_owned(),
            trace: None,
        };
        assert_eq!(expected.due_since(), 10);
        assert_eq!(due[2], expected);
        for (due, due_at) in due.iter().zip([30, 20]) {
            deliveries::record(c, &tried(due, AttemptOutcome::Retry { due_at }), 11)?;
        }
        assert_eq!(due_ids(c, "w", 19, ROOM)?, order[2..]);
        assert_eq!(due_ids(c, "w", 20, ROOM)?, order[1..]);
        assert_eq!(due_ids(c, "w", 30, ROOM)?, order);
        assert_eq!(
            due_ids(c, "w", 30, BatchLimit { rows: 1, ..ROOM })?.len(),
            1
        );
        assert_eq!(deliveries::next_due(c, &webhook_id("w"), 11)?, Some(20));
        assert_eq!(deliveries::next_due(c, &webhook_id("w"), 20)?, Some(30));
        assert_eq!(deliveries::next_due(c, &webhook_id("w"), 30)?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_reader_gets_what_it_has_room_for(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for id in &payloads(4) {
            // Four bytes, three characters: the limit counts bytes.
            store_payload(c, id, "\"é\"")?;
            deliveries::insert(c, id, &webhook_id("w"), 1)?;
        }
        let mut count = |rows, bytes| {
            let found = due_ids(c, "w", 1, BatchLimit { rows, bytes })?;
            Result::Ok(found.len())
        };
        assert_eq!(count(9, 100)?, 4);
        assert_eq!(count(3, 100)?, 3);
        assert_eq!(count(9, 8)?, 2);
        assert_eq!(count(9, 7)?, 1);
        assert_eq!(count(9, 1)?, 1);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn rows_in_hand_are_not_read_again(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c, "w", &payloads(5), 10)?;
        let room = BatchLimit { rows: 2, ..ROOM };
        let mut in_hand = BTreeSet::new();
        let mut sizes = Vec::new();
        for _ in 0..4 {
            let due = deliveries::due(c, &webhook_id("w"), 10, &in_hand, room)?;
            sizes.push(due.len());
            in_hand.extend(due.into_iter().map(|due| due.id));
        }
        assert_eq!((sizes, in_hand.len()), (vec![2, 2, 1, 0], 5));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_try_is_recorded_once_however_often_it_is_written(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
    #[values(AttemptOutcome::Delivered, AttemptOutcome::Failed, AttemptOutcome::Retry { due_at: 90 })]
    outcome: AttemptOutcome,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(move |c| {
        fill(c, "w", &payloads(1), 10)?;
        let due = deliveries::due(c, &webhook_id("w"), 10, &BTreeSet::new(), ROOM)?.remove(0);
        let tried = tried(&due, outcome);
        for now in [21, 22] {
            deliveries::record(c, &tried, now)?;
            let (word, due_at) = match outcome {
                AttemptOutcome::Delivered => ("delivered", None),
                AttemptOutcome::Failed => ("failed", None),
                AttemptOutcome::Retry { due_at } => ("pending", Some(due_at)),
            };
            let expected = (word.to_owned(), due_at, 1);
            assert_eq!(state(c, &due.id)?, Some(expected));
        }
        if let AttemptOutcome::Retry { due_at } = outcome {
            let again =
                deliveries::due(c, &webhook_id("w"), due_at, &BTreeSet::new(), ROOM)?.remove(0);
            assert_eq!((again.tries, again.attempts), (1, tried.attempts));
        }
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_delivery_that_is_gone_does_not_come_back(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c, "w", &payloads(1), 10)?;
        let due = deliveries::due(c, &webhook_id("w"), 10, &BTreeSet::new(), ROOM)?.remove(0);
        c.execute("DELETE FROM deliveries", &[])?;
        for outcome in [
            AttemptOutcome::Delivered,
            AttemptOutcome::Failed,
            AttemptOutcome::Retry { due_at: 90 },
        ] {
            deliveries::record(c, &tried(&due, outcome), 21)?;
            assert_eq!(state(c, &due.id)?, None);
        }
        deliveries::record_late(c, &due.id, &attempt(20, 200), 21)
    })
    .unwrap();
}

#[rstest]
fn what_is_asked_for_again_during_a_try_stays_due_unless_the_try_succeeds(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
    #[values(AttemptOutcome::Delivered, AttemptOutcome::Failed, AttemptOutcome::Retry { due_at: 90 })]
    outcome: AttemptOutcome,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(move |c| {
        fill(c, "w", &payloads(1), 10)?;
        let due = deliveries::due(c, &webhook_id("w"), 10, &BTreeSet::new(), ROOM)?.remove(0);
        c.execute("UPDATE deliveries SET due_at = 15, tries = 0", &[])?;
        deliveries::record(c, &tried(&due, outcome), 21)?;
        let expected = match outcome {
            AttemptOutcome::Delivered => ("delivered".to_owned(), None, 1),
            AttemptOutcome::Failed | AttemptOutcome::Retry { .. } => {
                ("pending".to_owned(), Some(15), 1)
            }
        };
        assert_eq!(state(c, &due.id)?, Some(expected));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_success_found_after_a_crash_counts_unless_it_was_asked_for_since(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = payloads(2);
        fill(c, "w", &ids, 10)?;
        let late = DeliveryId::of(&ids[0], &webhook_id("w"));
        deliveries::record_late(c, &late, &attempt(10, 204), 50)?;
        assert_eq!(state(c, &late)?, Some(("delivered".to_owned(), None, 1)));
        deliveries::record_late(c, &late, &attempt(10, 204), 50)?;
        assert_eq!(state(c, &late)?, Some(("delivered".to_owned(), None, 1)));

        let replayed = DeliveryId::of(&ids[1], &webhook_id("w"));
        delivery_history::replay(c, &replayed, 11, 11)?;
        deliveries::record_late(c, &replayed, &attempt(10, 204), 50)?;
        assert_eq!(
            state(c, &replayed)?,
            Some(("pending".to_owned(), Some(11), 0))
        );
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_success_found_after_a_crash_changes_nothing_that_another_node_did_since(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = payloads(3);
        fill(c, "w", &ids, 10)?;
        let due = deliveries::due(c, &webhook_id("w"), 10, &BTreeSet::new(), ROOM)?;
        let outcomes = [
            AttemptOutcome::Delivered,
            AttemptOutcome::Failed,
            AttemptOutcome::Retry { due_at: 50 },
        ];
        for (due, outcome) in due.iter().zip(outcomes) {
            deliveries::record(c, &tried(due, outcome), 21)?;
            let after = state(c, &due.id)?;
            deliveries::record_late(c, &due.id, &attempt(20, 204), 60)?;
            assert_eq!(state(c, &due.id)?, after, "{outcome:?}");
        }
        // One that was removed does not come back.
        let removed = DeliveryId::of(&ids[0], &webhook_id("gone"));
        deliveries::record_late(c, &removed, &attempt(20, 204), 60)?;
        assert_eq!(state(c, &removed)?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn only_the_last_25_attempts_are_remembered(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c, "w", &payloads(1), 10)?;
        let mut due = deliveries::due(c, &webhook_id("w"), 10, &BTreeSet::new(), ROOM)?.remove(0);
        due.attempts = (1..=30).map(|at| attempt(at, 500)).collect();
        deliveries::record(c, &tried(&due, AttemptOutcome::Retry { due_at: 10 }), 21)?;
        let kept = deliveries::due(c, &webhook_id("w"), 10, &BTreeSet::new(), ROOM)?.remove(0);
        assert_eq!(kept.attempts.len(), 25);
        assert_eq!((kept.attempts[0].at, kept.attempts[24].at), (7, 20));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn only_active_webhooks_with_something_pending_have_work(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = payloads(4);
        for (tail, id) in ["busy", "done", "off", "gone"]
            .into_iter()
            .zip(ids.chunks(1))
        {
            if tail != "gone" {
                webhooks::insert(c, &webhook(tail))?;
            }
            fill(c, tail, id, 10)?;
        }
        webhooks::insert(c, &webhook("idle"))?;
        webhooks::deactivate(c, &webhook_id("off"), 77)?;
        let done = deliveries::due(c, &webhook_id("done"), 10, &BTreeSet::new(), ROOM)?.remove(0);
        deliveries::record(c, &tried(&done, AttemptOutcome::Delivered), 21)?;

        let due = deliveries::webhooks_due(c, i64::MAX, "node", true)?;
        assert_eq!(due, [webhook_id("busy")]);
        let off = webhooks::get_for_delivery(c, &webhook_id("off"))?.unwrap();
        assert_eq!((off.active, off.updated_at), (false, 77));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_oldest_finished_deliveries_are_forgotten_with_payloads_nobody_has(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = payloads(5);
        for tail in ["w", "other"] {
            webhooks::insert(c, &webhook(tail))?;
        }
        fill(c, "w", &ids, 10)?;
        deliveries::insert(c, &ids[1], &webhook_id("other"), 11)?;
        let made = due_ids(c, "w", 99, ROOM)?;
        for due in deliveries::due(c, &webhook_id("w"), 99, &BTreeSet::new(), ROOM)? {
            // The oldest is still pending.
            if due.id != made[0] {
                deliveries::record(c, &tried(&due, AttemptOutcome::Failed), 21)?;
            }
        }
        let beyond = |c: &mut dyn Conn, keep, limit| {
            delivery_pruning::beyond(c, &webhook_id("w"), keep, limit)
        };
        assert_eq!(beyond(c, 2, 9)?, made[1..3]);
        assert_eq!(beyond(c, 2, 1)?, made[1..2]);
        assert_eq!(beyond(c, 4, 9)?, []);
        let mut old = delivery_pruning::older_than(c, 12, 9)?;
        assert_eq!(old, made[1..2]);
        assert_eq!(delivery_pruning::older_than(c, 99, 3)?.len(), 3);

        old.extend([made[0].clone(), made[2].clone()]);
        delivery_pruning::remove(c, old)?;
        assert_eq!(beyond(c, 0, 9)?, made[3..]);
        let left: u64 = query_one(c, "SELECT COUNT(*) FROM payloads", &[])?;
        assert_eq!(
            left, 4,
            "the third payload was the only one that nobody had"
        );
        assert!(state(c, &made[0])?.is_some());
        Ok(())
    })
    .unwrap();
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn a_clock_set_back_costs_a_delivery_its_own_pause(#[case] db: Db) {
    let Some(t) = TestStore::new(db) else {
        return;
    };
    t.write(|c| {
        webhooks::insert(c, &webhook("w"))?;
        fill(c, "w", &payloads(2), 1_000_000)?;
        let due = deliveries::due(c, &webhook_id("w"), 1_000_001, &BTreeSet::new(), ROOM)?;
        let retry = AttemptOutcome::Retry { due_at: 1_007_000 };
        deliveries::record(c, &tried(&due[1], retry), 1_002_000)?;
        assert_eq!(
            due_ids(c, "w", 10, ROOM)?,
            [due[0].id.clone()],
            "a first attempt"
        );

        deliveries::clamp(c, 10, 100)?;
        assert_eq!(due_ids(c, "w", 10, ROOM)?, [due[0].id.clone()]);
        let next = deliveries::next_due(c, &webhook_id("w"), 10)?;
        assert_eq!(next, Some(5_010));
        Ok(())
    })
    .unwrap();
}
