//! Sessions: their users, how long they last, and how they end.

use rstest::rstest;
use sluice_store::{
    sessions::{self, Session},
    users,
};

use crate::support::{Db, TestStore, user, user_id};

/// Users `a` and `b` with keys `key-a` and `key-b`; `a` is signed in twice, `b` once.
fn signed_in(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        users::insert(c, &user("a"), "key-a")?;
        users::insert(c, &user("b"), "key-b")?;
        for (key, token) in [("key-a", "one"), ("key-a", "two"), ("key-b", "three")] {
            assert!(sessions::begin(c, key, token, 1_000, 2_000)?.is_some());
        }
        Ok(())
    })
    .unwrap();
    Some(t)
}

/// The tokens whose sessions last at a time.
fn lasting(t: &TestStore, now: i64) -> Vec<&'static str> {
    t.read(move |c| {
        let mut lasting = Vec::new();
        for token in ["one", "two", "three"] {
            if sessions::by_fingerprint(c, token, now)?.is_some() {
                lasting.push(token);
            }
        }
        Ok(lasting)
    })
    .unwrap()
}

#[rstest]
fn a_session_is_of_the_user_with_the_key(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = signed_in(db) else { return };
    let begun = t.write(|c| sessions::begin(c, "key-a", "four", 5, 6));
    assert_eq!(begun, Ok(Some(user("a"))));
    let found = t.read(|c| sessions::by_fingerprint(c, "four", 5)).unwrap();
    let session = Session {
        user_id: user_id("a"),
        created_at: 5,
        used_at: 5,
        expires_at: 6,
    };
    assert_eq!(found, Some(session));
    let unknown = t.write(|c| sessions::begin(c, "key-x", "five", 5, 6));
    assert_eq!(unknown, Ok(None));
    let none = t.read(|c| sessions::by_fingerprint(c, "five", 5));
    assert_eq!(none, Ok(None));
}

#[rstest]
fn a_session_lasts_until_it_expires_and_is_then_removed(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = signed_in(db) else { return };
    t.write(|c| sessions::touch(c, "three", 1_000, 1_500, 2_500))
        .unwrap();
    assert_eq!(lasting(&t, 1_999), ["one", "two", "three"]);
    assert_eq!(lasting(&t, 2_000), ["three"]);
    assert_eq!(t.write(|c| sessions::remove_expired(c, 2_000)), Ok(2));
    assert_eq!(lasting(&t, 1_999), ["three"]);
}

#[rstest]
fn use_is_noted_unless_it_has_been_since(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = signed_in(db) else { return };
    let used = |t: &TestStore| {
        let session = t.read(|c| sessions::by_fingerprint(c, "one", 0));
        let session = session.unwrap().unwrap();
        (session.created_at, session.used_at, session.expires_at)
    };
    t.write(|c| sessions::touch(c, "one", 999, 1_500, 3_000))
        .unwrap();
    assert_eq!(used(&t), (1_000, 1_000, 2_000));
    t.write(|c| sessions::touch(c, "one", 1_000, 1_500, 3_000))
        .unwrap();
    assert_eq!(used(&t), (1_000, 1_500, 3_000));
    t.write(|c| sessions::touch(c, "one", 1_000, 1_600, 4_000))
        .unwrap();
    assert_eq!(used(&t), (1_000, 1_500, 3_000));
}

#[rstest]
fn signing_out_ends_one_session(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = signed_in(db) else { return };
    t.write(|c| sessions::end(c, "one")).unwrap();
    t.write(|c| sessions::end(c, "unknown")).unwrap();
    assert_eq!(lasting(&t, 1_000), ["two", "three"]);
}

#[rstest]
fn another_key_ends_all_sessions_of_its_user_and_the_old_one_begins_none(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = signed_in(db) else { return };
    t.write(|c| users::set_key(c, &user_id("a"), "key-new", "sealed"))
        .unwrap();
    assert_eq!(lasting(&t, 1_000), ["three"]);
    let begun = t.write(|c| sessions::begin(c, "key-a", "one", 1_000, 2_000));
    assert_eq!(begun, Ok(None));
    assert_eq!(lasting(&t, 1_000), ["three"]);
}

#[rstest]
fn the_sessions_of_a_user_go_with_them(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = signed_in(db) else { return };
    t.write(|c| users::remove(c, &user_id("a"))).unwrap();
    assert_eq!(lasting(&t, 1_000), ["three"]);
}
