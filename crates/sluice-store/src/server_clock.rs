//! The latest clock time of the server, kept in the database to detect a clock that was set back, also after a restart.
//!
//! The server calls [`advance`] every minute. When it reads a time before [`latest`], the clock was set back. Then it calls
//! the `clamp` functions of [`crate::timers`], [`crate::runs`], [`crate::deliveries`], [`crate::sends::outbox`] and
//! [`crate::accounts`], each until there is nothing left to clamp. Then no wait takes longer than its full length from now on.
//! Held events keep their times, because users set these as points in time. Generate ids from times not before [`latest`]:
//! then their order is the order of generation.

use crate::{
    conn::{Conn, query_opt},
    error::Result,
    params,
};

/// The due time of a first attempt: it is due whatever the clock says.
pub const AT_ONCE: i64 = 0;

/// The latest time that was recorded; none on a new database.
pub fn latest(c: &mut dyn Conn) -> Result<Option<i64>> {
    query_opt(c, "SELECT latest_ms FROM server_clock WHERE id = 1", &[])
}

/// Records a time, unless a later one is known.
pub fn advance(c: &mut dyn Conn, now_ms: i64) -> Result<()> {
    c.execute(
        "INSERT INTO server_clock (id, latest_ms) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE \
         SET latest_ms = excluded.latest_ms WHERE server_clock.latest_ms < excluded.latest_ms",
        params![now_ms],
    )?;
    Ok(())
}
