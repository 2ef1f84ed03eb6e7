//! Lists of deliveries: of one webhook and of several, by state and time, and counts of a webhook.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use rstest::rstest;
use sluice_model::{Cursor, DeliveryId, WebhookId};
use sluice_store::{
    BatchLimit, Conn, Page, Result,
    deliveries::{self, Attempt, AttemptOutcome, AttemptRecord, DeliveryState},
    delivery_history::{Delivery, Detail},
    delivery_lists::{self, Selection, Tally, UserTally, Whose},
    webhooks,
};

use crate::{
    delivery_history::{end, payloads, send},
    support::{Db, TestStore, user_id, webhook, webhook_id},
};

/// For a list and its count.
const LIMIT: Duration = Duration::from_millis(500);

/// Within the limit in one of some tries: the machine is busy with other tests.
fn quick(what: &str, mut work: impl FnMut() -> Result<()>) -> Result<()> {
    let mut times = Vec::new();
    while times.len() < 20 {
        let begun = Instant::now();
        work()?;
        times.push(begun.elapsed());
        if begun.elapsed() < LIMIT {
            return Ok(());
        }
    }
    panic!("{what} took {times:?}");
}

fn of_state(state: DeliveryState) -> Selection {
    Selection {
        state: Some(state),
        ..Selection::default()
    }
}

fn between(since: Option<i64>, until: Option<i64>) -> Selection {
    Selection {
        since,
        until,
        ..Selection::default()
    }
}

fn first(limit: u32) -> Page {
    Page {
        limit,
        after: None,
        before: None,
    }
}

fn times(rows: &[Delivery]) -> Vec<i64> {
    rows.iter().map(|row| row.created_at).collect()
}

/// All of them, which must be as many as are counted.
fn list(c: &mut dyn Conn, whose: Whose<'_>, selection: &Selection) -> Result<Vec<i64>> {
    let rows = delivery_lists::page(c, whose, selection, &first(100), Detail::WithoutEvent)?;
    let count = delivery_lists::count(c, whose, selection)?;
    assert_eq!(count, rows.len() as u64);
    Ok(times(&rows))
}

/// Six of one webhook, two failed and one delivered, and four of another; those of another user are not listed.
fn fill(c: &mut dyn Conn) -> Result<[WebhookId; 2]> {
    let a = user_id("a");
    let hooks = ["w", "other"].map(|tail| webhook(tail, &a, 1));
    for hook in &hooks {
        webhooks::insert(c, hook)?;
    }
    let [hook, other] = hooks.map(|hook| hook.id);
    let theirs = webhook("theirs", &user_id("b"), 1);
    webhooks::insert(c, &theirs)?;
    webhooks::insert(c, &webhook("idle", &a, 1))?;
    for (at, payload) in (1..=6).zip(payloads(6)) {
        send(c, &payload, &[&hook, &theirs.id], at)?;
        if at > 2 {
            deliveries::insert(c, &payload, &other, at)?;
        }
        let id = DeliveryId::of(&payload, &hook);
        match at {
            1 | 2 => end(c, &id, DeliveryState::Failed)?,
            3 => end(c, &id, DeliveryState::Delivered)?,
            _ => {}
        }
    }
    Ok([hook, other])
}

#[rstest]
fn deliveries_are_listed_newest_first_by_state_and_time(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let [hook, other] = fill(c)?;
        let (a, stranger) = (user_id("a"), user_id("c"));
        let (one, all) = (Whose::Webhook(&hook), Whose::User(&a));
        assert_eq!(list(c, one, &Selection::default())?, [6, 5, 4, 3, 2, 1]);
        assert_eq!(list(c, one, &of_state(DeliveryState::Failed))?, [2, 1]);
        assert_eq!(list(c, one, &of_state(DeliveryState::Delivered))?, [3]);
        assert_eq!(list(c, one, &of_state(DeliveryState::Pending))?, [6, 5, 4]);
        assert_eq!(list(c, one, &between(Some(2), Some(4)))?, [4, 3, 2]);
        assert_eq!(list(c, one, &between(None, Some(2)))?, [2, 1]);
        assert_eq!(list(c, one, &between(Some(6), None))?, [6]);
        assert_eq!(
            list(c, one, &between(Some(i64::MIN), Some(i64::MAX)))?.len(),
            6
        );
        assert!(list(c, one, &between(Some(5), Some(4)))?.is_empty());
        let both = Selection {
            state: Some(DeliveryState::Delivered),
            ..between(Some(3), Some(3))
        };
        assert_eq!(list(c, one, &both)?, [3]);

        assert_eq!(
            list(c, all, &Selection::default())?,
            [6, 6, 5, 5, 4, 4, 3, 3, 2, 1]
        );
        assert_eq!(
            list(c, all, &of_state(DeliveryState::Pending))?,
            [6, 6, 5, 5, 4, 4, 3]
        );
        assert_eq!(list(c, all, &between(Some(2), Some(3)))?, [3, 3, 2]);
        assert_eq!(
            list(c, Whose::Webhook(&other), &Selection::default())?,
            [6, 5, 4, 3]
        );
        assert!(list(c, Whose::User(&stranger), &Selection::default())?.is_empty());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn pages_over_all_webhooks_fit_together_in_both_directions(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c)?;
        let a = user_id("a");
        let mine = Whose::User(&a);
        let at = |row: &Delivery| Cursor {
            at_ms: row.created_at,
            id: row.id.to_string(),
        };
        let all = Selection::default();
        let whole = delivery_lists::page(c, mine, &all, &first(100), Detail::WithEvent)?;
        assert_eq!(whole[0].event.as_deref(), Some(r#"{"n": 1.0}"#));
        let mut seen = Vec::new();
        let mut page = first(3);
        loop {
            let rows = delivery_lists::page(c, mine, &all, &page, Detail::WithEvent)?;
            let Some(last) = rows.last() else { break };
            page.after = Some(at(last));
            seen.extend(rows);
        }
        assert_eq!(seen, whole);
        for end in 1..whole.len() {
            let before = Page {
                before: Some(at(&whole[end])),
                ..first(3)
            };
            let rows = delivery_lists::page(c, mine, &all, &before, Detail::WithEvent)?;
            assert_eq!(rows, whole[end.saturating_sub(3)..end]);
        }
        Ok(())
    })
    .unwrap();
}

