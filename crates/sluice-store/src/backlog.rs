//! Backlogs of the whole database, for metrics: how much waits, and since when the oldest of it is due.
//!
//! Each function takes one look at an index for each queue, and counts at most [`MOST`] rows of an index.

use crate::{
    conn::{Conn, Dialect, query_one, query_opt},
    error::Result,
    params, queue_claims,
    row::{FromRow, Row},
    sends::outbox::SendQueue,
    server_clock::AT_ONCE,
};

/// Rows beyond it are not counted.
pub const MOST: u64 = 1_000_000;

/// The work of one kind that waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// At most [`MOST`].
    pub items: u64,
    /// When the oldest of them that is due became due.
    pub due_since: Option<i64>,
}

/// Emitters of one kind: the beginning of their ids, and the first text behind all of those.
struct Emitters {
    from: &'static str,
    until: &'static str,
    /// Finds those that run.
    running: &'static str,
}

const SOURCES: Emitters = Emitters {
    from: "dc_",
    until: "dc`",
    running: "SELECT 1 FROM sources e WHERE e.id = page.id AND e.phase = 'live' AND e.active",
};
const WORKFLOWS: Emitters = Emitters {
    from: "p_",
    until: "p`",
    running: "SELECT 1 FROM workflows e WHERE e.id = page.id AND e.active",
};

/// Accepted work of sources, with that in progress. Inactive sources count, but are not late.
pub fn of_sources(c: &mut dyn Conn) -> Result<Backlog> {
    inbox(c, &SOURCES)
}

/// The same of workflows: runs that wait or go on.
pub fn of_workflows(c: &mut dyn Conn) -> Result<Backlog> {
    inbox(c, &WORKFLOWS)
}

fn inbox(c: &mut dyn Conn, emitters: &Emitters) -> Result<Backlog> {
    bound(c)?;
    let Emitters {
        from,
        until,
        running,
    } = emitters;
    let items = query_one(
        c,
        "SELECT COUNT(*) FROM (SELECT 1 FROM inbox WHERE emitter_id >= ?1 AND emitter_id < ?2 \
         LIMIT ?3) page",
        params![*from, *until, MOST],
    )?;
    // From emitter to emitter by the index. A run that resumed is older by its id than by the time at which it resumed, hence
    // more than one row.
    let oldest = format!(
        "WITH RECURSIVE queued (id) AS (SELECT MIN(i.emitter_id) FROM inbox i \
         WHERE i.emitter_id >= ?1 AND i.emitter_id < ?2 UNION ALL \
         SELECT (SELECT MIN(i.emitter_id) FROM inbox i WHERE i.emitter_id > page.id \
         AND i.emitter_id < ?2) FROM queued page WHERE page.id IS NOT NULL) \
         SELECT MIN((SELECT MIN(page_rows.accepted_at) FROM (SELECT i.accepted_at FROM inbox i \
         WHERE i.emitter_id = page.id ORDER BY i.id LIMIT 10) page_rows)) \
         FROM queued page WHERE EXISTS ({running})"
    );
    Ok(Backlog {
        items,
        due_since: query_one(c, &oldest, params![*from, *until])?,
    })
}

/// The deliveries of one webhook that are due.
struct DueDeliveries {
    /// When the oldest one without an attempt was made.
    first_made_at: Option<i64>,
    /// When the first retry is due.
    retry_at: Option<i64>,
    open_until: Option<i64>,
}

impl FromRow for DueDeliveries {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let breakers: Option<String> = row.get(2)?;
        Ok(DueDeliveries {
            first_made_at: row.get(0)?,
            retry_at: row.get(1)?,
            open_until: queue_claims::open_until(breakers.as_deref()),
        })
    }
}

