//! Queries that run often use an index on both databases, however many rows a table has.

use std::collections::{BTreeSet, HashSet};

use rstest::rstest;
use sluice_store::{
    BatchLimit, Conn, Dialect, Page, Result, Row, Value,
    audit::{self, AuditFilter},
    backlog, deliveries, held_events, inbox,
    orphans::{self, OwnedTable},
    progress, queue_claims,
    run_history::{self, Content, Selection},
    runs,
    search::Direction,
    sends::{
        SendKind,
        outbox::{self, SendQueue},
    },
    timers, uploads, webhook_health,
};

use crate::{
    delivery_history::{payloads, send},
    search,
    support::{Db, TestStore, invocation_ids, source_id, user_id, webhook_id, workflow_id},
};

const LIMIT: BatchLimit = BatchLimit {
    rows: 10,
    bytes: 1_000,
};

/// A connection that asks for the plan of each statement before it runs the statement.
struct Explaining<'c> {
    conn: &'c mut dyn Conn,
    scans: Vec<String>,
}

impl Explaining<'_> {
    fn explain(&mut self, sql: &str, params: &[Value<'_>]) -> Result<()> {
        let (command, column) = match self.conn.dialect() {
            Dialect::Sqlite => ("EXPLAIN QUERY PLAN", 3),
            Dialect::Postgres => ("EXPLAIN", 0),
        };
        let scans = &mut self.scans;
        let explain = format!("{command} {sql}");
        self.conn.query(&explain, params, &mut |row| {
            let step: String = row.get(column)?;
            if is_table_scan(&step) {
                scans.push(format!("{step}: {sql}"));
            }
            Ok(())
        })
    }
}

/// SQLite calls a search without a condition on the index a search too: it reads all rows. Subqueries and the tables of
/// functions are bounded; those with a name are called `page`.
fn is_table_scan(step: &str) -> bool {
    const BOUNDED: [&str; 4] = [
        "SCAN page",
        "SEARCH page",
        "SCAN (subquery",
        "SCAN json_each",
    ];
    let is_bounded = BOUNDED.iter().any(|start| step.starts_with(start));
    let is_search = step.starts_with("SEARCH ") && step.contains('(');
    let is_access = step.starts_with("SCAN ") || step.starts_with("SEARCH ");
    (is_access && !is_search && !is_bounded) || step.contains("Seq Scan")
}

impl Conn for Explaining<'_> {
    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        self.explain(sql, params)?;
        self.conn.execute(sql, params)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.explain(sql, params)?;
        self.conn.query(sql, params, each)
    }

    fn execute_script(&mut self, sql: &str) -> Result<()> {
        self.conn.execute_script(sql)
    }

    fn dialect(&self) -> Dialect {
        self.conn.dialect()
    }
}

/// The table scans in the plans of all statements of `work`; none without the database.
fn scans_of(
    db: Db,
    work: impl FnOnce(&mut dyn Conn) -> Result<()> + Send + 'static,
) -> Option<Vec<String>> {
    let t = TestStore::new(db)?;
    let scans = t.write(move |conn| {
        if conn.dialect() == Dialect::Postgres {
            // For small tables PostgreSQL prefers a scan. Without it, only a query that no index serves scans.
            conn.execute_script("SET LOCAL enable_seqscan = off")?;
        }
        let mut explaining = Explaining {
            conn,
            scans: Vec::new(),
        };
        work(&mut explaining)?;
        Ok(explaining.scans)
    });
    Some(scans.unwrap())
}

#[rstest]
fn a_query_without_an_index_is_a_scan(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let scans = scans_of(db, |c| {
        c.execute("DELETE FROM held_events WHERE depth = 1", &[])?;
        c.query("SELECT MIN(depth) FROM held_events", &[], &mut |_| Ok(()))
    });
    assert!(
        scans.as_ref().is_none_or(|scans| scans.len() == 2),
        "{scans:?}"
    );
}

