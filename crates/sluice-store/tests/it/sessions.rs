//! Sessions: their users, how long they last, and how they end.

use rstest::rstest;
use sluice_model::SessionId;
use sluice_store::{
    Page,
    sessions::{self, NewSession, Session},
    users,
};

use crate::support::{Db, TestStore, user, user_id};

fn id(token: &str) -> SessionId {
    SessionId::parse(&format!("ses_{token}")).unwrap()
}

pub(crate) fn new(token: &str, created_at: i64, expires_at: i64) -> NewSession {
    NewSession {
        id: id(token),
        token_fingerprint: token.to_owned(),
        user_agent: format!("browser {token}"),
        address: "127.0.0.1".to_owned(),
        created_at,
        expires_at,
    }
}

/// Users `a` and `b` with keys `key-a` and `key-b`; `a` is signed in twice, `b` once.
fn signed_in(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        users::insert(c, &user("a"), "key-a")?;
        users::insert(c, &user("b"), "key-b")?;
        for (key, token) in [("key-a", "one"), ("key-a", "two"), ("key-b", "three")] {
            assert!(sessions::begin(c, key, &new(token, 1_000, 2_000))?.is_some());
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
    let begun = t.write(|c| sessions::begin(c, "key-a", &new("four", 5, 6)));
    assert_eq!(begun, Ok(Some(user("a"))));
    let found = t.read(|c| sessions::by_fingerprint(c, "four", 5)).unwrap();
    let session = Session {
        id: id("four"),
        user_id: user_id("a"),
        user_agent: "browser four".to_owned(),
        address: "127.0.0.1".to_owned(),
        created_at: 5,
        used_at: 5,
        expires_at: 6,
    };
    assert_eq!(found, Some(session));
    let unknown = t.write(|c| sessions::begin(c, "key-x", &new("five", 5, 6)));
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
    let begun = t.write(|c| sessions::begin(c, "key-a", &new("one", 1_000, 2_000)));
    assert_eq!(begun, Ok(None));
    assert_eq!(lasting(&t, 1_000), ["three"]);
}

#[rstest]
fn the_sessions_of_a_user_go_with_them(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = signed_in(db) else { return };
    t.write(|c| users::remove(c, &user_id("a"))).unwrap();
    assert_eq!(lasting(&t, 1_000), ["three"]);
}

#[rstest]
fn a_user_sees_and_ends_the_own_sessions_only(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = signed_in(db) else { return };
    let listed = |user: &str, now: i64| {
        let user = user_id(user);
        let page = Page {
            limit: 10,
            after: None,
            before: None,
        };
        t.read(move |c| {
            let rows = sessions::page(c, &user, now, &page)?;
            let ids: Vec<SessionId> = rows.into_iter().map(|row| row.id).collect();
            assert_eq!(sessions::count(c, &user, now)?, ids.len() as u64);
            Ok(ids)
        })
        .unwrap()
    };
    assert_eq!(listed("a", 1_999), [id("two"), id("one")]);
    assert_eq!(listed("a", 2_000), []);
    let end = |user: &str, token: &str| {
        let (user, id) = (user_id(user), id(token));
        t.write(move |c| sessions::end_of_user(c, &user, &id))
    };
    assert_eq!(end("b", "one"), Ok(false));
    assert_eq!(end("a", "one"), Ok(true));
    assert_eq!(end("a", "one"), Ok(false));
    let kept = t.write(|c| sessions::end_others(c, &user_id("a"), Some(&id("two"))));
    assert_eq!(kept, Ok(0));
    let all = t.write(|c| sessions::end_others(c, &user_id("a"), None));
    assert_eq!((all, listed("b", 0)), (Ok(1), vec![id("three")]));
}
