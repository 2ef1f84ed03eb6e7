//! A full disk on SQLite.

use sluice_model::InvocationId;
use sluice_store::{
    Conn, Result, StoreError,
    uploads::{self, Upload},
    users,
};

use crate::support::{
    Db, Place, TestStore, invocation_ids, source_id, user, user_id, write_together,
};

const ROOM: Option<u32> = Some(180);

fn small_disk() -> TestStore {
    let place = Place::new(Db::Sqlite).unwrap();
    let mut options = place.options();
    options.sqlite_max_pages = ROOM;
    TestStore::with(place, options)
}

fn invocation() -> InvocationId {
    invocation_ids(1)[0]
}

fn upload(c: &mut dyn Conn, id: &str, size: usize) -> Result<()> {
    let upload = Upload {
        id: id.to_owned(),
        emitter_id: source_id("s").into(),
        invocation_id: invocation(),
        filename: String::new(),
        mimetype: String::new(),
        content: vec![7; size],
        created_at: 0,
    };
    uploads::insert(c, &upload)
}

#[test]
fn a_full_disk_is_unavailable_and_passes_when_there_is_room() {
    let t = small_disk();
    let mut kept = 0;
    let full = loop {
        let id = kept.to_string();
        match t.write(move |c| upload(c, &id, 20_000)) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, StoreError::Unavailable(_)), "{full:?}");
    assert!(kept > 2, "{kept}");

    let stored = t.read(|c| uploads::of_invocation(c, &source_id("s"), &invocation()));
    assert_eq!(stored.unwrap().len(), kept);

    let removed = t.write(|c| uploads::remove_older_than(c, 1, 3));
    assert_eq!(removed, Ok(3));
    assert_eq!(t.write(|c| upload(c, "again", 20_000)), Ok(()));
}

#[test]
fn a_write_that_fills_the_disk_fails_its_group_but_not_those_behind_it() {
    let t = small_disk();
    let results = write_together(
        &t,
        vec![
            Box::new(|c| users::insert(c, &user("before"), "1")),
            Box::new(|c| upload(c, "huge", 2_000_000)),
            Box::new(|c| users::insert(c, &user("behind"), "2")),
        ],
    );
    let [before, huge, behind] = &results[..] else {
        panic!("{results:?}")
    };
    assert!(
        matches!(before, Err(StoreError::Unavailable(_))),
        "{before:?}"
    );
    assert!(matches!(huge, Err(StoreError::Unavailable(_))), "{huge:?}");
    assert_eq!(*behind, Ok(()));

    let stored = |tail| t.read(move |c| users::get(c, &user_id(tail))).unwrap();
    assert_eq!(stored("before"), None);
    assert_eq!(stored("behind"), Some(user("behind")));
}
