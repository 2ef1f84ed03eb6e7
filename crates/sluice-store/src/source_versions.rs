//! Versions of sources: the code and props that each one had. A row is never changed.

use serde_json::{Map, Value as Json};
use sluice_model::{ComponentId, PropDef, SourceId};

use crate::{
    audit::Credential,
    conn::{Conn, query_all, query_opt},
    error::Result,
    params,
    row::{FromRow, Row, to_json},
    sources::Source,
};

/// The newest versions of a source that are kept.
pub const KEPT: u32 = 100;

/// The author of a version and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionOrigin {
    /// The name of the user at that time.
    pub author: String,
    pub credential: Credential,
    /// The version that a rollback took it from.
    pub restored: Option<u32>,
}

/// A version without its props.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceVersion {
    /// Counted from 1 for each source.
    pub number: u32,
    pub component_id: ComponentId,
    pub origin: VersionOrigin,
    pub created_at: i64,
}

impl FromRow for SourceVersion {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SourceVersion {
            number: row.get(0)?,
            component_id: row.get(1)?,
            origin: VersionOrigin {
                restored: row.get(2)?,
                author: row.get(3)?,
                credential: row.get(4)?,
            },
            created_at: row.get(5)?,
        })
    }
}

/// A version with its props. Values of secrets are sealed.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeSourceVersion {
    pub version: SourceVersion,
    pub configured_props: Map<String, Json>,
    pub dynamic_props: Vec<PropDef>,
}

impl FromRow for WholeSourceVersion {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(WholeSourceVersion {
            version: SourceVersion::from_row(row)?,
            configured_props: row.json(6)?,
            dynamic_props: row.json(7)?,
        })
    }
}

const COLUMNS: &str = "number, component_id, restored, author, credential, created_at";

/// Stores the code and props of a source as its version `source.version`. Of its versions, the newest [`KEPT`] stay. Conflicts
/// on the number.
pub fn insert(
    c: &mut dyn Conn,
    source: &Source,
    origin: &VersionOrigin,
    created_at: i64,
) -> Result<()> {
    let VersionOrigin {
        author,
        credential,
        restored,
    } = origin;
    c.execute(
        &format!(
            "INSERT INTO source_versions (source_id, {COLUMNS}, configured_props, dynamic_props) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        ),
        params![
            &source.id,
            source.version,
            &source.component_id,
            *restored,
            author,
            *credential,
            created_at,
            &to_json(&source.configured_props)?,
            &to_json(&source.dynamic_props)?
        ],
    )?;
    c.execute(
        "DELETE FROM source_versions WHERE source_id = ?1 AND number <= ?2",
        params![&source.id, source.version.saturating_sub(KEPT)],
    )?;
    Ok(())
}

/// Of one source, newest first.
pub fn list(c: &mut dyn Conn, source: &SourceId) -> Result<Vec<SourceVersion>> {
    let sql =
        format!("SELECT {COLUMNS} FROM source_versions WHERE source_id = ?1 ORDER BY number DESC");
    query_all(c, &sql, params![source])
}

pub fn by_number(
    c: &mut dyn Conn,
    source: &SourceId,
    number: u32,
) -> Result<Option<WholeSourceVersion>> {
    let sql = format!(
        "SELECT {COLUMNS}, configured_props, dynamic_props FROM source_versions \
         WHERE source_id = ?1 AND number = ?2"
    );
    query_opt(c, &sql, params![source, number])
}
