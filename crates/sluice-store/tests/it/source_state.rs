//! The state of a source: commit number, dedupe, last event and `$.service.db`.

use rand::{RngExt, SeedableRng, rngs::StdRng};
use rstest::rstest;
use sluice_model::{DedupeKey, DedupeState, DedupeStrategy, EventId};
use sluice_store::{
    StoreError, kv,
    state::{self, Advance, EmitterState, NewState},
};

use crate::support::{Db, TestStore, source_id};

#[rstest]
fn state_is_saved_and_replaced(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        assert_eq!(state::load(c, &id)?, EmitterState::default());

        let mut dedupe = DedupeState::default();
        let key = DedupeKey {
            id: Some("ä-1".to_owned()),
            ts: None,
        };
        dedupe.admit(Some(DedupeStrategy::Unique), &[key]);
        let json = serde_json::to_string(&dedupe).unwrap();
        for (number, ms) in [(1, 5), (2, 6)] {
            let last_event = Some(EventId { ms, seq: 3 });
            let saved = NewState {
                last_event,
                dedupe: Some(&json),
                emitted_at: None,
            };
            let advanced = state::advance_with(c, &id, number, &saved)?;
            assert_eq!(advanced, Advance::Advanced);
            let expected = EmitterState {
                commit_no: number,
                last_event,
                dedupe: dedupe.clone(),
            };
            assert_eq!(state::load(c, &id)?, expected);
        }
        assert_eq!(state::advance(c, &id, 3)?, Advance::Advanced);
        assert_eq!(state::load(c, &id)?.dedupe, dedupe, "it is kept");
        state::advance_with(c, &id, 4, &NewState::default())?;
        assert_eq!(state::load(c, &id)?.dedupe, DedupeState::default());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_commit_number_is_taken_once_and_in_order(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        assert_eq!(state::advance(c, &id, 1)?, Advance::Advanced);
        assert_eq!(state::advance(c, &id, 1)?, Advance::At(1));
        assert_eq!(state::advance(c, &id, 3)?, Advance::At(1));
        let lost = NewState {
            last_event: Some(EventId { ms: 9, seq: 9 }),
            ..NewState::default()
        };
        assert_eq!(state::advance_with(c, &id, 1, &lost)?, Advance::At(1));
        assert_eq!(state::load(c, &id)?.last_event, None);
        assert_eq!(state::advance_with(c, &id, 2, &lost)?, Advance::Advanced);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_state_that_does_not_parse_is_corrupt(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let broken = NewState {
        dedupe: Some("{"),
        ..NewState::default()
    };
    t.write(move |c| state::advance_with(c, &source_id("s"), 1, &broken))
        .unwrap();
    let result = t.read(|c| state::load(c, &source_id("s")));
    assert!(matches!(result, Err(StoreError::Corrupt(_))), "{result:?}");
}

#[rstest]
fn values_are_kept_by_source_and_key(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (source_id("a"), source_id("b"));
        kv::set(c, &a, "é", "1")?;
        kv::set(c, &a, "Z", "2")?;
        kv::set(c, &a, "a", "3")?;
        kv::set(c, &a, "a", "{\"new\": true}")?;
        kv::set(c, &b, "a", "9")?;
        kv::set(c, &a, "gone", "4")?;
        kv::delete(c, &a, "gone")?;
        kv::delete(c, &a, "never")?;
        let pair = |key: &str, json: &str| (key.to_owned(), json.to_owned());
        let expected = [pair("Z", "2"), pair("a", "{\"new\": true}"), pair("é", "1")];
        assert_eq!(kv::load_all(c, &a)?, expected);
        assert_eq!(kv::load_all(c, &b)?, [pair("a", "9")]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn keys_have_a_longest_length(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    // Random enough that no database can compress it.
    let mut rng = StdRng::seed_from_u64(1);
    let longest: String = (0..kv::MAX_KEY_BYTES)
        .map(|_| char::from(rng.random_range(b'!'..b'~')))
        .collect();
    let longer = format!("{longest}x");
    t.write(move |c| kv::set(c, &source_id("s"), &longest, "1"))
        .unwrap();
    let result = t.write(move |c| kv::set(c, &source_id("s"), &longer, "1"));
    assert!(matches!(result, Err(StoreError::Invalid(_))), "{result:?}");
}
