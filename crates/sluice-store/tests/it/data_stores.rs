//! Data stores: shared by name, durable, bounded, and some entries for a time only.

use rstest::rstest;
use sluice_model::UserId;
use sluice_store::{
    Conn, Result,
    data_stores::{
        self, NamePage, StoreRef,
        entries::{self, Entry, Expiry, WriteResult},
    },
};

use crate::support::{Db, TestStore, user_id};

const NOW: i64 = 1_000;
const NO_LIMIT: u64 = u64::MAX;

fn set(
    c: &mut dyn Conn,
    user: &UserId,
    key: &str,
    json: &str,
    expiry: Expiry,
) -> Result<WriteResult> {
    entries::set(c, notes(user), (key, json), expiry, NO_LIMIT, NOW)
}

fn notes(user: &UserId) -> StoreRef<'_> {
    StoreRef {
        user,
        name: "notes",
    }
}

/// Name, bytes and number of entries of each store.
fn stores(c: &mut dyn Conn, user: &UserId, now: i64) -> Result<Vec<(String, u64, u64)>> {
    let page = NamePage {
        limit: 10,
        after: None,
        before: None,
    };
    let stores = data_stores::list(c, user, &page, now)?;
    Ok(stores
        .into_iter()
        .map(|store| (store.name, store.bytes, store.entries))
        .collect())
}

