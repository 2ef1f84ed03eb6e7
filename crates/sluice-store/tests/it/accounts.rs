//! Users and their usage.

use rstest::rstest;
use sluice_store::{
    Page, StoreError, components,
    registry::{self, Shelf},
    sources,
    usage::{self, Usage},
    users::{self, EmitterCounts, Plan, User, UserFilter},
};

use crate::support::{Db, TestStore, component, publication, source, user, user_id};

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
        let all = Page {
            limit: 10,
            after: None,
            before: None,
        };
        assert_eq!(
            users::page(c, &UserFilter::default(), &all)?,
            newest_first([operator.clone(), user("a")])
        );
        let name = operator.username.clone();
        let named = |name: &str| UserFilter::new(Some(name.to_owned()), None);
        assert_eq!(users::page(c, &named(&name), &all)?, [operator]);
        assert_eq!(users::page(c, &named("nobody"), &all)?, []);
        assert_eq!(users::count_in(c, &UserFilter::default())?, 2);
        assert_eq!(users::count_in(c, &named(&name))?, 1);
        for (text, found) in [
            ("NAME-A", &["u_a"][..]),
            ("a@EXAMPLE", &["u_a"]),
            ("%", &[]),
            ("name-", &["u_op", "u_a"]),
        ] {
            let filter = UserFilter::new(None, Some(text));
            let users = users::page(c, &filter, &all)?;
            let mut ids: Vec<_> = users.iter().map(|user| user.id.as_str()).collect();
            ids.sort_by_key(|id| !id.ends_with("op"));
            assert_eq!(ids, found, "{text}");
            assert_eq!(users::count_in(c, &filter)?, found.len() as u64);
        }
        let both = UserFilter::new(Some(name), Some("name-a"));
        assert_eq!(users::count_in(c, &both)?, 0);
        Ok(())
    })
    .unwrap();
}

fn newest_first(mut users: [User; 2]) -> [User; 2] {
    users.sort_by_key(|user| std::cmp::Reverse((user.created_at, user.id.clone())));
    users
}

#[rstest]
fn another_key_takes_the_place_of_the_one_before(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| users::insert(c, &user("a"), "old")).unwrap();
    let changed = t.write(|c| users::set_key(c, &user_id("a"), "new", "sealed"));
    assert_eq!(changed, Ok(true));
    let unknown = t.write(|c| users::set_key(c, &user_id("x"), "other", "sealed"));
    assert_eq!(unknown, Ok(false));
    t.read(|c| {
        assert_eq!(users::by_fingerprint(c, "old")?, None);
        let found = users::by_fingerprint(c, "new")?.unwrap();
        assert_eq!(found.key_sealed, "sealed");
        Ok(())
    })
    .unwrap();
}

fn shelf(owner: &str) -> Shelf {
    Shelf::Account(user_id(owner))
}

#[rstest]
fn a_removed_user_leaves_nothing_and_gets_nothing_any_more(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    let used = Usage {
        invocations: 1,
        compute_ms: 1,
    };
    t.write(move |c| {
        users::insert(c, &user("a"), "a")?;
        users::insert(c, &user("b"), "b")?;
        for owner in ["a", "b"] {
            usage::add(c, &user_id(owner), 1, used)?;
            let component = component(owner, &user_id(owner));
            components::insert(c, &component)?;
            registry::publish(c, &publication(&shelf(owner), &component))?;
        }
        sources::insert(c, &source("s", &user_id("b"), 1))
    })
    .unwrap();
    assert_eq!(t.write(|c| users::hold(c, &user_id("a"))), Ok(()));
    assert_eq!(t.write(|c| users::remove(c, &user_id("a"))), Ok(true));
    assert_eq!(t.write(|c| users::remove(c, &user_id("a"))), Ok(false));
    let held = t.write(|c| users::hold(c, &user_id("a")));
    assert!(matches!(held, Err(StoreError::Invalid(_))), "{held:?}");
    t.read(move |c| {
        assert_eq!(users::get(c, &user_id("a"))?, None);
        assert_eq!(registry::entries(c, &shelf("a"))?, []);
        assert_eq!(registry::entries(c, &shelf("b"))?.len(), 1);
        assert_eq!(usage::of_day(c, &user_id("a"), 1)?, Usage::default());
        assert_eq!(usage::of_day(c, &user_id("b"), 1)?, used);
        let running = EmitterCounts {
            sources: 1,
            workflows: 0,
        };
        assert_eq!(users::running(c, &user_id("b"))?, running);
        assert_eq!(users::running(c, &user_id("a"))?, EmitterCounts::default());
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
