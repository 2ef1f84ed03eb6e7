//! Log lines.

use rstest::rstest;
use sluice_store::{
    BatchLimit, Conn, Result,
    logs::{self, NewLog},
};

use crate::support::{Db, TestStore, source_id};

fn log(c: &mut dyn Conn, source: &str, message: &str) -> Result<()> {
    let line = NewLog {
        invocation: Some("i"),
        ts: 3,
        kind: "console",
        level: "warn",
        message,
    };
    logs::insert(c, &source_id(source), &line)?;
    Ok(())
}

fn page(c: &mut dyn Conn, limit: u32, after: Option<i64>, before: Option<i64>) -> String {
    let lines = logs::page(c, &source_id("s"), limit, after, before).unwrap();
    lines.iter().map(|line| line.message.as_str()).collect()
}

#[rstest]
fn lines_page_newest_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for message in ["a", "b", "c", "d"] {
            log(c, "s", message)?;
            log(c, "foreign", "x")?;
        }
        let lines = logs::page(c, &source_id("s"), 9, None, None)?;
        let [d, c_line, b, a] = &lines[..] else {
            panic!("{lines:?}")
        };
        assert!(d.seq > c_line.seq && c_line.seq > b.seq && b.seq > a.seq);
        assert_eq!(
            (a.ts, a.kind.as_str(), a.level.as_str()),
            (3, "console", "warn")
        );
        assert_eq!(a.invocation.as_deref(), Some("i"));
        assert_eq!(page(c, 2, None, None), "dc");
        assert_eq!(page(c, 2, Some(c_line.seq), None), "ba");
        assert_eq!(page(c, 2, None, Some(a.seq)), "cb");
        assert_eq!(page(c, 9, Some(d.seq), Some(a.seq)), "cb");
        assert_eq!(logs::count(c, &source_id("s"))?, 4);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn nul_is_left_out_of_a_message(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        log(c, "s", "a\0b\0")?;
        assert_eq!(page(c, 1, None, None), "ab");
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn lines_are_found_by_their_place_and_deleted_by_it(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let source = source_id("s");
        for message in ["a", "b", "c", "d"] {
            log(c, "s", message)?;
            log(c, "foreign", "x")?;
        }
        let b = logs::seq_behind(c, &source, 2)?.unwrap();
        assert_eq!(logs::get(c, &source, b)?.unwrap().message, "b");
        assert_eq!(logs::get(c, &source_id("foreign"), b)?, None);
        assert_eq!(logs::seq_behind(c, &source, 4)?, None);
        assert_eq!(logs::delete_range(c, &source, Some(b), Some(b))?, 1);
        assert_eq!(page(c, 9, None, None), "dca");
        assert_eq!(logs::delete_range(c, &source, Some(b), None)?, 2);
        assert_eq!(page(c, 9, None, None), "a");
        let newest = logs::seq_behind(c, &source, 0)?;
        assert_eq!(logs::delete_range(c, &source, None, newest)?, 1);
        log(c, "s", "e")?;
        assert_eq!(page(c, 9, None, newest), "e", "no place is used twice");
        assert_eq!(logs::count(c, &source_id("foreign"))?, 4);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn what_was_logged_after_a_line_is_oldest_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let s = source_id("s");
        assert_eq!(logs::newest_seq(c, &s)?, 0);
        for message in ["a", "bb", "ccc"] {
            log(c, "s", message)?;
            log(c, "foreign", "x")?;
        }
        let after = |c: &mut dyn Conn, seq, rows, bytes| {
            let lines = logs::after(c, &s, seq, BatchLimit { rows, bytes }).unwrap();
            let messages: Vec<String> = lines.into_iter().map(|line| line.message).collect();
            messages.join(" ")
        };
        let first = logs::page(c, &s, 9, None, None)?[2].seq;
        assert_eq!(after(c, 0, 9, 99), "a bb ccc");
        assert_eq!(after(c, first, 9, 99), "bb ccc");
        assert_eq!(after(c, 0, 2, 99), "a bb");
        assert_eq!(after(c, first, 9, 1), "bb");
        let newest = logs::newest_seq(c, &s)?;
        assert_eq!(after(c, newest, 9, 99), "");
        Ok(())
    })
    .unwrap();
}