#[rstest]
fn pages_are_found_with_an_index(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let scans = scans_of(db, |c| {
        let request = inbox::PageRequest {
            known: &HashSet::new(),
            limit: LIMIT,
        };
        inbox::waiting(c, &source_id("a"), &request)?;
        inbox::beyond(c, &source_id("a"), 1, LIMIT)?;
        for content in [Content::Whole, Content::Start(9)] {
            let selection = Selection {
                state: None,
                after: None,
                before: None,
                limit: LIMIT,
                content,
            };
            run_history::page(c, &workflow_id("a"), &selection)?;
            run_history::steps(c, &workflow_id("a"), &invocation_ids(1)[0], content)?;
        }
        Ok(())
    });
    assert_eq!(scans.unwrap_or_default(), Vec::<String>::new());
}

#[rstest]
fn searches_use_an_index(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let scans = scans_of(db, |c| {
        search::fixtures::store_one_of_each(c)?;
        for direction in [Direction::Older, Direction::Newer] {
            for text in ["paid", "state:failed", ""] {
                search::fixtures::search_all(c, text, direction)?;
            }
        }
        Ok(())
    });
    assert_eq!(scans.unwrap_or_default(), Vec::<String>::new());
}

#[rstest]
fn orphans_are_found_with_an_index(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let scans = scans_of(db, |c| {
        for table in OwnedTable::ALL {
            orphans::find(c, table, None, 9)?;
            orphans::remove(c, table, "wh_gone", 9)?;
        }
        uploads::remove_older_than(c, 1, 9)?;
        Ok(())
    });
    assert_eq!(scans.unwrap_or_default(), Vec::<String>::new());
}

#[rstest]
fn due_work_is_found_with_an_index(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let scans = scans_of(db, |c| {
        timers::due(c, 1, 10)?;
        timers::next_due(c)?;
        timers::take_due(c, &[source_id("a").into()], 1)?;
        held_events::due(c, 1, 10)?;
        held_events::take_due(c, 1, 10)?;
        held_events::next_due(c)?;
        runs::due(c, 1, 10)?;
        runs::take_due(c, 1, 10)?;
        progress::of_emitters(c, &[source_id("a").into()])?;
        runs::next_due(c)?;
        // Payloads are only read for a delivery that is due.
        send(c, &payloads(1)[0], &[&webhook_id("a")], 1)?;
        deliveries::due(c, &webhook_id("a"), 1, &BTreeSet::new(), LIMIT)?;
        deliveries::next_due(c, &webhook_id("a"), 1)?;
        let lane = SendQueue {
            user_id: user_id("a"),
            kind: SendKind::Http,
        };
        outbox::queues_due(c, 1, "node", true)?;
        deliveries::webhooks_due(c, 1, "node", true)?;
        queue_claims::claim(c, "wh_a", "node", true)?;
        outbox::due(c, &lane, 1, &BTreeSet::new(), LIMIT)?;
        outbox::next_due(c, 1)?;
        outbox::clamp(c, 1, 10)?;
        runs::clamp(c, 1, 10)?;
        timers::clamp(c, 1, None, 10)?;
        Ok(())
    });
    assert_eq!(scans.unwrap_or_default(), Vec::<String>::new());
}

#[rstest]
fn backlogs_are_read_with_an_index(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let scans = scans_of(db, |c| {
        backlog::of_sources(c)?;
        backlog::of_workflows(c)?;
        backlog::of_deliveries(c, 1)?;
        backlog::of_sends(c, 1)?;
        backlog::of_timers(c, 1)?;
        backlog::of_waiting_runs(c, 1)?;
        webhook_health::failing_of_all_users(c, 1)?;
        Ok(())
    });
    assert_eq!(scans.unwrap_or_default(), Vec::<String>::new());
}

#[rstest]
fn entries_of_the_audit_log_are_found_with_an_index(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let scans = scans_of(db, |c| {
        let page = Page {
            limit: 10,
            after: None,
            before: None,
        };
        let own = AuditFilter {
            user: Some(user_id("a")),
            ..AuditFilter::default()
        };
        for filter in [own, AuditFilter::default()] {
            audit::page(c, &filter, &page)?;
        }
        audit::remove_older_than(c, 1, 10)?;
        Ok(())
    });
    assert_eq!(scans.unwrap_or_default(), Vec::<String>::new());
}
