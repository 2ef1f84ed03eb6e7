//! Deferred statements, rows that are inserted together, and queries that are sent together.

use std::borrow::Cow;

use rstest::rstest;
use sluice_model::EventId;
use sluice_store::{
    Conn, Dialect, Query, Result, Row, StoreError, Value,
    events::{self, ChannelFilter, NewEvent, Take},
    held_events::{self, HeldEvent},
    inbox::{self, InboxKind, NewInboxItem},
    kv,
    logs::{self, NewLog, Reservation},
    params,
    state::{self, Advance, TakeNumber},
    timers, users,
};

use crate::support::{Db, TestStore, claimed, invocation_ids, source_id, user};

const INSERT_KEY: &str = "INSERT INTO kv (emitter_id, key, value) VALUES (?1, ?2, ?3)";

fn insert_key(c: &mut dyn Conn, key: &str) -> Result<()> {
    c.execute_later(INSERT_KEY, params![&source_id("s"), key, "1"])
}

fn keys(t: &TestStore) -> Vec<String> {
    let pairs = t.read(|c| kv::load_all(c, &source_id("s"))).unwrap();
    pairs.into_iter().map(|(key, _)| key).collect()
}

#[rstest]
fn an_error_of_a_deferred_statement_fails_the_transaction_and_nothing_is_kept(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| insert_key(c, "taken")).unwrap();
    let refused = t.write(|c| {
        insert_key(c, "before")?;
        insert_key(c, "taken")?;
        insert_key(c, "after")
    });
    assert!(
        matches!(refused, Err(StoreError::Conflict(_))),
        "{refused:?}"
    );
    assert_eq!(keys(&t), ["taken"]);
    // Also when the job swallows every error.
    let refused = t.write(|c| {
        let _ = insert_key(c, "before");
        let _ = insert_key(c, "taken");
        let _ = insert_key(c, "after");
        Ok(())
    });
    assert!(
        matches!(refused, Err(StoreError::Conflict(_))),
        "{refused:?}"
    );
    assert_eq!(keys(&t), ["taken"]);
    // The connection is in order.
    t.write(|c| insert_key(c, "next")).unwrap();
    assert_eq!(keys(&t), ["next", "taken"]);
}

#[rstest]
fn a_query_sees_the_deferred_statements_before_it(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let refused: Result<()> = t.write(|c| {
        insert_key(c, "a")?;
        insert_key(c, "b")?;
        assert_eq!(kv::load_all(c, &source_id("s"))?.len(), 2);
        insert_key(c, "c")?;
        Err(StoreError::Internal("no".to_owned()))
    });
    assert_eq!(refused, Err(StoreError::Internal("no".to_owned())));
    assert_eq!(keys(&t), Vec::<String>::new());
}

#[rstest]
fn a_read_cannot_write_later_either(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    assert!(t.read(|c| insert_key(c, "a")).is_err());
    assert!(
        t.read(|c| c.insert_later(INSERT_KEY, 3, params![&source_id("s"), "a", "1"]))
            .is_err()
    );
    assert_eq!(keys(&t), Vec::<String>::new());
    t.write(|c| insert_key(c, "b")).unwrap();
    assert_eq!(keys(&t), ["b"]);
}

#[rstest]
fn deferred_values_are_checked_as_others_are(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let results = [
        t.write(|c| insert_key(c, "a\0b")),
        t.write(|c| c.insert_later(INSERT_KEY, 3, params![&source_id("s"), "a\0b", "1"])),
        t.write(|c| kv::write_all(c, &source_id("s"), [("a\0b", Some("1"))].into_iter())),
    ];
    for result in results {
        assert!(matches!(result, Err(StoreError::Invalid(_))), "{result:?}");
    }
    let long = "k".repeat(kv::MAX_KEY_BYTES + 1);
    let result =
        t.write(move |c| kv::write_all(c, &source_id("s"), [(&*long, Some("1"))].into_iter()));
    assert!(matches!(result, Err(StoreError::Invalid(_))), "{result:?}");
}

