//! Files that came with multipart requests, kept until their invocation is done.

use sluice_model::{EmitterId, InvocationId};

use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    pub id: String,
    pub emitter_id: EmitterId,
    pub invocation_id: InvocationId,
    pub filename: String,
    pub mimetype: String,
    pub content: Vec<u8>,
    pub created_at: i64,
}

const SELECT: &str = "SELECT id, emitter_id, invocation_id, filename, mimetype, content, \
     created_at FROM uploads";

impl FromRow for Upload {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Upload {
            id: row.get(0)?,
            emitter_id: row.get(1)?,
            invocation_id: row.get(2)?,
            filename: row.get(3)?,
            mimetype: row.get(4)?,
            content: row.get(5)?,
            created_at: row.get(6)?,
        })
    }
}

/// Deferred.
pub fn insert(c: &mut dyn Conn, upload: &Upload) -> Result<()> {
    let Upload {
        id,
        emitter_id,
        invocation_id,
        filename,
        mimetype,
        content,
        created_at,
    } = upload;
    c.execute_later(
        "INSERT INTO uploads (id, emitter_id, invocation_id, filename, mimetype, content, \
         created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            id,
            emitter_id,
            invocation_id,
            filename,
            mimetype,
            content.as_slice(),
            *created_at
        ],
    )?;
    Ok(())
}

/// The files of one invocation, by id.
pub fn of_invocation(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    invocation: &InvocationId,
) -> Result<Vec<Upload>> {
    let sql = format!("{SELECT} WHERE emitter_id = ?1 AND invocation_id = ?2 ORDER BY id");
    query_all(c, &sql, params![emitter, invocation])
}

/// A file of any user. The id of an upload is unguessable: it is the permission to read it.
pub fn get(c: &mut dyn Conn, id: &str) -> Result<Option<Upload>> {
    query_opt(c, &format!("{SELECT} WHERE id = ?1"), params![id])
}

/// Removes files of all users that were made before `created_before` and whose invocation is over, `limit` at most, the
/// oldest first.
pub fn remove_older_than(c: &mut dyn Conn, created_before: i64, limit: u32) -> Result<u64> {
    c.execute(
        "DELETE FROM uploads WHERE id IN (SELECT u.id FROM uploads u WHERE u.created_at < ?1 \
         AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.emitter_id = u.emitter_id \
         AND i.id = u.invocation_id) ORDER BY u.created_at, u.id LIMIT ?2)",
        params![created_before, limit],
    )
}
