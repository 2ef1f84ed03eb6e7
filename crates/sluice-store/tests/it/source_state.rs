//! The state of a source: commit number, dedupe, last event and `$.service.db`.

use rand::{RngExt, SeedableRng, rngs::StdRng};
use rstest::rstest;
use sluice_model::{DedupeKey, DedupeState, DedupeStrategy, EventId};
use sluice_store::{
    Conn, StoreError, kv, sources,
    state::{self, Advance, Claim, EmitterState, NewState},
};

use crate::support::{Db, TestStore, claim, claimed, source, source_id, user_id};

#[rstest]
fn state_is_saved_and_replaced(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        let fence = claimed(c, &id, "server")?;
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
            let advanced = state::advance(c, &id, &fence, number, Some(saved))?;
            assert_eq!(advanced, Advance::Advanced);
            let expected = EmitterState {
                commit_no: number,
                last_event,
                dedupe: dedupe.clone(),
                generation: 0,
            };
            assert_eq!(state::load(c, &id)?, expected);
        }
        assert_eq!(state::advance(c, &id, &fence, 3, None)?, Advance::Advanced);
        assert_eq!(state::load(c, &id)?.dedupe, dedupe, "it is kept");
        state::advance(c, &id, &fence, 4, Some(NewState::default()))?;
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
        let fence = claimed(c, &id, "server")?;
        let advance = |c: &mut dyn Conn, number| state::advance(c, &id, &fence, number, None);
        assert_eq!(advance(c, 1)?, Advance::Advanced);
        assert_eq!(advance(c, 1)?, Advance::Repeated);
        assert_eq!(advance(c, 3)?, Advance::OutOfOrder(1));
        let lost = NewState {
            last_event: Some(EventId { ms: 9, seq: 9 }),
            ..NewState::default()
        };
        let repeated = state::advance(c, &id, &fence, 1, Some(lost))?;
        assert_eq!(repeated, Advance::Repeated);
        assert_eq!(state::load(c, &id)?.last_event, None);
        let advanced = state::advance(c, &id, &fence, 2, Some(lost))?;
        assert_eq!(advanced, Advance::Advanced);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn only_the_last_claim_commits(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        let first = claimed(c, &id, "first")?;
        let advance = |c: &mut dyn Conn, fence: &_, number| {
            state::advance(c, &source_id("s"), fence, number, None)
        };
        assert_eq!(advance(c, &first, 1)?, Advance::Advanced);
        let second = claim(c, &id, "second")?;
        assert_eq!(advance(c, &first, 2)?, Advance::Fenced);
        assert_eq!(
            advance(c, &first, 1)?,
            Advance::Fenced,
            "also when repeated"
        );
        assert!(!state::is_held(c, &id, &first)? && !state::hold(c, &id, &first)?);
        assert!(state::is_held(c, &id, &second)? && state::hold(c, &id, &second)?);
        assert_eq!(advance(c, &second, 2)?, Advance::Advanced);

        // The same server claims again, as after a panic of its owner.
        let third = claim(c, &id, "second")?;
        assert_eq!(advance(c, &second, 3)?, Advance::Fenced);
        assert_eq!(advance(c, &third, 3)?, Advance::Advanced);
        assert_eq!(state::load(c, &id)?.commit_no, 3);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_removed_source_cannot_be_claimed_and_does_not_come_back(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        sources::insert(c, &source("s", &user_id("a"), 1))?;
        let fence = claim(c, &id, "server")?;
        sources::remove(c, &id)?;
        let advanced = state::advance(c, &id, &fence, 1, None)?;
        assert_eq!(advanced, Advance::Gone);
        let claimed = state::claim(c, &id, &"server".into(), true)?;
        assert_eq!(claimed, Claim::Gone);
        Ok(())
    })
    .unwrap();
}

/// A claim waits for a commit that is in progress, and sees it; a commit that comes later waits for the claim.
#[test]
fn a_claim_and_a_commit_exclude_each_other() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let fence = t.write(|c| claimed(c, &source_id("s"), "zombie")).unwrap();
    for round in 0..50 {
        t.runtime.block_on(async {
            let fence = fence.clone();
            let commit = t.store.commit(move |c| {
                let number = state::load(c, &source_id("s"))?.commit_no + 1;
                state::advance(c, &source_id("s"), &fence, number, None)
            });
            let claimed = t.store.write(move |c| {
                claim(c, &source_id("s"), "next")?;
                Ok(state::load(c, &source_id("s"))?.commit_no)
            });
            let (advanced, seen) = tokio::join!(commit, claimed);
            let kept = t.store.read(|c| state::load(c, &source_id("s"))).await;
            assert_eq!(
                kept.unwrap().commit_no,
                seen.unwrap(),
                "{round}: {advanced:?}"
            );
        });
    }
}

#[rstest]
fn a_state_that_does_not_parse_is_corrupt(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let broken = NewState {
        dedupe: Some("{"),
        ..NewState::default()
    };
    t.write(move |c| {
        let fence = claimed(c, &source_id("s"), "server")?;
        state::advance(c, &source_id("s"), &fence, 1, Some(broken))
    })
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
