//! Versions of workflows. A row is never changed.

use std::collections::{BTreeMap, HashMap};

use sluice_model::{DeploymentId, WorkflowId, workflow::WorkflowDefinition};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    id_list::{IdList, ids_in},
    params,
    row::{FromRow, Row, to_json},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Deployment {
    pub id: DeploymentId,
    pub workflow_id: WorkflowId,
    /// Counted from 1 for each workflow.
    pub number: u32,
    pub definition: WorkflowDefinition,
    /// As it was given.
    pub document: String,
    /// The files that came with it, by path.
    pub files: BTreeMap<String, String>,
    pub created_at: i64,
}

const COLUMNS: &str = "id, workflow_id, number, definition, document, files, created_at";

impl FromRow for Deployment {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Deployment {
            id: row.get(0)?,
            workflow_id: row.get(1)?,
            number: row.get(2)?,
            definition: row.json(3)?,
            document: row.get(4)?,
            files: row.json(5)?,
            created_at: row.get(6)?,
        })
    }
}

/// Conflicts on the id and on the number.
pub fn insert(c: &mut dyn Conn, deployment: &Deployment) -> Result<()> {
    let Deployment {
        id,
        workflow_id,
        number,
        definition,
        document,
        files,
        created_at,
    } = deployment;
    c.execute(
        &format!("INSERT INTO deployments ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
        params![
            id,
            workflow_id,
            *number,
            &to_json(definition)?,
            document,
            &to_json(files)?,
            *created_at
        ],
    )?;
    Ok(())
}

/// A deployment of any user.
pub fn get(c: &mut dyn Conn, id: &DeploymentId) -> Result<Option<Deployment>> {
    let sql = format!("SELECT {COLUMNS} FROM deployments WHERE id = ?1");
    query_opt(c, &sql, params![id])
}

/// The definition of a version, without its source text.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionDefinition {
    pub number: u32,
    pub definition: WorkflowDefinition,
}

impl FromRow for (DeploymentId, VersionDefinition) {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let defined = VersionDefinition {
            number: row.get(1)?,
            definition: row.json(2)?,
        };
        Ok((row.get(0)?, defined))
    }
}

/// The versions with these ids that exist, of any user.
pub fn defined(
    c: &mut dyn Conn,
    ids: &[DeploymentId],
) -> Result<HashMap<DeploymentId, VersionDefinition>> {
    let sql = format!(
        "SELECT id, number, definition FROM deployments WHERE id IN {}",
        ids_in(c.dialect(), "?1")
    );
    let found: Vec<(DeploymentId, VersionDefinition)> =
        query_all(c, &sql, params![&IdList::new(ids)?])?;
    Ok(found.into_iter().collect())
}

pub fn by_number(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    number: u32,
) -> Result<Option<Deployment>> {
    let sql = format!("SELECT {COLUMNS} FROM deployments WHERE workflow_id = ?1 AND number = ?2");
    query_opt(c, &sql, params![workflow, number])
}

/// A version without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub id: DeploymentId,
    pub number: u32,
    pub created_at: i64,
}

impl FromRow for Version {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Version {
            id: row.get(0)?,
            number: row.get(1)?,
            created_at: row.get(2)?,
        })
    }
}

/// Of one workflow, newest first.
pub fn versions(c: &mut dyn Conn, workflow: &WorkflowId) -> Result<Vec<Version>> {
    query_all(
        c,
        "SELECT id, number, created_at FROM deployments WHERE workflow_id = ?1 \
         ORDER BY number DESC",
        params![workflow],
    )
}

/// The number of the newest; 0 when there is none.
pub fn newest_number(c: &mut dyn Conn, workflow: &WorkflowId) -> Result<u32> {
    query_one(
        c,
        "SELECT COALESCE(MAX(number), 0) FROM deployments WHERE workflow_id = ?1",
        params![workflow],
    )
}