/// Webhooks that are busy at different times: one all the time, some in turns, some only long ago.
#[rstest]
fn a_page_over_many_webhooks_is_what_is_nearest_of_all(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let hooks: Vec<_> = (0..12).map(|n| webhook(&format!("h{n}"), &a, 1)).collect();
        for hook in &hooks {
            webhooks::insert(c, hook)?;
        }
        for (at, payload) in (1..=60).zip(payloads(60)) {
            let turn = if at < 20 { 6 + at % 6 } else { 1 + at % 4 };
            let turn = usize::try_from(turn).unwrap();
            send(c, &payload, &[&hooks[0].id, &hooks[turn].id], at)?;
        }
        let mine = Whose::User(&a);
        let all = Selection::default();
        let get = |c: &mut dyn Conn, page: &Page| {
            delivery_lists::page(c, mine, &all, page, Detail::WithoutEvent)
        };
        let whole = get(c, &first(1_000))?;
        assert_eq!(whole.len(), 120);
        assert!(whole.is_sorted_by(|newer, older| {
            (newer.created_at, &newer.id) > (older.created_at, &older.id)
        }));
        let cursor = |row: &Delivery| Cursor {
            at_ms: row.created_at,
            id: row.id.to_string(),
        };
        for limit in [1, 2, 5, 11, 12, 13, 40] {
            let length = limit as usize;
            assert_eq!(get(c, &first(limit))?, whole[..length]);
            for place in [0, 3, 50, 90] {
                let after = Page {
                    after: Some(cursor(&whole[place])),
                    ..first(limit)
                };
                let end = (place + 1 + length).min(whole.len());
                assert_eq!(get(c, &after)?, whole[place + 1..end]);
                let before = Page {
                    before: Some(cursor(&whole[place])),
                    ..first(limit)
                };
                let begin = place.saturating_sub(length);
                assert_eq!(get(c, &before)?, whole[begin..place]);
            }
        }
        Ok(())
    })
    .unwrap();
}

fn tally_of(c: &mut dyn Conn, webhook: &WebhookId) -> Result<Tally> {
    let tallies = delivery_lists::tallies(c, std::slice::from_ref(webhook))?;
    assert_eq!(tallies.len(), 1);
    Ok(tallies[webhook])
}

#[rstest]
fn a_tally_tells_what_waits_what_failed_and_the_last_success(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let [hook, other] = fill(c)?;
        let mut tally = Tally {
            waiting: 3,
            failed: 2,
            delivered_at: None,
        };
        assert_eq!(tally_of(c, &hook)?, tally);
        // The later one counts, in whichever order they are recorded.
        webhooks::delivered(c, &hook, 50)?;
        webhooks::delivered(c, &hook, 40)?;
        tally.delivered_at = Some(50);
        assert_eq!(tally_of(c, &hook)?, tally);

        let limit = BatchLimit {
            rows: 1,
            bytes: 1000,
        };
        let due = deliveries::due(c, &other, 99, &BTreeSet::new(), limit)?.remove(0);
        let success = Attempt {
            at: 70,
            status: Some(200),
            latency_ms: 1,
            response: None,
            error: None,
        };
        deliveries::record_late(c, &due.id, &success, 80)?;
        let after = Tally {
            waiting: 3,
            failed: 0,
            delivered_at: Some(70),
        };
        assert_eq!(tally_of(c, &other)?, after);
        let rest = deliveries::due(c, &other, 99, &BTreeSet::new(), limit)?.remove(0);
        let failed = AttemptRecord {
            id: rest.id,
            was_due_at: rest.due_at,
            outcome: AttemptOutcome::Failed,
            tries: 1,
            attempts: Vec::new(),
        };
        deliveries::record(c, &failed, 90)?;
        let after = Tally {
            waiting: 2,
            failed: 1,
            ..after
        };
        assert_eq!(tally_of(c, &other)?, after);
        Ok(())
    })
    .unwrap();
}

