//! Locks of npm packages by their hashes, and what uses them. All of it is for every user: packages are shared.

use sluice_model::{ComponentId, DeploymentId, UserId};

use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    id_list::{IdList, is_among},
    params,
};

/// The locks of all components.
pub fn all(c: &mut dyn Conn) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT packages_hash FROM components WHERE packages_hash IS NOT NULL";
    query_all(c, sql, params![])
}

/// The locks of a user's components.
pub fn of_user(c: &mut dyn Conn, user: &UserId) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT packages_hash FROM components \
         WHERE user_id = ?1 AND packages_hash IS NOT NULL";
    query_all(c, sql, params![user])
}

/// The locks that active sources run with.
pub fn of_active_sources(c: &mut dyn Conn) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT c.packages_hash FROM sources s \
         JOIN components c ON c.id = s.component_id \
         WHERE s.active AND c.packages_hash IS NOT NULL";
    query_all(c, sql, params![])
}

/// The versions that active workflows run.
pub fn active_versions(c: &mut dyn Conn) -> Result<Vec<DeploymentId>> {
    let sql = "SELECT deployment_id FROM workflows WHERE active";
    query_all(c, sql, params![])
}

/// The locks of these components.
pub fn of_components(c: &mut dyn Conn, ids: &[ComponentId]) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT DISTINCT packages_hash FROM components \
         WHERE {} AND packages_hash IS NOT NULL",
        is_among(c.dialect(), "id", "?1")
    );
    query_all(c, &sql, params![&IdList::new(ids)?])
}

/// The lock with this hash, as JSON. Every component that has it has the same packages.
pub fn text(c: &mut dyn Conn, hash: &str) -> Result<Option<String>> {
    let sql = "SELECT packages FROM components WHERE packages_hash = ?1 LIMIT 1";
    query_opt(c, sql, params![hash])
}
