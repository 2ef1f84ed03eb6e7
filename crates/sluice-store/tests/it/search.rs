//! Looking for text and times.

use rstest::rstest;
use sluice_model::EventId;
use sluice_store::{
    Conn, Result,
    events::{self, ChannelFilter, NewEvent},
    logs::{self, NewLog},
    search::{self, Search},
};

use crate::support::{Db, TestStore, source_id};

fn emit(c: &mut dyn Conn, ms: i64, channel: &str, meta: &str, data: &str) -> Result<()> {
    let event = NewEvent {
        id: EventId { ms, seq: 0 },
        channel,
        emit_id: "emit",
        meta,
        data,
    };
    events::insert(c, &source_id("s"), &event)
}

fn text(text: &str) -> Search {
    Search {
        text: Some(text.to_owned()),
        ..Search::default()
    }
}

/// All that is found, step by step: the times of events.
fn found(c: &mut dyn Conn, filter: &ChannelFilter, search: &Search) -> Vec<i64> {
    let mut all = Vec::new();
    let mut below = None;
    loop {
        let step = search::events(c, &source_id("s"), filter, search, below).unwrap();
        all.extend(step.found.iter().map(|id| id.ms));
        below = step.next;
        if below.is_none() {
            return all;
        }
    }
}

#[rstest]
fn text_is_found_in_keys_values_and_summaries(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        emit(c, 1, "", "{}", r#"{"City":"Köln","n":1}"#)?;
        emit(
            c,
            2,
            "",
            r#"{"id":"secret","summary":"A CITY \"so\""}"#,
            "1",
        )?;
        emit(c, 3, "alerts", "{}", r#""100% _ \"quoted\"\nnext""#)?;
        emit(c, 4, "$errors", "{}", r#""city""#)?;
        let all = ChannelFilter::AllButSystem;
        let mut find = |needle: &str| found(c, &all, &text(needle));
        assert_eq!(find("city"), [2, 1]);
        assert_eq!(find("CITY"), [2, 1]);
        assert_eq!(find("KöLN"), [1]);
        assert_eq!(find("KÖLN"), [0; 0], "letters beyond ASCII keep their case");
        assert_eq!(find("%"), [3]);
        assert_eq!(find("_"), [3]);
        assert_eq!(find("\"quoted\"\nNEXT"), [3]);
        assert_eq!(find("so\""), [2]);
        assert_eq!(find("secret"), [0; 0], "only the summary of the metadata");
        assert_eq!(find("summary"), [0; 0]);
        let one = |name: &str| ChannelFilter::One(name.to_owned());
        assert_eq!(found(c, &one("$errors"), &text("city")), [4]);
        assert_eq!(found(c, &one(""), &text("1")), [2, 1]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn times_are_included_and_go_with_text(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for ms in 1..=5 {
            emit(c, ms, "", "{}", &format!("\"n{}\"", ms % 2))?;
        }
        let all = ChannelFilter::AllButSystem;
        let mut find = |text: Option<&str>, since, until| {
            let text = text.map(str::to_owned);
            found(c, &all, &Search { text, since, until })
        };
        assert_eq!(find(None, Some(2), Some(4)), [4, 3, 2]);
        assert_eq!(find(None, None, Some(2)), [2, 1]);
        assert_eq!(find(None, Some(5), None), [5]);
        assert_eq!(find(Some("n1"), Some(2), Some(4)), [3]);
        assert_eq!(find(None, Some(6), None), [0; 0]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_step_is_bounded_in_rows_and_in_bytes(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for ms in 1..=1_500 {
            emit(c, ms, "", "{}", "\"x\"")?;
        }
        let all = ChannelFilter::AllButSystem;
        let first = search::events(c, &source_id("s"), &all, &text("x"), None)?;
        assert_eq!(first.found.len(), 1_000);
        assert_eq!(first.next, Some(EventId { ms: 501, seq: 0 }));
        assert_eq!(found(c, &all, &text("X")).len(), 1_500);
        let large = format!("\"{}\"", "y".repeat(3_000_000));
        for ms in 2_001..=2_005 {
            emit(c, ms, "", "{}", &large)?;
        }
        let first = search::events(c, &source_id("s"), &all, &text("y"), None)?;
        assert_eq!(first.found.len(), 2);
        assert_eq!(found(c, &all, &text("y")).len(), 5);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn lines_are_searched_by_message_and_time(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (ts, message) in [(1, "One\n\"a\""), (3, "two_"), (2, "ONE")] {
            let line = NewLog {
                invocation: None,
                ts,
                kind: "one",
                level: "info",
                message,
            };
            logs::insert(c, &source_id("s"), &line)?;
        }
        let mut find = |search: &Search| {
            let found = search::logs(c, &source_id("s"), search, None).unwrap();
            assert_eq!(found.next, None);
            let ts = |seq| logs::get(c, &source_id("s"), seq).unwrap().unwrap().ts;
            found.found.into_iter().map(ts).collect::<Vec<_>>()
        };
        assert_eq!(find(&text("one")), [2, 1]);
        assert_eq!(find(&text("\"a\"")), [1]);
        assert_eq!(find(&text("_")), [3]);
        let since = Search {
            since: Some(2),
            ..Search::default()
        };
        assert_eq!(find(&since), [2, 3]);
        let until = Search {
            until: Some(1),
            ..text("one")
        };
        assert_eq!(find(&until), [1]);
        Ok(())
    })
    .unwrap();
}