/// A hundred thousand deliveries of some webhooks; a few failed and a few wait, none of them recent.
fn crowd(c: &mut dyn Conn, hooks: u32) -> Result<()> {
    let a = user_id("a");
    for n in 0..hooks {
        webhooks::insert(c, &webhook(&format!("n{n}"), &a, 1))?;
    }
    let numbers = "WITH RECURSIVE numbers (n) AS \
         (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)";
    c.execute(
        &format!(
            "INSERT INTO payloads (id, emitter_id, event_id, channel, data) {numbers} \
             SELECT 'p' || n, 'dc_s', '5-' || n, '', '1' FROM numbers"
        ),
        &[],
    )?;
    c.execute(
        &format!(
            "INSERT INTO deliveries (id, webhook_id, payload_id, state, due_at, tries, attempts, \
             created_at, updated_at) {numbers} SELECT 'dlv_' || n, 'wh_n' || (n % {hooks}), \
             'p' || n, \
             CASE WHEN n <= 20 THEN 'failed' WHEN n <= 40 THEN 'pending' ELSE 'delivered' END, \
             CASE WHEN n > 20 AND n <= 40 THEN 7 END, 1, '[]', n, n FROM numbers"
        ),
        &[],
    )?;
    Ok(())
}

#[rstest]
fn lists_are_quick_with_a_hundred_thousand_deliveries(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
    #[values(10, 1_000)] hooks: u32,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(move |c| crowd(c, hooks)).unwrap();
    t.write(|c| c.execute("ANALYZE", &[])).unwrap();
    t.read(move |c| {
        let a = user_id("a");
        let whose = Whose::User(&a);
        for (selection, total, newest) in [
            (Selection::default(), 100_000, 100_000),
            (of_state(DeliveryState::Failed), 20, 20),
            (of_state(DeliveryState::Pending), 20, 40),
            (of_state(DeliveryState::Delivered), 99_960, 100_000),
            (between(Some(10), Some(70_000)), 69_991, 70_000),
        ] {
            quick(&format!("{selection:?}"), || {
                assert_eq!(delivery_lists::count(c, whose, &selection)?, total);
                let page =
                    delivery_lists::page(c, whose, &selection, &first(10), Detail::WithEvent)?;
                let expected: Vec<_> = ((newest - 9)..=newest).rev().collect();
                assert_eq!(times(&page), expected);
                Ok(())
            })?;
            quick(&format!("100 of {selection:?}"), || {
                let page =
                    delivery_lists::page(c, whose, &selection, &first(100), Detail::WithoutEvent)?;
                assert_eq!(page.len() as u64, total.min(100));
                assert_eq!(page[0].created_at, newest);
                Ok(())
            })?;
        }
        let some: Vec<WebhookId> = (1..10).map(|n| webhook_id(&format!("n{n}"))).collect();
        quick("tallies", || {
            let tallies = delivery_lists::tallies(c, &some)?;
            assert_eq!(tallies.len(), 9);
            assert!(tallies.values().all(|tally| tally.failed > 0));
            assert_eq!(delivery_lists::tally_of_user(c, &a)?.failed, 20);
            Ok(())
        })
    })
    .unwrap();
}

#[rstest]
fn a_tally_counts_what_waits_and_what_failed_at_the_webhooks_of_a_user(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let hooks = [
            webhook("one", &a, 1),
            webhook("two", &a, 1),
            webhook("foreign", &b, 1),
        ];
        for hook in &hooks {
            webhooks::insert(c, hook)?;
        }
        let ids = hooks.each_ref().map(|hook| &hook.id);
        for (at, payload) in (1..=6).zip(payloads(6)) {
            send(c, &payload, &ids, at)?;
            match at {
                1 | 2 => end(c, &DeliveryId::of(&payload, ids[0]), DeliveryState::Failed)?,
                3 => end(c, &DeliveryId::of(&payload, ids[1]), DeliveryState::Failed)?,
                4 => end(
                    c,
                    &DeliveryId::of(&payload, ids[1]),
                    DeliveryState::Delivered,
                )?,
                _ => {}
            }
        }
        let tally = |waiting, failed| UserTally { waiting, failed };
        assert_eq!(delivery_lists::tally_of_user(c, &a)?, tally(8, 3));
        assert_eq!(delivery_lists::tally_of_user(c, &b)?, tally(6, 0));
        assert_eq!(
            delivery_lists::tally_of_user(c, &user_id("x"))?,
            tally(0, 0)
        );
        Ok(())
    })
    .unwrap();
}
