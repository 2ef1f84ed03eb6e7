//! Uploaded files.

use rstest::rstest;
use sluice_store::{
    inbox::{self, InboxKind, NewInboxItem},
    uploads::{self, Upload},
};

use crate::support::{Db, TestStore, invocation_ids, source_id};

fn upload(id: &str, invocation: usize, created_at: i64) -> Upload {
    Upload {
        id: id.to_owned(),
        emitter_id: source_id("s").into(),
        invocation_id: invocation_ids(2)[invocation],
        filename: "photo.png".to_owned(),
        mimetype: "image/png".to_owned(),
        content: vec![0, 255, 0, 13],
        created_at,
    }
}

#[rstest]
fn files_stay_with_their_invocation(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = invocation_ids(2);
        let source = source_id("s");
        for file in [upload("b", 0, 1), upload("a", 0, 1), upload("c", 1, 1)] {
            uploads::insert(c, &file)?;
        }
        let of_first = uploads::of_invocation(c, &source, &ids[0])?;
        assert_eq!(of_first, [upload("a", 0, 1), upload("b", 0, 1)]);
        assert_eq!(uploads::of_invocation(c, &source_id("x"), &ids[0])?, []);
        assert_eq!(uploads::get(c, "c")?, Some(upload("c", 1, 1)));
        assert_eq!(uploads::get(c, "x")?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn old_files_go_the_oldest_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (id, at) in [("new", 9), ("older", 2), ("oldest", 1), ("old", 3)] {
            uploads::insert(c, &upload(id, 0, at))?;
        }
        assert_eq!(uploads::remove_older_than(c, 4, 2)?, 2);
        assert_eq!(uploads::get(c, "oldest")?, None);
        assert!(uploads::get(c, "old")?.is_some());
        assert_eq!(uploads::remove_older_than(c, 4, 9)?, 1);
        assert_eq!(uploads::remove_older_than(c, 9, 9)?, 0);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn files_of_work_that_still_waits_are_kept(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = invocation_ids(2);
        uploads::insert(c, &upload("waits", 0, 1))?;
        uploads::insert(c, &upload("ran", 1, 1))?;
        let item = NewInboxItem {
            id: &ids[0],
            kind: InboxKind::Http,
            prop: None,
            payload: "{}",
            accepted_at: 1,
            depth: 0,
            reply_to: None,
            trace: None,
        };
        inbox::insert(c, &source_id("s"), &item)?;
        assert_eq!(uploads::remove_older_than(c, 9, 9)?, 1);
        assert!(uploads::get(c, "waits")?.is_some());
        inbox::remove(c, &source_id("s"), &ids[0])?;
        assert_eq!(uploads::remove_older_than(c, 9, 9)?, 1);
        Ok(())
    })
    .unwrap();
}