#[rstest]
fn entries_are_kept_by_user_store_and_key(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        assert_eq!(set(c, &a, "k", "1", Expiry::Keep)?, WriteResult::Stored);
        set(c, &a, "k", "{\"two\":2}", Expiry::Keep)?;
        set(c, &b, "k", "3", Expiry::Keep)?;
        let other = StoreRef {
            user: &a,
            name: "other",
        };
        entries::set(c, other, ("k", "4"), Expiry::Keep, NO_LIMIT, NOW + 1)?;
        assert_eq!(
            entries::get(c, notes(&a), "k", NOW)?.as_deref(),
            Some("{\"two\":2}")
        );
        assert_eq!(entries::get(c, notes(&b), "k", NOW)?.as_deref(), Some("3"));
        assert_eq!(entries::get(c, other, "k", NOW)?.as_deref(), Some("4"));
        assert_eq!(entries::get(c, other, "K", NOW)?, None);
        let expected = [("notes".to_owned(), 10, 1), ("other".to_owned(), 2, 1)];
        assert_eq!(stores(c, &a, NOW)?, expected);

        assert!(entries::delete(c, other, "k", NOW)?);
        assert!(!entries::delete(c, other, "k", NOW)?);
        assert!(!entries::has(c, other, "k", NOW)?);
        assert_eq!(stores(c, &a, NOW)?[1], ("other".to_owned(), 0, 0));

        assert!(data_stores::remove(c, other)?);
        assert!(!data_stores::remove(c, other)?);
        entries::clear(c, notes(&a), NOW)?;
        assert_eq!(stores(c, &a, NOW)?, [("notes".to_owned(), 0, 0)]);
        assert_eq!(data_stores::count(c, &a)?, 1);
        assert!(entries::has(c, notes(&b), "k", NOW)?);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn reading_and_deleting_make_no_store(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        assert_eq!(entries::get(c, notes(&a), "k", NOW)?, None);
        assert!(!entries::delete(c, notes(&a), "k", NOW)?);
        assert!(!entries::set_expiry(c, notes(&a), "k", None, NOW)?);
        entries::clear(c, notes(&a), NOW)?;
        assert_eq!(data_stores::count(c, &a)?, 0);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn keys_and_entries_come_in_pages_by_key(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        for key in ["b", "Z", "é", "a", "gone"] {
            let expiry = if key == "gone" {
                Expiry::At(NOW)
            } else {
                Expiry::Keep
            };
            set(c, &a, key, "\"12345678\"", expiry)?;
        }
        assert_eq!(
            entries::keys(c, notes(&a), "", 9, NOW)?,
            ["Z", "a", "b", "é"]
        );
        assert_eq!(entries::keys(c, notes(&a), "Z", 2, NOW)?, ["a", "b"]);
        let page = |c: &mut dyn Conn, after: &str, rows: u32, bytes: u64| -> Result<Vec<String>> {
            let page = entries::page(c, notes(&a), after, (rows, bytes), NOW)?;
            assert!(page.iter().all(|Entry { json, .. }| json == "\"12345678\""));
            Ok(page.into_iter().map(|entry| entry.key).collect())
        };
        assert_eq!(page(c, "", 3, NO_LIMIT)?, ["Z", "a", "b"]);
        assert_eq!(page(c, "", 9, 25)?, ["Z", "a"]);
        assert_eq!(page(c, "a", 9, 1)?, ["b"]);
        assert_eq!(page(c, "é", 9, 1)?, [""; 0]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn what_has_expired_is_gone_for_every_read_and_is_pruned(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        set(c, &a, "short", "1", Expiry::At(NOW + 10))?;
        set(c, &a, "long", "1", Expiry::At(NOW + 100))?;
        set(c, &a, "kept", "1", Expiry::Keep)?;
        let later = NOW + 10;
        assert!(entries::has(c, notes(&a), "short", later - 1)?);
        assert!(!entries::has(c, notes(&a), "short", later)?);
        assert_eq!(entries::get(c, notes(&a), "short", later)?, None);
        assert!(!entries::set_expiry(c, notes(&a), "short", None, later)?);
        assert!(!entries::delete(c, notes(&a), "short", later)?);
        set(c, &a, "short", "1", Expiry::At(later))?;

        assert_eq!(stores(c, &a, later)?, [("notes".to_owned(), 16, 2)]);
        assert!(data_stores::prune(c, 10, later)?);
        assert!(!data_stores::prune(c, 10, later)?);
        assert_eq!(stores(c, &a, later)?, [("notes".to_owned(), 10, 2)]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn setting_again_keeps_the_expiry_unless_told_otherwise(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let lasts = |c: &mut dyn Conn| entries::has(c, notes(&user_id("a")), "k", NOW + 50);
        set(c, &a, "k", "1", Expiry::At(NOW + 10))?;
        set(c, &a, "k", "2", Expiry::Keep)?;
        assert!(!lasts(c)?);
        set(c, &a, "k", "3", Expiry::Never)?;
        assert!(lasts(c)?);
        assert!(entries::set_expiry(c, notes(&a), "k", Some(NOW + 10), NOW)?);
        assert!(!lasts(c)?);
        assert!(entries::set_expiry(c, notes(&a), "k", None, NOW)?);
        assert!(lasts(c)?);
        // An expired entry that is set again is a new one.
        set(c, &a, "k", "4", Expiry::At(NOW - 1))?;
        set(c, &a, "k", "5", Expiry::Keep)?;
        assert!(lasts(c)?);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_store_takes_no_more_than_its_size_and_makes_room_of_what_has_expired(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let mut put = |key: &str, json: &str, expiry: Expiry, now: i64| {
            entries::set(c, notes(&a), (key, json), expiry, 10, now)
        };
        assert_eq!(
            put("a", "1234", Expiry::At(NOW + 10), NOW)?,
            WriteResult::Stored
        );
        assert_eq!(put("b", "1234", Expiry::Keep, NOW)?, WriteResult::Stored);
        assert_eq!(put("c", "1", Expiry::Keep, NOW)?, WriteResult::Full);
        assert_eq!(put("b", "12345", Expiry::Keep, NOW)?, WriteResult::Full);
        assert_eq!(put("b", "123", Expiry::Keep, NOW)?, WriteResult::Stored);
        assert_eq!(put("b", "1234", Expiry::Keep, NOW)?, WriteResult::Stored);
        assert_eq!(
            put("c", "1234", Expiry::Keep, NOW + 10)?,
            WriteResult::Stored
        );
        assert_eq!(stores(c, &a, NOW + 10)?, [("notes".to_owned(), 10, 2)]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn stores_are_listed_in_pages_by_name(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        for name in ["b", "Z", "é", "a"] {
            let store = StoreRef { user: &a, name };
            entries::set(c, store, ("k", "1"), Expiry::Keep, NO_LIMIT, NOW)?;
        }
        let mut names = |after: Option<&str>, before: Option<&str>| -> Result<Vec<String>> {
            let page = NamePage {
                limit: 2,
                after: after.map(str::to_owned),
                before: before.map(str::to_owned),
            };
            let stores = data_stores::list(c, &a, &page, NOW)?;
            Ok(stores.into_iter().map(|store| store.name).collect())
        };
        assert_eq!(names(None, None)?, ["Z", "a"]);
        assert_eq!(names(Some("a"), None)?, ["b", "é"]);
        assert_eq!(names(None, Some("é"))?, ["a", "b"]);
        assert_eq!(names(Some("é"), None)?, [""; 0]);
        Ok(())
    })
    .unwrap();
}
