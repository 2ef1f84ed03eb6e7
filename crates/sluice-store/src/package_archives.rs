//! Archives of installed npm packages, one for each lock, in chunks. Nodes use them when the registry cannot be reached.

use sha2::{Digest, Sha256};

use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// The size of a chunk. A query returns one, so it must fit into memory many times.
const CHUNK: usize = 1024 * 1024;

/// The description of a stored archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveHeader {
    pub bytes: u64,
    checksum: Vec<u8>,
}

impl ArchiveHeader {
    /// The number of chunks.
    pub fn chunks(&self) -> u32 {
        let chunks = self.bytes.div_ceil(CHUNK as u64);
        u32::try_from(chunks).unwrap_or(u32::MAX)
    }

    /// Whether these are the bytes that were stored.
    pub fn matches(&self, archive: &[u8]) -> bool {
        archive.len() as u64 == self.bytes && checksum(archive) == self.checksum
    }
}

impl FromRow for ArchiveHeader {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(ArchiveHeader {
            bytes: row.get(0)?,
            checksum: row.get(1)?,
        })
    }
}

/// The lock of a stored archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedLock {
    pub hash: String,
    pub created_at: i64,
}

impl FromRow for ArchivedLock {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(ArchivedLock {
            hash: row.get(0)?,
            created_at: row.get(1)?,
        })
    }
}

/// Stores the archive of a lock. False when there is one: it stays.
pub fn insert(c: &mut dyn Conn, lock: &str, archive: &[u8], now: i64) -> Result<bool> {
    let checksum = checksum(archive);
    // A second node that stores the same waits here until the first one has.
    let inserted = c.execute(
        "INSERT INTO package_archives (packages_hash, bytes, checksum, created_at) \
         VALUES (?1, ?2, ?3, ?4) ON CONFLICT (packages_hash) DO NOTHING",
        params![lock, archive.len() as u64, checksum.as_slice(), now],
    )?;
    if inserted == 0 {
        return Ok(false);
    }
    for (position, content) in (0_u32..).zip(archive.chunks(CHUNK)) {
        c.execute(
            "INSERT INTO package_archive_chunks (packages_hash, position, content) \
             VALUES (?1, ?2, ?3)",
            params![lock, position, content],
        )?;
    }
    Ok(true)
}

pub fn header(c: &mut dyn Conn, lock: &str) -> Result<Option<ArchiveHeader>> {
    let sql = "SELECT bytes, checksum FROM package_archives WHERE packages_hash = ?1";
    query_opt(c, sql, params![lock])
}

/// A chunk by its position, from 0. `None` when the archive was removed.
pub fn chunk(c: &mut dyn Conn, lock: &str, position: u32) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT content FROM package_archive_chunks \
         WHERE packages_hash = ?1 AND position = ?2";
    query_opt(c, sql, params![lock, position])
}

/// The locks that have an archive.
pub fn list(c: &mut dyn Conn) -> Result<Vec<ArchivedLock>> {
    let sql = "SELECT packages_hash, created_at FROM package_archives ORDER BY packages_hash";
    query_all(c, sql, params![])
}

pub fn remove(c: &mut dyn Conn, lock: &str) -> Result<()> {
    c.execute_later(
        "DELETE FROM package_archive_chunks WHERE packages_hash = ?1",
        params![lock],
    )?;
    c.execute_later(
        "DELETE FROM package_archives WHERE packages_hash = ?1",
        params![lock],
    )
}

fn checksum(archive: &[u8]) -> Vec<u8> {
    Sha256::digest(archive).to_vec()
}
