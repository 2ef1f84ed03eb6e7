//! Components that the operator published, by key, for every user of this server.

use sluice_model::ComponentId;

use crate::{
    components::{Component, SELECT},
    conn::{Conn, query_opt},
    error::Result,
    params,
};

/// Publishes a component under `key`, in place of any other.
pub fn publish(
    c: &mut dyn Conn,
    key: &str,
    component: &ComponentId,
    published_at: i64,
) -> Result<()> {
    c.execute(
        "INSERT INTO registry (key, component_id, published_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (key) DO UPDATE SET component_id = excluded.component_id, \
         published_at = excluded.published_at",
        params![key, component, published_at],
    )?;
    Ok(())
}

/// The component with this id, when it is one that is published.
pub fn by_id(c: &mut dyn Conn, id: &ComponentId) -> Result<Option<Component>> {
    let sql = format!(
        "{SELECT} WHERE c.id = ?1 AND EXISTS (SELECT 1 FROM registry WHERE component_id = c.id)"
    );
    query_opt(c, &sql, params![id])
}

pub fn by_key(c: &mut dyn Conn, key: &str) -> Result<Option<Component>> {
    let sql = format!("{SELECT} JOIN registry r ON r.component_id = c.id WHERE r.key = ?1");
    query_opt(c, &sql, params![key])
}
