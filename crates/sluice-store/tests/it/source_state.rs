//! The state of a source: dedupe, its last event, and `$.service.db`.

use rstest::rstest;
use sluice_model::{DedupeKey, DedupeState, DedupeStrategy, EventId};
use sluice_store::{
    StoreError, kv,
    state::{self, SourceState},
};

use crate::support::{Db, TestStore, source_id};

#[rstest]
fn state_is_saved_and_replaced(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        assert_eq!(state::load(c, &id)?, SourceState::default());

        let mut dedupe = DedupeState::default();
        let key = DedupeKey {
            id: Some("ä-1".to_owned()),
            ts: None,
        };
        dedupe.admit(Some(DedupeStrategy::Unique), &[key]);
        let saved = SourceState {
            last_event: Some(EventId { ms: 5, seq: 3 }),
            dedupe,
        };
        state::save(c, &id, &saved)?;
        assert_eq!(state::load(c, &id)?, saved);

        let json = serde_json::to_string(&saved.dedupe).unwrap();
        let later = Some(EventId { ms: 6, seq: 0 });
        state::save_raw(c, &id, later, Some(&json), None)?;
        assert_eq!(
            state::load(c, &id)?,
            SourceState {
                last_event: later,
                ..saved
            }
        );

        state::save(c, &id, &SourceState::default())?;
        assert_eq!(state::load(c, &id)?, SourceState::default());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_state_that_does_not_parse_is_corrupt(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| state::save_raw(c, &source_id("s"), None, Some("{"), None))
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
    let longest: String = (0..kv::MAX_KEY_BYTES)
        .map(|_| char::from(rand::random_range(b'!'..b'~')))
        .collect();
    let longer = format!("{longest}x");
    t.write(move |c| kv::set(c, &source_id("s"), &longest, "1"))
        .unwrap();
    let result = t.write(move |c| kv::set(c, &source_id("s"), &longer, "1"));
    assert!(matches!(result, Err(StoreError::Invalid(_))), "{result:?}");
}
