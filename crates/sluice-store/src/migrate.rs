//! Schema versions: numbered scripts, applied once each, forward only.
//!
//! Runs inside one transaction, so a server that dies halfway leaves the old schema.
//!
//! Servers of two versions run side by side during an upgrade. So a change comes in two steps: one version adds what is new, a
//! later one removes what is old. Each migration says which programs can use its schema.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::{
    conn::{Conn, Dialect, query_all, query_one},
    error::{Result, StoreError},
    params,
    row::{FromRow, Row},
};

/// One step of the schema, with the same meaning for both databases.
struct Migration {
    version: i64,
    /// The oldest version whose programs work with this schema.
    compatible_from: i64,
    sqlite: &'static str,
    postgres: &'static str,
}

/// In ascending order. Never change one that was released: add another.
const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    compatible_from: 1,
    sqlite: include_str!("../migrations/sqlite/0001_initial.sql"),
    postgres: include_str!("../migrations/postgres/0001_initial.sql"),
}];

impl Migration {
    /// A hash of the statements for both databases. Comments and indentation do not matter.
    fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        let lines = self.sqlite.lines().chain(self.postgres.lines());
        let statements = lines.map(str::trim).filter(|line| !line.starts_with("--"));
        for line in statements.filter(|line| !line.is_empty()) {
            hash.update(line);
            hash.update("\n");
        }
        hash.finalize()
            .iter()
            .fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
    }
}

/// The fingerprint of a migration that was applied.
struct Applied {
    version: i64,
    fingerprint: String,
}

impl FromRow for Applied {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Applied {
            version: row.get(0)?,
            fingerprint: row.get(1)?,
        })
    }
}

/// The schema of a database.
struct Schema {
    version: i64,
    compatible_from: i64,
}

impl FromRow for Schema {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Schema {
            version: row.get(0)?,
            compatible_from: row.get(1)?,
        })
    }
}

/// Any number that no other program is likely to lock.
const ADVISORY_LOCK: i64 = 7_356_114_902_316;

/// The newest version that this program knows.
pub(crate) fn newest() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

/// Brings the schema to the newest version. The caller holds an open transaction.
pub(crate) fn apply(c: &mut dyn Conn) -> Result<()> {
    apply_up_to(c, newest())
}

/// As [`apply`], for an older version.
pub(crate) fn apply_up_to(c: &mut dyn Conn, version: i64) -> Result<()> {
    lock(c)?;
    c.execute(
        "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL PRIMARY KEY, \
         compatible_from BIGINT NOT NULL)",
        &[],
    )?;
    c.execute(
        "CREATE TABLE IF NOT EXISTS schema_fingerprints (version BIGINT NOT NULL PRIMARY KEY, \
         fingerprint TEXT NOT NULL)",
        &[],
    )?;
    let current = usable_version(c)?;
    let wanted = current + 1..=version;
    for migration in MIGRATIONS.iter().filter(|it| wanted.contains(&it.version)) {
        let script = match c.dialect() {
            Dialect::Sqlite => migration.sqlite,
            Dialect::Postgres => migration.postgres,
        };
        c.execute_script(script)?;
        c.execute(
            "INSERT INTO schema_version (version, compatible_from) VALUES (?1, ?2)",
            params![migration.version, migration.compatible_from],
        )?;
        c.execute(
            "INSERT INTO schema_fingerprints (version, fingerprint) VALUES (?1, ?2)",
            params![migration.version, &migration.fingerprint()],
        )?;
        tracing::info!(version = migration.version, "database schema migrated");
    }
    Ok(())
}

/// The version of the schema, 0 without one. An error if this program cannot use it.
pub(crate) fn usable_version(c: &mut dyn Conn) -> Result<i64> {
    let newest = newest();
    let Schema {
        version: current,
        compatible_from,
    } = query_one(
        c,
        "SELECT COALESCE(MAX(version), 0), COALESCE(MAX(compatible_from), 0) FROM schema_version",
        &[],
    )?;
    if compatible_from > newest {
        return Err(StoreError::Unusable(format!(
            "the database has schema version {current}, which needs a program that knows version \
             {compatible_from}; this one knows versions up to {newest}: use a newer sluice"
        )));
    }
    if current > newest {
        tracing::warn!(
            current,
            newest,
            "the database has a newer schema that this program can use"
        );
    }
    check_fingerprints(c, current)?;
    Ok(current)
}

/// An error if the migrations of the database are not those of this program. Before the first release, the initial schema changes
/// without a new version.
fn check_fingerprints(c: &mut dyn Conn, current: i64) -> Result<()> {
    let sql = "SELECT version, fingerprint FROM schema_fingerprints";
    let applied: Vec<Applied> = query_all(c, sql, &[])?;
    for migration in MIGRATIONS.iter().filter(|it| it.version <= current) {
        let fingerprint = migration.fingerprint();
        let is_same =
            |it: &Applied| it.version == migration.version && it.fingerprint == fingerprint;
        if !applied.iter().any(is_same) {
            return Err(other_schema());
        }
    }
    Ok(())
}

/// The fingerprints of the migrations of a database, in their order.
pub(crate) fn fingerprints(c: &mut dyn Conn) -> Result<Vec<String>> {
    let sql = "SELECT version, fingerprint FROM schema_fingerprints ORDER BY version";
    let applied: Vec<Applied> = query_all(c, sql, &[])?;
    Ok(applied.into_iter().map(|it| it.fingerprint).collect())
}

/// Whether these migrations are the first ones of this program.
pub(crate) fn begin_with(fingerprints: &[String]) -> bool {
    let known: Vec<String> = MIGRATIONS.iter().map(Migration::fingerprint).collect();
    known.starts_with(fingerprints)
}

/// The error for a database with a schema that no release had.
pub(crate) fn other_schema() -> StoreError {
    StoreError::Unusable(
        "the database was made by another development version of sluice, and its schema has changed since: use that version, or \
         create a new database"
            .to_owned(),
    )
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
            )?;
            // Others wait behind a lock that is waited for. The start is retried.
            c.execute_script("SET LOCAL lock_timeout = '5s'")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(sqlite: &'static str, postgres: &'static str) -> String {
        let migration = Migration {
            version: 1,
            compatible_from: 1,
            sqlite,
            postgres,
        };
        migration.fingerprint()
    }

    #[test]
    fn a_fingerprint_is_that_of_the_statements_for_both_databases() {
        let plain = fingerprint("CREATE TABLE a (\nb INT\n);", "CREATE TABLE c;");
        assert_eq!(plain.len(), 64);
        let commented = "-- A table.\n\nCREATE TABLE a (\n    -- A column.\n    b INT\n);\n";
        assert_eq!(fingerprint(commented, "CREATE TABLE c;"), plain);
        assert_ne!(fingerprint(commented, "CREATE TABLE d;"), plain);
        assert_ne!(
            fingerprint("CREATE TABLE a (b TEXT);", "CREATE TABLE c;"),
            plain
        );
    }
}
