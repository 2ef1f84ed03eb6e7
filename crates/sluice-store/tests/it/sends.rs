//! Pending sends.

use std::collections::BTreeSet;

use rstest::rstest;
use sluice_model::{EmitId, IdGen, InvocationId, WorkflowId};
use sluice_store::{
    BatchLimit, params, query_one,
    sends::{
        self, SendKind, SendRow, SendState, SendStep,
        outbox::{self, SendQueue},
    },
    server_clock::AT_ONCE,
};

use crate::support::{Db, TestStore, user_id};

const ALL: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 1_000,
};

fn queue(user: &str, kind: SendKind) -> SendQueue {
    SendQueue {
        user_id: user_id(user),
        kind,
    }
}

/// Stores sends of users and kinds, each due at a time; their ids are in this order.
fn store_with(db: Db, rows: &[(&str, SendKind, Option<i64>)]) -> Option<(TestStore, Vec<EmitId>)> {
    let t = TestStore::new(db)?;
    let mut ids = IdGen::new(1);
    let row = |(user, kind, due_at): &(&str, SendKind, Option<i64>)| SendRow {
        id: EmitId::generate(&mut ids, 1),
        step: Some(SendStep {
            workflow_id: WorkflowId::parse("p_a").unwrap(),
            run_id: InvocationId::generate(&mut IdGen::new(2), 1),
            name: "send".to_owned(),
        }),
        user_id: user_id(user),
        kind: *kind,
        state: SendState::Pending,
        due_at: *due_at,
        tries: 0,
        result: None,
        created_at: 1,
        updated_at: 1,
        payload: "0".repeat(400),
        trace: None,
    };
    let rows: Vec<SendRow> = rows.iter().map(row).collect();
    let ids = rows.iter().map(|row| row.id).collect();
    t.write(move |c| rows.iter().try_for_each(|row| sends::insert(c, row)))
        .unwrap();
    Some((t, ids))
}

