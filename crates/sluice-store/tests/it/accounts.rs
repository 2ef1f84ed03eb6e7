//! Users and their usage.

use rstest::rstest;
use sluice_store::{
    StoreError,
    usage::{self, Usage},
    users::{self, Plan, User},
};

use crate::support::{Db, TestStore, user, user_id};

#[rstest]
fn users_are_found_by_key_and_by_id(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let operator = User {
        plan: Plan::Paid,
        operator: true,
        created_at: 5,
        ..user("op")
    };
    let inserted = operator.clone();
    t.write(move |c| {
        users::insert(c, &user("a"), "print-a")?;
        users::insert(c, &inserted, "print-op")
    })
    .unwrap();

    t.read(move |c| {
        assert_eq!(users::count(c)?, 2);
        assert_eq!(
            users::by_fingerprint(c, "print-op")?,
            Some(operator.clone())
        );
        assert_eq!(users::by_fingerprint(c, "print-x")?, None);
        assert_eq!(users::get(c, &user_id("a"))?, Some(user("a")));
        assert_eq!(users::get(c, &user_id("x"))?, None);
        assert_eq!(users::list(c)?, [operator, user("a")]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn names_and_keys_are_unique(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| users::insert(c, &user("a"), "f")).unwrap();
    let same_name = User {
        username: user("a").username,
        ..user("b")
    };
    for (taken, print) in [(user("a"), "x"), (same_name, "y"), (user("c"), "f")] {
        let result = t.write(move |c| users::insert(c, &taken, print));
        assert!(matches!(result, Err(StoreError::Conflict(_))), "{result:?}");
    }
}

#[rstest]
fn usage_adds_up_by_user_and_day(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let used = |invocations, compute_ms| Usage {
        invocations,
        compute_ms,
    };
    t.write(move |c| {
        usage::add(c, &user_id("a"), 10, used(1, 30))?;
        usage::add(c, &user_id("a"), 10, used(2, 40))?;
        usage::add(c, &user_id("a"), 12, used(1, 1))?;
        usage::add(c, &user_id("b"), 10, used(100, 100))
    })
    .unwrap();
    t.read(move |c| {
        let a = user_id("a");
        assert_eq!(usage::of_day(c, &a, 10)?, used(3, 70));
        assert_eq!(usage::of_day(c, &a, 11)?, Usage::default());
        assert_eq!(usage::between(c, &a, 10, 12)?, used(4, 71));
        assert_eq!(usage::between(c, &a, 11, 12)?, used(1, 1));
        assert_eq!(usage::between(c, &a, 12, 11)?, Usage::default());
        Ok(())
    })
    .unwrap();
}