#[rstest]
fn rows_that_are_inserted_together_are_all_there(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let ids = invocation_ids(300);
    t.write(move |c| {
        let (s, other) = (source_id("s").into(), source_id("other").into());
        let item = |number: usize| NewInboxItem {
            id: &ids[number],
            kind: InboxKind::Event,
            prop: number.is_multiple_of(2).then_some("ünï 'quoted', {braced}"),
            payload: "[\"\\\\ \"]",
            accepted_at: i64::try_from(number).unwrap(),
            depth: 3,
            reply_to: None,
            trace: None,
        };
        inbox::insert_all(c, [].into_iter())?;
        inbox::insert_all(c, (0..299).map(|number| (&s, item(number))))?;
        inbox::insert_all(c, [(&other, item(299))].into_iter())?;
        let found = inbox::get(c, &s, &ids[1])?.expect("an item");
        assert_eq!(
            (found.prop, found.attempts, found.accepted_at),
            (None, 0, 1)
        );
        let found = inbox::get(c, &s, &ids[2])?.expect("an item");
        assert_eq!(found.prop.as_deref(), Some("ünï 'quoted', {braced}"));
        assert_eq!((found.payload.as_str(), found.depth), ("[\"\\\\ \"]", 3));

        inbox::add_attempts(c, &s, &[ids[1], ids[2], ids[299]])?;
        inbox::add_attempts(c, &s, &[])?;
        assert_eq!(
            inbox::get(c, &s, &ids[2])?.map(|item| item.attempts),
            Some(1)
        );
        assert_eq!(
            inbox::get(c, &s, &ids[3])?.map(|item| item.attempts),
            Some(0)
        );
        inbox::remove_all(c, &s, &ids[..298])?;
        inbox::remove_all(c, &s, &[])?;
        let left = inbox::counts(c, &[s.clone(), other.clone()])?;
        assert_eq!(left, [(s, 1), (other, 1)].into());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_row_that_conflicts_undoes_all_rows_with_it(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let event = |seq| NewEvent {
        id: EventId { ms: 1, seq },
        channel: "",
        emit_id: "e",
        meta: "{}",
        data: "1",
    };
    let s = source_id("s");
    t.write(move |c| events::insert_all(c, &s, [(event(1), None), (event(2), None)].into_iter()))
        .unwrap();
    let s = source_id("s");
    let refused = t.write(move |c| {
        events::insert_all(c, &s, [(event(3), None), (event(2), None)].into_iter())
    });
    assert!(
        matches!(refused, Err(StoreError::Conflict(_))),
        "{refused:?}"
    );
    let all = ChannelFilter::AllButSystem;
    assert_eq!(
        t.read(move |c| events::count(c, &source_id("s"), &all)),
        Ok(2)
    );
}

#[rstest]
fn keys_are_set_and_deleted_together(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let s = source_id("s");
        let first = [("a", Some("1")), ("b", Some("2")), ("it's", Some("3"))];
        kv::write_all(c, &s, first.into_iter())?;
        let second = [
            ("a", Some("4")),
            ("b", None),
            ("unknown", None),
            ("ä", Some("5")),
        ];
        kv::write_all(c, &s, second.into_iter())?;
        let expected = [("a", "4"), ("it's", "3"), ("ä", "5")];
        let expected = expected.map(|(key, json)| (key.to_owned(), json.to_owned()));
        assert_eq!(kv::load_all(c, &s)?, expected);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn reserved_places_of_log_lines_are_used_by_no_other_line(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let s = source_id("s");
        let line = |message| NewLog {
            invocation: None,
            ts: 5,
            kind: "stdout",
            level: "info",
            message,
        };
        let first = logs::insert(c, &s, &line("first"))?;
        let mut places = Reservation::new(2);
        c.query_together(&mut [&mut places])?;
        let seqs = places.seqs;
        assert!(
            seqs.len() == 2 && first < seqs[0] && seqs[0] < seqs[1],
            "{seqs:?}"
        );
        let lines = [(seqs[0], line("sec\0ond")), (seqs[1], line("third"))];
        logs::insert_all(c, &s, lines.into_iter())?;
        let last = logs::insert(c, &s, &line("last"))?;
        assert!(last > seqs[1]);
        let page = logs::page(c, &s, 10, None, None)?;
        let found: Vec<(i64, &str)> = page.iter().map(|log| (log.seq, &*log.message)).collect();
        let expected = [
            (last, "last"),
            (seqs[1], "third"),
            (seqs[0], "second"),
            (first, "first"),
        ];
        assert_eq!(found, expected);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn queries_that_are_sent_together_each_get_their_rows(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let s = source_id("s").into();
        let id = EventId { ms: 7, seq: 1 };
        let event = NewEvent {
            id,
            channel: "",
            emit_id: "e",
            meta: "{}",
            data: "1",
        };
        events::insert_all(c, &s, [(event, None)].into_iter())?;
        let held = HeldEvent {
            emitter_id: s.clone(),
            id,
            due_at: 9,
            depth: 0,
        };
        held_events::insert(c, &held)?;
        let fence = claimed(c, &source_id("s"), "server")?;
        let mut number = TakeNumber::new(&s, &fence, 1, None);
        let mut known = Take::new(&s, id);
        let mut unknown = Take::new(&s, EventId { ms: 7, seq: 2 });
        let mut places = Reservation::new(3);
        c.query_together(&mut [&mut number, &mut known, &mut unknown, &mut places])?;
        assert_eq!(number.outcome(c)?, Advance::Advanced);
        assert_eq!(known.taken.map(|event| event.id), Some(id));
        assert_eq!(unknown.taken, None);
        assert_eq!(places.seqs.len(), 3);
        held_events::remove(c, &s, id)?;
        assert!(!held_events::is_held(c, &s, id)?);
        assert_eq!(state::advance(c, &s, &fence, 1, None)?, Advance::Repeated);
        let tick = timers::LastTick {
            due_at: 4,
            lateness_ms: 0,
        };
        timers::rearm(c, &s, "no such timer", 5, tick)
    })
    .unwrap();
}

/// A query that fails.
struct Nonsense;

impl<'p> Query<'p> for Nonsense {
    fn sql(&self, _: Dialect) -> Cow<'static, str> {
        "SELECT CAST('x' AS BIGINT) / 0 FROM users".into()
    }

    fn params(&self) -> Vec<Value<'p>> {
        Vec::new()
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        row.get::<i64>(0).map(drop)
    }
}

#[rstest]
fn a_failing_query_among_others_undoes_everything(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| users::insert(c, &user("a"), "f")).unwrap();
    let result = t.write(|c| {
        insert_key(c, "a")?;
        let s = source_id("s").into();
        let fence = claimed(c, &source_id("s"), "server")?;
        let mut number = TakeNumber::new(&s, &fence, 1, None);
        let _ = c.query_together(&mut [&mut number, &mut Nonsense]);
        insert_key(c, "b")
    });
    assert!(result.is_err(), "{result:?}");
    assert_eq!(keys(&t), Vec::<String>::new());
    assert_eq!(
        t.read(|c| state::load(c, &source_id("s")))
            .unwrap()
            .commit_no,
        0
    );
}