/// Deliveries that wait, also for a retry. Inactive and paused webhooks count, but are not late.
pub fn of_deliveries(c: &mut dyn Conn, now_ms: i64) -> Result<Backlog> {
    bound(c)?;
    let items = query_one(
        c,
        "SELECT COUNT(*) FROM (SELECT 1 FROM deliveries WHERE due_at IS NOT NULL AND webhook_id > '' \
         LIMIT ?1) page",
        params![MOST],
    )?;
    let mut due_since = None;
    c.query(
        "WITH RECURSIVE queued (id) AS (SELECT MIN(d.webhook_id) FROM deliveries d \
         WHERE d.due_at IS NOT NULL AND d.webhook_id > '' UNION ALL \
         SELECT (SELECT MIN(d.webhook_id) FROM deliveries d WHERE d.due_at IS NOT NULL \
         AND d.webhook_id > page.id) FROM queued page WHERE page.id IS NOT NULL) \
         SELECT (SELECT d.created_at FROM deliveries d WHERE d.webhook_id = page.id AND d.due_at = 0 \
         ORDER BY d.id LIMIT 1), (SELECT MIN(d.due_at) FROM deliveries d \
         WHERE d.webhook_id = page.id AND d.due_at > 0), \
         (SELECT q.breakers FROM queue_claims q WHERE q.queue = page.id) \
         FROM queued page WHERE EXISTS (SELECT 1 FROM webhooks w WHERE w.id = page.id AND w.active)",
        &[],
        &mut |row| {
            let due = DueDeliveries::from_row(row)?;
            if due.open_until.is_none_or(|until| until <= now_ms) {
                due_since = oldest([due_since, due.first_made_at, due.retry_at], now_ms);
            }
            Ok(())
        },
    )?;
    Ok(Backlog { items, due_since })
}

/// From queue to queue by the index.
const NEXT_QUEUE: &str = "SELECT user_id, kind FROM sends WHERE due_at IS NOT NULL \
     AND (user_id, kind) > (?1, ?2) ORDER BY user_id, kind LIMIT 1";

/// Sends and notifications that wait, also for a retry.
pub fn of_sends(c: &mut dyn Conn, now_ms: i64) -> Result<Backlog> {
    bound(c)?;
    let items = query_one(
        c,
        "SELECT COUNT(*) FROM (SELECT 1 FROM sends WHERE due_at >= ?1 LIMIT ?2) page",
        params![AT_ONCE, MOST],
    )?;
    let mut due_since = None;
    let mut next: Option<SendQueue> = query_opt(c, NEXT_QUEUE, params!["", ""])?;
    while let Some(queue) = next {
        let (first_made_at, retry_at): (Option<i64>, Option<i64>) = query_one(
            c,
            "SELECT (SELECT created_at FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at = 0 \
             ORDER BY id LIMIT 1), (SELECT MIN(due_at) FROM sends WHERE user_id = ?1 AND kind = ?2 \
             AND due_at > 0)",
            params![&queue.user_id, queue.kind],
        )?;
        due_since = oldest([due_since, first_made_at, retry_at], now_ms);
        next = query_opt(c, NEXT_QUEUE, params![&queue.user_id, queue.kind])?;
    }
    Ok(Backlog { items, due_since })
}

/// Timers that are due and did not tick.
pub fn of_timers(c: &mut dyn Conn, now_ms: i64) -> Result<Backlog> {
    overdue(c, "timers", now_ms)
}

/// Runs whose wait has ended and that did not go on.
pub fn of_waiting_runs(c: &mut dyn Conn, now_ms: i64) -> Result<Backlog> {
    overdue(c, "runs", now_ms)
}

fn overdue(c: &mut dyn Conn, table: &str, now_ms: i64) -> Result<Backlog> {
    bound(c)?;
    let count =
        format!("SELECT COUNT(*) FROM (SELECT 1 FROM {table} WHERE due_at <= ?1 LIMIT ?2) page");
    let oldest = format!("SELECT MIN(due_at) FROM {table} WHERE due_at <= ?1");
    Ok(Backlog {
        items: query_one(c, &count, params![now_ms, MOST])?,
        due_since: query_one(c, &oldest, params![now_ms])?,
    })
}

fn oldest(times: [Option<i64>; 3], now_ms: i64) -> Option<i64> {
    times
        .into_iter()
        .flatten()
        .filter(|time| *time <= now_ms)
        .min()
}

/// Limits the time on PostgreSQL, and has it use the indexes: with a limit on the rows it may prefer to read the whole
/// table. On SQLite the number of rows is the limit.
fn bound(c: &mut dyn Conn) -> Result<()> {
    match c.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => {
            c.execute_script("SET LOCAL statement_timeout = '10s'; SET LOCAL enable_seqscan = off")
        }
    }
}
