//! Which sources and workflows use an account.

use serde_json::{Map, Value as Json};
use sluice_model::{AccountId, EmitterId, UserId, names_account, workflow::WorkflowDefinition};

use crate::{
    conn::Conn,
    error::Result,
    params,
    row::{FromRow, Row},
    search::position,
};

/// A source or a workflow that uses an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    pub id: EmitterId,
    pub name: String,
    pub active: bool,
    pub created_at: i64,
}

impl FromRow for Use {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Use {
            id: row.get(0)?,
            name: row.get(1)?,
            active: row.get(2)?,
            created_at: row.get(3)?,
        })
    }
}

/// All of the user's live sources that do, and workflows whose running version does, newest first. The databases look for the text of the id
/// alone, so that few rows are read and taken apart here.
pub fn of(c: &mut dyn Conn, user: &UserId, account: &AccountId) -> Result<Vec<Use>> {
    let mut found = Vec::new();
    let in_source = position(c.dialect(), "configured_props", "?2");
    let sources = format!(
        "SELECT id, name, active, created_at, configured_props FROM sources \
         WHERE user_id = ?1 AND phase = 'live' AND {in_source} > 0"
    );
    c.query(&sources, params![user, account], &mut |row| {
        if names_account(&row.json::<Map<String, Json>>(4)?, account) {
            found.push(Use::from_row(row)?);
        }
        Ok(())
    })?;
    let in_version = position(c.dialect(), "d.definition", "?2");
    let workflows = format!(
        "SELECT w.id, w.name, w.active, w.created_at, d.definition FROM workflows w \
         JOIN deployments d ON d.id = w.deployment_id WHERE w.user_id = ?1 AND {in_version} > 0"
    );
    c.query(&workflows, params![user, account], &mut |row| {
        let WorkflowDefinition { steps, .. } = row.json(4)?;
        if steps.iter().any(|step| names_account(&step.props, account)) {
            found.push(Use::from_row(row)?);
        }
        Ok(())
    })?;
    found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(found)
}
