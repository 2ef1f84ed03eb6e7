//! The size of the database.

use rstest::rstest;
use sluice_store::{events, events::NewEvent, size};

use crate::support::{Db, TestStore, source_id};

#[rstest]
fn the_size_grows_with_what_is_stored(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    const BYTES: u64 = 4 * 1024 * 1024;
    let Some(t) = TestStore::new(db) else { return };
    let before = t.read(size::bytes).unwrap();
    assert!(before > 0);
    t.write(|c| {
        // Not the same text over and over, which PostgreSQL would compress.
        let blocks: Vec<String> = (0..BYTES / 16)
            .map(|n| format!("{:016x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect();
        let data = blocks.concat();
        let event = NewEvent {
            id: sluice_model::EventId { ms: 1, seq: 0 },
            channel: "",
            emit_id: "e",
            meta: "{}",
            data: &data,
        };
        events::insert(c, &source_id("s"), &event)
    })
    .unwrap();
    let after = t.read(size::bytes).unwrap();
    assert!(after >= before + BYTES / 2, "{before} {after}");
}
