//! Tools: actions that a user enabled for programs such as AI agents.

use sluice_model::UserId;

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub user_id: UserId,
    /// Unique for each user.
    pub name: String,
    /// The key of the action, or the id of its component.
    pub component: String,
    /// None: that of the action.
    pub description: Option<String>,
    /// The preset props, as one sealed JSON object.
    pub props_sealed: String,
    pub created_at: i64,
    pub updated_at: i64,
}

const COLUMNS: &str = "user_id, name, component, description, props_sealed, created_at, updated_at";

impl FromRow for Tool {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Tool {
            user_id: row.get(0)?,
            name: row.get(1)?,
            component: row.get(2)?,
            description: row.get(3)?,
            props_sealed: row.get(4)?,
            created_at: row.get(5)?,
            updated_at: row.get(6)?,
        })
    }
}

/// Inserts a tool, or replaces that of the same name. The time of its creation stays.
pub fn put(c: &mut dyn Conn, tool: &Tool) -> Result<()> {
    let Tool {
        user_id,
        name,
        component,
        description,
        props_sealed,
        created_at,
        updated_at,
    } = tool;
    c.execute(
        &format!(
            "INSERT INTO tools ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT (user_id, name) DO UPDATE SET component = excluded.component, \
             description = excluded.description, props_sealed = excluded.props_sealed, \
             updated_at = excluded.updated_at"
        ),
        params![
            user_id,
            name,
            component,
            description.as_ref(),
            props_sealed,
            *created_at,
            *updated_at
        ],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, user: &UserId, name: &str) -> Result<Option<Tool>> {
    let sql = format!("SELECT {COLUMNS} FROM tools WHERE user_id = ?1 AND name = ?2");
    query_opt(c, &sql, params![user, name])
}

/// The user's tools, by name.
pub fn list(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Tool>> {
    let sql = format!("SELECT {COLUMNS} FROM tools WHERE user_id = ?1 ORDER BY name");
    query_all(c, &sql, params![user])
}

pub fn count(c: &mut dyn Conn, user: &UserId) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM tools WHERE user_id = ?1";
    query_one(c, sql, params![user])
}

/// Returns whether it existed.
pub fn remove(c: &mut dyn Conn, user: &UserId, name: &str) -> Result<bool> {
    let sql = "DELETE FROM tools WHERE user_id = ?1 AND name = ?2";
    Ok(c.execute(sql, params![user, name])? == 1)
}
