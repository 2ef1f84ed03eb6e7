//! The check value of the master key that sealed the secrets of this database. It tells nothing about the key.

use crate::{
    conn::{Conn, query_one, query_opt},
    error::Result,
    params,
};

/// The stored check value; none on a new database.
pub fn key_check(c: &mut dyn Conn) -> Result<Option<String>> {
    query_opt(c, "SELECT key_check FROM master_key WHERE id = 1", &[])
}

/// Stores a check value, unless there is one. Returns the stored one.
pub fn record(c: &mut dyn Conn, key_check: &str) -> Result<String> {
    c.execute(
        "INSERT INTO master_key (id, key_check) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING",
        params![key_check],
    )?;
    query_one(c, "SELECT key_check FROM master_key WHERE id = 1", &[])
}
