//! Searches of log lines.

use rstest::rstest;
use sluice_store::{
    logs::{self, NewLog},
    search::{self, Search},
};

use super::{between, everything, query};
use crate::support::{Db, TestStore, source_id};

#[rstest]
fn lines_are_found_by_message_fields_and_time(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let lines = [
            (1, "info", "One\n\"a\""),
            (3, "error", "two_ ÄRGER"),
            (2, "info", "ONE"),
            (4, "debug", r#"{"total": 120, "by": "one"}"#),
        ];
        for (ts, level, message) in lines {
            let line = NewLog {
                invocation: Some("inv1"),
                ts,
                kind: "console",
                level,
                message,
            };
            logs::insert(c, &source_id("s"), &line)?;
        }
        let mut find = |search: &Search| {
            let step = search::logs(c, &source_id("s"), search, &everything()).unwrap();
            assert_eq!((step.next, step.looked_at), (None, 4));
            step.found.iter().map(|line| line.ts).collect::<Vec<_>>()
        };
        assert_eq!(find(&query("one")), [4, 2, 1]);
        assert_eq!(find(&query("\"\\\"a\\\"\"")), [1]);
        assert_eq!(find(&query("_")), [3]);
        assert_eq!(find(&query("ärger")), [3]);
        assert_eq!(find(&query("level:ERROR")), [3]);
        assert_eq!(find(&query("-level:info")), [4, 3]);
        assert_eq!(find(&query("total:>100")), [4]);
        assert_eq!(find(&query("message.total:120")), [4]);
        assert_eq!(find(&query("message:one")), [2]);
        assert_eq!(find(&query("kind:console invocation:inv1")), [4, 2, 3, 1]);
        assert_eq!(find(&between(Some(2), Some(3))), [2, 3]);
        let until = Search {
            until: Some(1),
            ..query("one")
        };
        assert_eq!(find(&until), [1]);
        Ok(())
    })
    .unwrap();
}
