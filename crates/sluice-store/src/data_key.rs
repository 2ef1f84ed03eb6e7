//! The data key of this database, which the master key sealed.

use crate::{
    conn::{Conn, query_one, query_opt},
    error::Result,
    params,
};

/// The sealed data key; none on a new database.
pub fn sealed(c: &mut dyn Conn) -> Result<Option<String>> {
    query_opt(c, "SELECT sealed FROM data_key WHERE id = 1", &[])
}

/// Stores a sealed data key, unless there is one. Returns the stored one.
pub fn record(c: &mut dyn Conn, sealed: &str) -> Result<String> {
    c.execute(
        "INSERT INTO data_key (id, sealed) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING",
        params![sealed],
    )?;
    query_one(c, "SELECT sealed FROM data_key WHERE id = 1", &[])
}

/// Replaces the sealed data key, unless it is not `before` any more. Returns whether it was.
pub fn replace(c: &mut dyn Conn, before: &str, after: &str) -> Result<bool> {
    let changed = c.execute(
        "UPDATE data_key SET sealed = ?2 WHERE id = 1 AND sealed = ?1",
        params![before, after],
    )?;
    Ok(changed == 1)
}
