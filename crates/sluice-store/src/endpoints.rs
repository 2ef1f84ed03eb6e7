//! The addresses of props that requests come to. A key is kept through updates of its source.

use sluice_model::{
    ComponentId, EmitterId, EndpointKey, PropDef, SourceId, UserId, WorkflowId,
    workflow::WorkflowDefinition,
};

use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    id_list::{IdList, ids_in},
    params,
    row::{FromRow, Row},
    sources::Phase,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub key: EndpointKey,
    pub emitter_id: EmitterId,
    pub prop: String,
}

impl FromRow for Endpoint {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Endpoint {
            key: row.get(0)?,
            emitter_id: row.get(1)?,
            prop: row.get(2)?,
        })
    }
}

/// The source behind an endpoint, with the fields that a request needs.
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
    /// Counts the changes of the source.
    pub generation: i64,
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
            generation: row.get(7)?,
        })
    }
}

pub fn insert(c: &mut dyn Conn, key: &EndpointKey, emitter: &EmitterId, prop: &str) -> Result<()> {
    c.execute(
        "INSERT INTO endpoints (key, emitter_id, prop) VALUES (?1, ?2, ?3)",
        params![key, emitter, prop],
    )?;
    Ok(())
}

/// The emitter's endpoints, by the name of their prop.
pub fn of_emitter(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Vec<Endpoint>> {
    query_all(
        c,
        "SELECT key, emitter_id, prop FROM endpoints WHERE emitter_id = ?1 ORDER BY prop, key",
        params![emitter],
    )
}

/// Those of several emitters, by the names of their props.
pub fn of_emitters(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<Vec<Endpoint>> {
    let sql = format!(
        "SELECT key, emitter_id, prop FROM endpoints WHERE emitter_id IN {} ORDER BY prop, key",
        ids_in(c.dialect(), "?1")
    );
    query_all(c, &sql, params![&IdList::new(emitters)?])
}

/// Where a request to this key goes, when it is that of a source. The key is the permission: it is known to those it was given.
pub fn source_behind(c: &mut dyn Conn, key: &EndpointKey) -> Result<Option<EndpointTarget>> {
    query_opt(
        c,
        "SELECT s.id, s.user_id, e.prop, s.active, s.phase, s.component_id, \
         s.dynamic_props, st.generation \
         FROM endpoints e JOIN sources s ON s.id = e.emitter_id \
         JOIN emitter_state st ON st.emitter_id = s.id WHERE e.key = ?1",
        params![key],
    )
}

/// The workflow behind an endpoint, with the fields that a request needs.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowTarget {
    pub workflow_id: WorkflowId,
    pub user_id: UserId,
    pub prop: String,
    pub active: bool,
    pub definition: WorkflowDefinition,
    /// Counts the changes of the workflow.
    pub generation: i64,
}

impl FromRow for WorkflowTarget {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(WorkflowTarget {
            workflow_id: row.get(0)?,
            user_id: row.get(1)?,
            prop: row.get(2)?,
            active: row.get(3)?,
            definition: row.json(4)?,
            generation: row.get(5)?,
        })
    }
}

/// The same for a key of a workflow.
pub fn workflow_behind(c: &mut dyn Conn, key: &EndpointKey) -> Result<Option<WorkflowTarget>> {
    query_opt(
        c,
        "SELECT w.id, w.user_id, e.prop, w.active, d.definition, st.generation \
         FROM endpoints e JOIN workflows w ON w.id = e.emitter_id \
         JOIN deployments d ON d.id = w.deployment_id \
         JOIN emitter_state st ON st.emitter_id = w.id WHERE e.key = ?1",
        params![key],
    )
}

pub fn remove(c: &mut dyn Conn, emitter: &EmitterId, prop: &str) -> Result<()> {
    c.execute(
        "DELETE FROM endpoints WHERE emitter_id = ?1 AND prop = ?2",
        params![emitter, prop],
    )?;
    Ok(())
}
