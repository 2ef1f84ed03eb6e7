//! The size of the database.

use std::{fs, io};

use crate::{
    conn::{Conn, Dialect, query_one},
    error::{Result, StoreError},
};

/// Bytes of the database: on SQLite with its write-ahead log, on PostgreSQL as that counts them.
pub fn bytes(c: &mut dyn Conn) -> Result<u64> {
    match c.dialect() {
        Dialect::Sqlite => {
            let pages = query_one::<u64>(
                c,
                "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
                &[],
            )?;
            let file: String = query_one(
                c,
                "SELECT file FROM pragma_database_list WHERE name = 'main'",
                &[],
            )?;
            Ok(pages + length(&format!("{file}-wal"))?)
        }
        Dialect::Postgres => query_one(c, "SELECT pg_database_size(current_database())", &[]),
    }
}

/// The length of a file; 0 when it does not exist.
fn length(file: &str) -> Result<u64> {
    match fs::metadata(file) {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(StoreError::Unavailable(format!(
            "cannot read the size of {file}: {error}"
        ))),
    }
}
