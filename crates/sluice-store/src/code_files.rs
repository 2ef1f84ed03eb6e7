//! The files that components import. Each text is stored once, by its hash, however many components have it.

use std::sync::Arc;

use sluice_model::{CodeFile, ComponentId, code_hash};

use crate::{
    conn::{Conn, query_all},
    error::Result,
    params,
    row::{FromRow, Row, to_json},
};

impl FromRow for CodeFile {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(CodeFile {
            link: row.json(0)?,
            text: Arc::from(row.get::<String>(1)?),
        })
    }
}

/// Stores the files of a component, which is new.
pub(crate) fn insert(
    c: &mut dyn Conn,
    component: &ComponentId,
    files: &[CodeFile],
    now: i64,
) -> Result<()> {
    let hashes: Vec<String> = files.iter().map(|file| code_hash(&file.text)).collect();
    let mut texts: Vec<(&String, &CodeFile)> = hashes.iter().zip(files).collect();
    // Transactions that lock rows in the same order do not wait for each other in a circle.
    texts.sort_by_key(|(hash, _)| *hash);
    for (hash, file) in texts {
        // The update locks the row, even if its time stays: a concurrent removal of unused files sees that it is used. The components
        // of an import share files, and writing their texts again takes time.
        c.execute(
            "INSERT INTO code_files (hash, used_at, text) VALUES (?1, ?2, ?3) \
             ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at \
             WHERE code_files.used_at < excluded.used_at",
            params![hash, now, &*file.text],
        )?;
    }
    for ((position, file), hash) in (0_u32..).zip(files).zip(&hashes) {
        c.execute(
            "INSERT INTO component_files (component_id, position, hash, link) \
             VALUES (?1, ?2, ?3, ?4)",
            params![component, position, hash, &to_json(&file.link)?],
        )?;
    }
    Ok(())
}

/// The files of a component, in their order.
pub(crate) fn of_component(c: &mut dyn Conn, component: &ComponentId) -> Result<Vec<CodeFile>> {
    let sql = "SELECT f.link, t.text FROM component_files f JOIN code_files t ON t.hash = f.hash \
               WHERE f.component_id = ?1 ORDER BY f.position";
    query_all(c, sql, params![component])
}

/// Removes up to `limit` texts that no component has and that were not stored after `before`. Returns their number.
pub fn remove_unused(c: &mut dyn Conn, before: i64, limit: u32) -> Result<u64> {
    c.execute(
        "DELETE FROM code_files WHERE used_at < ?1 AND hash IN (SELECT t.hash FROM code_files t \
         WHERE t.used_at < ?1 AND NOT EXISTS \
         (SELECT 1 FROM component_files f WHERE f.hash = t.hash) LIMIT ?2)",
        params![before, limit],
    )
}
