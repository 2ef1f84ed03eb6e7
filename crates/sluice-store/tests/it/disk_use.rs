//! The disk space of a user's data.

use rstest::rstest;
use sluice_model::EventId;
use sluice_store::{
    data_stores::{
        StoreRef,
        entries::{self, Expiry},
    },
    disk_use::{self, DiskUse},
    events::{self, NewEvent},
    kv, sources,
};

use crate::support::{self, Db, TestStore, source_id, user_id};

#[rstest]
fn the_data_of_a_user_is_added_up_and_its_oldest_events_are_found(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        for (user, source) in [(&a, "a1"), (&a, "a2"), (&b, "b1")] {
            sources::insert(c, &support::source(source, user, 1))?;
        }
        let id = |ms, seq| EventId { ms, seq };
        for (source, id) in [
            ("a1", id(1, 0)),
            ("a2", id(1, 1)),
            ("a1", id(1, 2)),
            ("b1", id(1, 0)),
        ] {
            let event = NewEvent {
                id,
                channel: "",
                emit_id: "e",
                meta: "{}",
                data: "\"12345678\"",
            };
            events::insert(c, &source_id(source), &event)?;
        }
        kv::set(c, &source_id("a1").into(), "ä", "1")?;
        let store = StoreRef {
            user: &a,
            name: "s",
        };
        entries::set(c, store, ("k", "123"), Expiry::Keep, u64::MAX, 1)?;
        let expected = DiskUse {
            data_stores: 4,
            state: 3,
            events: 36,
        };
        assert_eq!(disk_use::of_user(c, &a)?, expected);
        assert_eq!(disk_use::oldest_events(c, &a, 12)?, Some(id(1, 0)));
        assert_eq!(disk_use::oldest_events(c, &a, 13)?, Some(id(1, 1)));
        assert_eq!(disk_use::oldest_events(c, &a, 1_000)?, Some(id(1, 2)));
        assert_eq!(disk_use::oldest_events(c, &user_id("c"), 1)?, None);
        let first = disk_use::with_events_until(c, &a, id(1, 0))?;
        assert_eq!(first, [source_id("a1").into()]);
        Ok(())
    })
    .unwrap();
}
