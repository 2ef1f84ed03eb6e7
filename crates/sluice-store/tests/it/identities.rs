//! Identities of users at a provider.

use std::slice;

use rstest::rstest;
use sluice_store::{
    StoreError,
    identities::{self, Addressee, Identity},
    sessions, users,
};

use crate::{
    sessions::new,
    support::{Db, TestStore, user, user_id},
};

fn identity(subject: &str) -> Identity {
    Identity {
        issuer: "https://id.example.com".to_owned(),
        subject: subject.to_owned(),
    }
}

fn with_users(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        users::insert(c, &user("a"), "key-a")?;
        users::insert(c, &user("b"), "key-b")
    })
    .unwrap();
    Some(t)
}

#[rstest]
fn a_user_is_linked_once_and_found_by_issuer_and_subject(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = with_users(db) else { return };
    let find = |wanted: Identity| t.read(move |c| identities::user(c, &wanted)).unwrap();
    assert_eq!(find(identity("1")), None);
    let link = |id: &'static str, subject: &'static str| {
        t.write(move |c| identities::link(c, &user_id(id), &identity(subject)))
    };
    assert_eq!(link("a", "1"), Ok(true));
    assert_eq!(link("a", "2"), Ok(false), "it is linked already");
    assert!(matches!(link("b", "1"), Err(StoreError::Conflict(_))));
    assert_eq!(find(identity("1")), Some(user_id("a")));
    let other = Identity {
        issuer: "https://other.example.com".to_owned(),
        ..identity("1")
    };
    assert_eq!(find(other), None);
    assert_eq!(link("b", "2"), Ok(true));
}

#[rstest]
fn users_are_found_by_their_address_in_either_case(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_users(db) else { return };
    let found = |email: &'static str| t.read(move |c| identities::with_email(c, email)).unwrap();
    let expected = Addressee {
        id: user_id("a"),
        operator: false,
        subject: None,
    };
    assert_eq!(found("A@Example.com"), slice::from_ref(&expected));
    assert_eq!(found("%@example.com"), []);
    for (claimed, matches) in [(true, vec![]), (false, vec![expected.clone()])] {
        t.write(move |c| users::set_email_claimed(c, &user_id("a"), claimed))
            .unwrap();
        assert_eq!(found("a@example.com"), matches, "{claimed}");
    }
    t.write(|c| {
        identities::link(c, &user_id("a"), &identity("1"))?;
        let twin = users::User {
            email: "A@EXAMPLE.COM".to_owned(),
            operator: true,
            ..user("c")
        };
        users::insert(c, &twin, "key-c")
    })
    .unwrap();
    let linked = Addressee {
        subject: Some("1".to_owned()),
        ..expected
    };
    let twin = Addressee {
        id: user_id("c"),
        operator: true,
        subject: None,
    };
    assert_eq!(found("a@example.com"), [linked, twin]);
}

#[rstest]
fn a_session_begins_for_a_user_who_exists(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_users(db) else { return };
    let begun = t.write(|c| sessions::begin_of(c, &user_id("a"), &new("token", 5, 6)));
    assert_eq!(begun, Ok(Some(user("a"))));
    let found = t.read(|c| sessions::by_fingerprint(c, "token", 5)).unwrap();
    assert_eq!(found.unwrap().user_id, user_id("a"));
    let unknown = t.write(|c| sessions::begin_of(c, &user_id("x"), &new("other", 5, 6)));
    assert_eq!(unknown, Ok(None));
}
