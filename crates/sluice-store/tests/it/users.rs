//! Users: changes, operators, and changes of a database beside a server.

use rstest::rstest;
use sluice_store::{
    StoreError, transfer,
    users::{self, Plan, User, UserChange},
};

use crate::support::{Db, TestStore, user, user_id};

fn operator(tail: &str) -> User {
    User {
        operator: true,
        ..user(tail)
    }
}

fn with_users(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        users::insert(c, &operator("b"), "key-b")?;
        users::insert(c, &operator("a"), "key-a")?;
        users::insert(c, &user("c"), "key-c")
    })
    .unwrap();
    Some(t)
}

#[rstest]
fn a_change_leaves_absent_values(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_users(db) else { return };
    let update = |change: UserChange| t.write(move |c| users::update(c, &user_id("c"), &change));
    let paid = UserChange {
        plan: Some(Plan::Paid),
        ..UserChange::default()
    };
    let expected = User {
        plan: Plan::Paid,
        ..user("c")
    };
    assert_eq!(update(paid), Ok(Some(expected.clone())));
    let rest = UserChange {
        username: Some("new".to_owned()),
        email: Some("new@example.com".to_owned()),
        plan: None,
        operator: Some(true),
    };
    let expected = User {
        username: "new".to_owned(),
        email: "new@example.com".to_owned(),
        operator: true,
        ..expected
    };
    assert_eq!(update(rest), Ok(Some(expected)));
    let taken = update(UserChange {
        username: Some("name-a".to_owned()),
        ..UserChange::default()
    });
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    let unknown = t.write(|c| users::update(c, &user_id("x"), &UserChange::default()));
    assert_eq!(unknown, Ok(None));
}

#[rstest]
fn operators_are_counted_and_found(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_users(db) else { return };
    assert_eq!(t.read(|c| users::operators(c)), Ok(2));
    assert_eq!(t.write(|c| users::lock_operators(c)), Ok(2));
    assert_eq!(
        t.read(|c| users::first_operator(c)),
        Ok(Some(operator("a")))
    );
    let named = |name: String| t.read(move |c| users::named(c, &name)).unwrap();
    assert_eq!(named("name-c".to_owned()), Some(user("c")));
    assert_eq!(named(user_id("c").as_str().to_owned()), Some(user("c")));
    assert_eq!(named("nobody".to_owned()), None);
    let with_email = |email: &'static str| {
        t.read(move |c| users::operators_with_email(c, email))
            .unwrap()
    };
    assert_eq!(with_email("a@example.com"), [operator("a")]);
    assert_eq!(with_email("c@example.com"), []);
    let has = |email: &'static str| t.read(move |c| users::has_email(c, email)).unwrap();
    assert!(has("c@example.com") && !has("new@example.com"));
}

#[rstest]
fn a_database_can_be_changed_while_a_server_uses_it(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| users::insert(c, &user("a"), "key-a")).unwrap();
    let set = |print: &'static str| {
        transfer::update(&t.place.location(), |c| {
            users::set_key(c, &user_id("a"), print, "sealed")
        })
    };
    assert_eq!(set("key-new"), Ok(true));
    assert_eq!(t.read(|c| users::by_fingerprint(c, "key-a")), Ok(None));
    let failed = transfer::update(&t.place.location(), |c| {
        users::set_key(c, &user_id("a"), "key-lost", "sealed")?;
        Err::<(), _>(StoreError::Invalid("no".to_owned()))
    });
    assert_eq!(failed, Err(StoreError::Invalid("no".to_owned())));
    let found = t.read(|c| users::by_fingerprint(c, "key-new")).unwrap();
    assert_eq!(found.map(|user| user.id), Some(user_id("a")));
    t.write(|c| users::insert(c, &user("b"), "key-b")).unwrap();
}
