//! The addresses of props that requests come to. A key is kept through updates of its source.

use sluice_model::{ComponentId, EndpointKey, PropDef, SourceId, UserId};

use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
    sources::Phase,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub key: EndpointKey,
    pub source_id: SourceId,
    pub prop: String,
}

impl FromRow for Endpoint {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Endpoint {
            key: row.get(0)?,
            source_id: row.get(1)?,
            prop: row.get(2)?,
        })
    }
}

/// What a request to an endpoint needs to know of its source.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointTarget {
    pub source_id: SourceId,
    pub user_id: UserId,
    pub prop: String,
    pub active: bool,
    pub phase: Phase,
    pub component_id: ComponentId,
    /// Of its source, beside those of the component.
    pub dynamic_props: Vec<PropDef>,
}

impl FromRow for EndpointTarget {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(EndpointTarget {
            source_id: row.get(0)?,
            user_id: row.get(1)?,
            prop: row.get(2)?,
            active: row.get(3)?,
            phase: row.get(4)?,
            component_id: row.get(5)?,
            dynamic_props: row.json(6)?,
        })
    }
}

pub fn insert(c: &mut dyn Conn, key: &EndpointKey, source: &SourceId, prop: &str) -> Result<()> {
    c.execute(
        "INSERT INTO endpoints (key, source_id, prop) VALUES (?1, ?2, ?3)",
        params![key, source, prop],
    )?;
    Ok(())
}

/// The source's endpoints, by the name of their prop.
pub fn of_source(c: &mut dyn Conn, source: &SourceId) -> Result<Vec<Endpoint>> {
    query_all(
        c,
        "SELECT key, source_id, prop FROM endpoints WHERE source_id = ?1 ORDER BY prop, key",
        params![source],
    )
}

/// Where a request to this key goes. The key is the permission: it is known to those it was given.
pub fn find(c: &mut dyn Conn, key: &EndpointKey) -> Result<Option<EndpointTarget>> {
    query_opt(
        c,
        "SELECT s.id, s.user_id, e.prop, s.active, s.phase, s.component_id, \
         s.dynamic_props \
         FROM endpoints e JOIN sources s ON s.id = e.source_id WHERE e.key = ?1",
        params![key],
    )
}

pub fn remove(c: &mut dyn Conn, source: &SourceId, prop: &str) -> Result<()> {
    c.execute(
        "DELETE FROM endpoints WHERE source_id = ?1 AND prop = ?2",
        params![source, prop],
    )?;
    Ok(())
}