fn due(t: &TestStore, queue: SendQueue, in_hand: &[EmitId], limit: BatchLimit) -> Vec<EmitId> {
    let in_hand: BTreeSet<EmitId> = in_hand.iter().copied().collect();
    let rows = t.read(move |c| outbox::due(c, &queue, 10, &in_hand, limit));
    rows.unwrap().into_iter().map(|row| row.id).collect()
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn queues_are_due_when_something_in_them_is(#[case] db: Db) {
    use SendKind::{Email, Http, S3};
    let rows = [
        ("b", Http, Some(5)),
        ("a", S3, Some(10)),
        ("b", Http, Some(6)),
        ("a", Email, Some(11)),
        ("c", Http, None),
        ("b", Email, Some(99)),
        ("b", Email, Some(1)),
    ];
    let Some((t, _)) = store_with(db, &rows) else {
        return;
    };
    let queues_due = |now| t.read(move |c| outbox::queues_due(c, now, "node", true));
    let queues = queues_due(10).unwrap().into_iter().map(|due| due.queue);
    let expected = [queue("a", S3), queue("b", Email), queue("b", Http)];
    assert_eq!(queues.collect::<Vec<_>>(), expected);
    assert_eq!(queues_due(0).unwrap(), []);
    assert_eq!(t.read(|c| outbox::next_due(c, 10)).unwrap(), Some(11));
    assert_eq!(t.read(|c| outbox::next_due(c, 99)).unwrap(), None);
    let next_in = |user, kind| {
        let queue = queue(user, kind);
        t.read(move |c| outbox::next_due_in(c, &queue, 10)).unwrap()
    };
    assert_eq!(next_in("b", Email), Some(99));
    assert_eq!(next_in("b", Http), None);
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn a_queue_gives_due_sends_that_are_not_in_hand_in_the_order_of_sending(#[case] db: Db) {
    use SendKind::{Email, Http};
    let rows = [
        ("a", Http, Some(9)),
        ("a", Http, Some(AT_ONCE)),
        ("a", Http, Some(3)),
        ("a", Http, Some(11)),
        ("a", Email, Some(1)),
        ("b", Http, Some(1)),
    ];
    let Some((t, ids)) = store_with(db, &rows) else {
        return;
    };
    let queue = || queue("a", Http);
    assert_eq!(
        due(
            &t,
            queue(),
            &[],
            BatchLimit {
                bytes: 9_999,
                ..ALL
            }
        ),
        ids[..3]
    );
    // Two fit; one always does.
    assert_eq!(due(&t, queue(), &[], ALL), ids[..2]);
    assert_eq!(
        due(&t, queue(), &[], BatchLimit { bytes: 1, ..ALL }),
        ids[..1]
    );
    assert_eq!(
        due(&t, queue(), &ids[..1], BatchLimit { rows: 1, ..ALL }),
        ids[1..2]
    );
    assert_eq!(due(&t, queue(), &[ids[1], ids[2]], ALL), [ids[0]]);
    assert_eq!(due(&t, queue(), &ids, ALL), []);
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn what_is_put_off_is_due_later_and_what_is_over_is_not_due(#[case] db: Db) {
    let rows = [
        ("a", SendKind::Http, Some(1)),
        ("a", SendKind::Http, Some(2)),
    ];
    let Some((t, ids)) = store_with(db, &rows) else {
        return;
    };
    let (put_off, over) = (ids[0], ids[1]);
    t.write(move |c| {
        outbox::postpone(c, &put_off, 50, 7)?;
        let queue = queue("a", SendKind::Http);
        let mut rows = outbox::due(c, &queue, 10, &BTreeSet::new(), ALL)?;
        let row = rows.remove(0);
        assert_eq!(row.id, over);
        let sent = SendRow {
            state: SendState::Sent,
            due_at: None,
            tries: 1,
            result: Some("200".to_owned()),
            updated_at: 7,
            ..row
        };
        outbox::record(c, &sent)?;
        // The result of a node that made the attempt too, and lost the queue.
        let late = SendRow {
            state: SendState::Pending,
            due_at: Some(9),
            ..sent
        };
        outbox::record(c, &late)?;
        outbox::postpone(c, &over, 50, 7)
    })
    .unwrap();
    assert_eq!(due(&t, queue("a", SendKind::Http), &[], ALL), []);
    let (workflow, run) = (
        WorkflowId::parse("p_a").unwrap(),
        InvocationId::generate(&mut IdGen::new(2), 1),
    );
    let rows = t.read(move |c| sends::of_run(c, &workflow, &run)).unwrap();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.state, row.due_at, row.tries, row.result.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            (SendState::Pending, Some(50), 0, None),
            (SendState::Sent, None, 1, Some("200")),
        ]
    );
}

#[rstest]
#[case::sqlite(Db::Sqlite)]
#[case::postgres(Db::Postgres)]
fn a_clock_set_back_costs_a_send_its_own_pause(#[case] db: Db) {
    use SendKind::{Http, S3};
    // Stored at 1_000_000, before the clock was set back to 10; the last was stored after that.
    let rows = [
        ("a", Http, Some(1_000_000)),
        ("a", Http, Some(1_030_000)),
        ("a", S3, Some(1_020_000)),
        ("a", Http, Some(12)),
    ];
    let Some((t, ids)) = store_with(db, &rows) else {
        return;
    };
    let due_times = t.write(move |c| {
        c.execute(
            "UPDATE sends SET updated_at = 1000000 WHERE due_at > 12",
            &[],
        )?;
        outbox::clamp(c, 10, 100)?;
        let due_at = |id: &EmitId| {
            query_one::<i64>(c, "SELECT due_at FROM sends WHERE id = ?1", params![id])
        };
        ids.iter().map(due_at).collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(due_times.unwrap(), [10, 30_010, 60_000, 12]);
}
