//! Named API keys: whose they are, how long they work, and their last use.

use rstest::rstest;
use sluice_model::{ApiKeyId, Scope};
use sluice_store::{
    Page, StoreError,
    api_keys::{self, AgentAccess, KeyOwner, NamedKey},
    users,
};

use crate::support::{Db, TestStore, user, user_id};

const ALL: Page = Page {
    limit: 10,
    after: None,
    before: None,
};

fn id(tail: &str) -> ApiKeyId {
    ApiKeyId::parse(&format!("key_{tail}")).unwrap()
}

fn key(tail: &str, owner: &str, expires_at: Option<i64>) -> NamedKey {
    NamedKey {
        id: id(tail),
        user_id: user_id(owner),
        name: format!("key {tail}"),
        scopes: [Scope::Read, Scope::Operate].into_iter().collect(),
        last_characters: "cdef".to_owned(),
        created_at: 1_000,
        expires_at,
        last_used_at: None,
        access: None,
    }
}

/// Users `a` and `b` with main keys `key-a` and `key-b`; `a` has the named keys `one`, and `two` until 2000.
fn with_keys(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        users::insert(c, &user("a"), "key-a")?;
        users::insert(c, &user("b"), "key-b")?;
        api_keys::insert(c, &key("one", "a", None), "print-one")?;
        api_keys::insert(c, &key("two", "a", Some(2_000)), "print-two")
    })
    .unwrap();
    Some(t)
}

fn owner(t: &TestStore, print: &'static str) -> Option<KeyOwner> {
    t.read(move |c| api_keys::owner(c, print)).unwrap()
}

#[rstest]
fn main_and_named_keys_have_owners(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_keys(db) else { return };
    let named = |named| {
        Some(KeyOwner {
            user: user("a"),
            named,
        })
    };
    assert_eq!(owner(&t, "key-a"), named(None));
    assert_eq!(owner(&t, "print-one"), named(Some(key("one", "a", None))));
    let two = key("two", "a", Some(2_000));
    assert_eq!([1_999, 2_000].map(|now| two.is_expired(now)), [false, true]);
    assert!(!key("one", "a", None).is_expired(i64::MAX));
    assert_eq!(owner(&t, "print-two"), named(Some(two)));
    assert_eq!(owner(&t, "print-three"), None);
    let twice = t.write(|c| api_keys::insert(c, &key("three", "b", None), "print-one"));
    assert!(matches!(twice, Err(StoreError::Conflict(_))), "{twice:?}");
}

#[rstest]
fn the_token_of_an_application_is_replaced(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_keys(db) else { return };
    let mut key = key("agent", "a", Some(9_000));
    key.access = Some(AgentAccess {
        application: "digest".to_owned(),
        token_expires_at: Some(2_000),
        renewals: 0,
        renewed_at: None,
    });
    let first = key.clone();
    t.write(move |c| api_keys::insert(c, &first, "first"))
        .unwrap();
    assert_eq!(
        owner(&t, "first").and_then(|owner| owner.named),
        Some(key.clone())
    );
    assert_eq!([1_999, 2_000].map(|now| key.is_expired(now)), [false, true]);

    key.last_characters = "0123".to_owned();
    key.access = Some(AgentAccess {
        application: "digest".to_owned(),
        token_expires_at: Some(5_000),
        renewals: 1,
        renewed_at: Some(1_500),
    });
    let second = key.clone();
    t.write(move |c| {
        assert!(api_keys::hold(c, &id("none"))?.is_none());
        assert!(api_keys::hold(c, &second.id)?.is_some());
        api_keys::renew(c, &second, "second")
    })
    .unwrap();
    assert_eq!(owner(&t, "first"), None);
    assert_eq!(
        owner(&t, "second").and_then(|owner| owner.named),
        Some(key.clone())
    );
    assert_eq!([4_999, 5_000].map(|now| key.is_expired(now)), [false, true]);
}

#[rstest]
fn keys_are_listed_and_removed_by_their_user_only(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_keys(db) else { return };
    let listed = |user: &'static str| {
        t.read(move |c| {
            let rows = api_keys::page(c, &user_id(user), &ALL)?;
            assert_eq!(api_keys::count(c, &user_id(user))?, rows.len() as u64);
            Ok(rows.into_iter().map(|row| row.id).collect::<Vec<_>>())
        })
        .unwrap()
    };
    assert_eq!(listed("a"), [id("two"), id("one")]);
    assert_eq!(listed("b"), []);
    let foreign = t.write(|c| api_keys::remove(c, &user_id("b"), &id("one")));
    assert_eq!(foreign, Ok(false));
    let own = t.write(|c| api_keys::remove(c, &user_id("a"), &id("one")));
    assert_eq!((own, listed("a")), (Ok(true), vec![id("two")]));
    assert_eq!(owner(&t, "print-one"), None);
}

#[rstest]
fn a_use_is_recorded_unless_one_was_since(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_keys(db) else { return };
    let mut uses = Vec::new();
    for (before, now) in [(0, 1_000), (999, 1_500), (1_000, 1_600)] {
        t.write(move |c| api_keys::touch(c, &id("one"), before, now))
            .unwrap();
        let named = owner(&t, "print-one").unwrap().named.unwrap();
        uses.push(named.last_used_at);
    }
    assert_eq!(uses, [Some(1_000), Some(1_000), Some(1_600)]);
}

#[rstest]
fn keys_stay_with_a_new_main_key_and_go_with_their_user(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = with_keys(db) else { return };
    t.write(|c| users::set_key(c, &user_id("a"), "key-new", "sealed"))
        .unwrap();
    assert!(owner(&t, "print-one").is_some());
    t.write(|c| users::remove(c, &user_id("a"))).unwrap();
    assert_eq!(owner(&t, "print-one"), None);
    assert_eq!(t.read(|c| api_keys::count(c, &user_id("a"))), Ok(0));
}
