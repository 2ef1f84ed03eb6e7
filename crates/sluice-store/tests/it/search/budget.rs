//! A search ends when its budget is used up, and goes on where it was.

use std::time::Duration;

use rstest::rstest;
use sluice_model::EventId;
use sluice_store::{
    StoreError,
    events::{ChannelFilter, StoredEvent},
    search::{self, Budget, Matches, Range},
};

use super::{events::emit, query};
use crate::support::{Db, TestStore, source_id};

const PATIENT: Duration = Duration::from_mins(10);

/// A store with events of the times 1 to 3,000; those of 10 and 2,995 have the word *rare*.
fn large_store(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        (1..=3_000).try_for_each(|ms| {
            let data = if [10, 2_995].contains(&ms) {
                "\"rare\""
            } else {
                "\"common\""
            };
            emit(c, ms, "", "{}", data)
        })
    })
    .unwrap();
    Some(t)
}

fn find(
    t: &TestStore,
    text: &'static str,
    (after, before): (Option<i64>, Option<i64>),
    budget: Budget,
) -> (Vec<i64>, Option<i64>) {
    let id = |ms| EventId { ms, seq: 0 };
    let range = Range {
        limit: 3,
        after: after.map(id),
        before: before.map(id),
    };
    let scan = search::scan(&t.store, range, budget, move |c, part| {
        let all = ChannelFilter::AllButSystem;
        search::events(c, &source_id("s"), &all, &query(text), part)
    });
    let found: Result<Matches<EventId, StoredEvent>, StoreError> = t.runtime.block_on(scan);
    let Matches { rows, searched_to } = found.unwrap();
    let times = rows.iter().map(|event| event.id.ms).collect();
    (times, searched_to.map(|id| id.ms))
}

#[rstest]
fn a_scan_fills_a_page_within_its_budget(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = large_store(db) else { return };
    let budget = |rows| Budget {
        rows,
        time: PATIENT,
    };
    let all = budget(usize::MAX);
    let first = (vec![3_000, 2_999, 2_998], Some(2_998));
    assert_eq!(find(&t, "common", (None, None), all), first);
    let next = (vec![2_997, 2_996, 2_994], Some(2_994));
    assert_eq!(find(&t, "common", (Some(2_998), None), all), next);
    assert_eq!(
        find(&t, "common", (None, Some(2_994)), all).0,
        [2_998, 2_997, 2_996]
    );
    assert_eq!(find(&t, "rare", (None, None), all), (vec![2_995, 10], None));
    assert_eq!(find(&t, "rare", (None, Some(10)), all), (vec![2_995], None));
    let spent = (vec![2_995], Some(2_251));
    assert_eq!(find(&t, "rare", (None, None), budget(700)), spent);
    assert_eq!(find(&t, "rare", (Some(2_251), None), all), (vec![10], None));
    let instant = Budget {
        rows: usize::MAX,
        time: Duration::ZERO,
    };
    let one_step = (vec![2_995], Some(2_751));
    assert_eq!(find(&t, "rare", (None, None), instant), one_step);
}
