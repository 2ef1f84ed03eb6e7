//! Props that `additionalProps` of components declared for the values in a form. They expire.

use sluice_model::{ComponentId, DynamicPropsId, PropDef, UserId};

use crate::{
    conn::{Conn, query_opt},
    error::Result,
    params,
    row::{FromRow, Row, to_json},
};

#[derive(Debug, Clone, PartialEq)]
pub struct DynamicProps {
    pub id: DynamicPropsId,
    pub user_id: UserId,
    pub component_id: ComponentId,
    pub props: Vec<PropDef>,
    pub created_at: i64,
}

impl FromRow for DynamicProps {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(DynamicProps {
            id: row.get(0)?,
            user_id: row.get(1)?,
            component_id: row.get(2)?,
            props: row.json(3)?,
            created_at: row.get(4)?,
        })
    }
}

pub fn insert(c: &mut dyn Conn, dynamic: &DynamicProps) -> Result<()> {
    let DynamicProps {
        id,
        user_id,
        component_id,
        props,
        created_at,
    } = dynamic;
    c.execute(
        "INSERT INTO dynamic_props (id, user_id, component_id, props, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![id, user_id, component_id, &to_json(props)?, *created_at],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, user: &UserId, id: &DynamicPropsId) -> Result<Option<DynamicProps>> {
    query_opt(
        c,
        "SELECT id, user_id, component_id, props, created_at FROM dynamic_props \
         WHERE id = ?1 AND user_id = ?2",
        params![id, user],
    )
}

/// Removes those of all users that were made before `created_before`, `limit` at most, the oldest first.
pub fn remove_older_than(c: &mut dyn Conn, created_before: i64, limit: u32) -> Result<u64> {
    c.execute(
        "DELETE FROM dynamic_props WHERE id IN (SELECT id FROM dynamic_props \
         WHERE created_at < ?1 ORDER BY created_at, id LIMIT ?2)",
        params![created_before, limit],
    )
}
