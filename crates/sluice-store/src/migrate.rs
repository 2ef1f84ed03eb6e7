//! Schema versions: numbered scripts, applied once each, forward only.
//!
//! Runs inside one transaction, so a server that dies halfway leaves the old schema.

use crate::{
    conn::{Conn, Dialect, query_one},
    error::{Result, StoreError},
    params,
};

/// One step of the schema, with the same meaning for both databases.
struct Migration {
    version: i64,
    sqlite: &'static str,
    postgres: &'static str,
}

/// In ascending order. Never change one that was released: add another.
const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sqlite: include_str!("../migrations/sqlite/0001_initial.sql"),
    postgres: include_str!("../migrations/postgres/0001_initial.sql"),
}];

/// Any number that no other program is likely to lock.
const ADVISORY_LOCK: i64 = 7_356_114_902_316;

/// Brings the schema to the newest version. The caller holds an open transaction.
pub(crate) fn apply(c: &mut dyn Conn) -> Result<()> {
    lock(c)?;
    c.execute(
        "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL PRIMARY KEY)",
        &[],
    )?;
    let current: i64 = query_one(
        c,
        "SELECT COALESCE(MAX(version), 0) FROM schema_version",
        &[],
    )?;
    let newest = MIGRATIONS.last().map_or(0, |migration| migration.version);
    if current > newest {
        return Err(StoreError::Unusable(format!(
            "the database has schema version {current}, this program knows versions up to \
             {newest}: use a newer sluice"
        )));
    }
    for migration in MIGRATIONS.iter().filter(|step| step.version > current) {
        let script = match c.dialect() {
            Dialect::Sqlite => migration.sqlite,
            Dialect::Postgres => migration.postgres,
        };
        c.execute_script(script)?;
        c.execute(
            "INSERT INTO schema_version (version) VALUES (?1)",
            params![migration.version],
        )?;
        tracing::info!(version = migration.version, "database schema migrated");
    }
    Ok(())
}

/// Two servers that start together on one PostgreSQL must not both migrate. SQLite's transaction
/// already has the write lock.
fn lock(c: &mut dyn Conn) -> Result<()> {
    match c.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => {
            // It may have to wait for the other server, and an index may take long.
            c.execute_script("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")?;
            c.query(
                "SELECT pg_advisory_xact_lock(?1)",
                params![ADVISORY_LOCK],
                &mut |_| Ok(()),
            )
        }
    }
}
