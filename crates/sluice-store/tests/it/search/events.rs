//! Searches of events.

use rstest::rstest;
use sluice_model::EventId;
use sluice_store::{
    Conn, Result,
    events::{self, ChannelFilter, NewEvent},
    search::{self, Direction, Part, Search},
};

use super::{between, everything, query};
use crate::support::{Db, TestStore, source_id};

pub(super) fn emit(c: &mut dyn Conn, ms: i64, channel: &str, meta: &str, data: &str) -> Result<()> {
    let event = NewEvent {
        id: EventId { ms, seq: 0 },
        channel,
        emit_id: "emit",
        meta,
        data,
    };
    events::insert(c, &source_id("s"), &event)
}

/// The times of all matches.
fn found(c: &mut dyn Conn, filter: &ChannelFilter, search: &Search) -> Vec<i64> {
    times(c, filter, search, &everything()).0
}

/// The times of the matches of a part, and where the next one begins.
fn times(
    c: &mut dyn Conn,
    filter: &ChannelFilter,
    search: &Search,
    part: &Part<EventId>,
) -> (Vec<i64>, Option<i64>) {
    let step = search::events(c, &source_id("s"), filter, search, part).unwrap();
    let found = step.found.iter().map(|event| event.id.ms).collect();
    (found, step.next.map(|id| id.ms))
}

#[rstest]
fn words_are_found_in_keys_values_and_summaries(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        emit(c, 1, "", "{}", r#"{"City":"Köln","n":1}"#)?;
        let meta = r#"{"id":"secret","summary":"A CITY \"so\""}"#;
        emit(c, 2, "", meta, "1")?;
        emit(c, 3, "alerts", "{}", r#""100% _ \"quoted\"\nnext""#)?;
        emit(c, 4, "$errors", "{}", r#""city""#)?;
        let all = ChannelFilter::AllButSystem;
        let mut find = |text: &str| found(c, &all, &query(text));
        assert_eq!(find("city"), [2, 1]);
        assert_eq!(find("CITY"), [2, 1]);
        assert_eq!(find("KÖLN"), [1]);
        assert_eq!(find("%"), [3]);
        assert_eq!(find("_"), [3]);
        assert_eq!(find("\"\\\"quoted\\\"\nNEXT\""), [3]);
        assert_eq!(find("so\""), [2]);
        assert_eq!(find("-city"), [3]);
        assert_eq!(find("secret"), [0; 0], "only the summary of the metadata");
        assert_eq!(find("summary"), [0; 0]);
        let one = |name: &str| ChannelFilter::One(name.to_owned());
        assert_eq!(found(c, &one("$errors"), &query("city")), [4]);
        assert_eq!(found(c, &one(""), &query("1")), [2, 1]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn fields_are_compared(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        emit(c, 1, "", "{}", r#"{"status":"paid","total":50}"#)?;
        emit(
            c,
            2,
            "",
            r#"{"summary":"Big"}"#,
            r#"{"status":"Paid","total":150,"items":[{"sku":"A"}]}"#,
        )?;
        emit(c, 3, "vip", "{}", r#"{"status":"open","total":1e3}"#)?;
        emit(
            c,
            4,
            "",
            "{}",
            &format!("{}{}", "[".repeat(200), "]".repeat(200)),
        )?;
        let all = ChannelFilter::AllButSystem;
        let mut find = |text: &str| found(c, &all, &query(text));
        assert_eq!(find("total:>100 status:paid"), [2]);
        assert_eq!(find("status:paid"), [2, 1]);
        assert_eq!(find("total:1000"), [3]);
        assert_eq!(find("items.sku:a"), [2]);
        assert_eq!(find("-status:paid"), [4, 3]);
        assert_eq!(find("$summary:big"), [2]);
        assert_eq!(find("$channel:vip"), [3]);
        assert_eq!(find("$channel:default total:*"), [2, 1]);
        assert_eq!(find("$id:2-0"), [2]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn times_are_included_and_go_with_a_query(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for ms in 1..=5 {
            emit(c, ms, "", "{}", &format!("\"n{}\"", ms % 2))?;
        }
        let all = ChannelFilter::AllButSystem;
        let mut find = |search: &Search| found(c, &all, search);
        assert_eq!(find(&between(Some(2), Some(4))), [4, 3, 2]);
        assert_eq!(find(&between(None, Some(2))), [2, 1]);
        assert_eq!(find(&between(Some(5), None)), [5]);
        assert_eq!(find(&between(Some(6), None)), [0; 0]);
        let odd = Search {
            query: query("n1").query,
            ..between(Some(2), Some(4))
        };
        assert_eq!(find(&odd), [3]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_step_is_bounded_in_rows_bytes_and_matches(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for ms in 1..=20 {
            emit(c, ms, "", "{}", &format!("\"n{}\"", ms % 2))?;
        }
        let all = ChannelFilter::AllButSystem;
        let part = |direction, from: Option<i64>, rows, wanted| Part {
            direction,
            from: from.map(|ms| EventId { ms, seq: 0 }),
            rows,
            wanted,
        };
        let mut find = |search: &Search, part: Part<EventId>| times(c, &all, search, &part);
        let older = |from, rows, wanted| part(Direction::Older, from, rows, wanted);
        let newer = |from, rows, wanted| part(Direction::Newer, from, rows, wanted);
        let odd = query("n1");
        assert_eq!(find(&odd, older(None, 4, 9)), (vec![19, 17], Some(17)));
        assert_eq!(find(&odd, older(Some(17), 9, 2)), (vec![15, 13], Some(13)));
        assert_eq!(find(&odd, older(Some(4), 9, 9)), (vec![3, 1], None));
        assert_eq!(find(&odd, newer(Some(15), 9, 9)), (vec![17, 19], None));
        assert_eq!(find(&odd, newer(Some(2), 3, 9)), (vec![3, 5], Some(5)));
        let range = between(Some(5), Some(7));
        assert_eq!(find(&range, older(None, 9, 2)), (vec![7, 6], Some(6)));
        assert_eq!(find(&range, newer(Some(1), 9, 9)), (vec![5, 6, 7], None));
        let large = format!("\"{}\"", "y".repeat(3_000_000));
        for ms in 21..=25 {
            emit(c, ms, "", "{}", &large)?;
        }
        let (first, next) = times(c, &all, &query("y"), &everything());
        assert_eq!((first, next), (vec![25, 24], Some(24)));
        Ok(())
    })
    .unwrap();
}
