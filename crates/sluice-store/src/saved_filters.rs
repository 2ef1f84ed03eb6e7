//! Filters of lists that users saved under a name.

use std::collections::BTreeMap;

use sluice_model::{SavedFilterId, UserId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    params,
    row::{FromRow, Row, to_json},
    text_enum::text_enum,
};

/// The lists that filters are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilteredList {
    Events,
    Runs,
    Logs,
}

text_enum!(FilteredList {
    Events = "events",
    Runs = "runs",
    Logs = "logs",
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFilter {
    pub id: SavedFilterId,
    pub user_id: UserId,
    pub list: FilteredList,
    /// Unique for each user and list.
    pub name: String,
    pub parameters: BTreeMap<String, String>,
    pub created_at: i64,
}

const COLUMNS: &str = "id, user_id, list, name, parameters, created_at";

impl FromRow for SavedFilter {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SavedFilter {
            id: row.get(0)?,
            user_id: row.get(1)?,
            list: row.get(2)?,
            name: row.get(3)?,
            parameters: row.json(4)?,
            created_at: row.get(5)?,
        })
    }
}

/// Inserts a filter, or changes the name and the parameters of the one with this id. Conflicts on the name.
pub fn put(c: &mut dyn Conn, filter: &SavedFilter) -> Result<()> {
    let SavedFilter {
        id,
        user_id,
        list,
        name,
        parameters,
        created_at,
    } = filter;
    let sql = format!(
        "INSERT INTO saved_filters ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, parameters = excluded.parameters"
    );
    let parameters = to_json(parameters)?;
    c.execute(
        &sql,
        params![id, user_id, *list, name, &parameters, *created_at],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, user: &UserId, id: &SavedFilterId) -> Result<Option<SavedFilter>> {
    let sql = format!("SELECT {COLUMNS} FROM saved_filters WHERE user_id = ?1 AND id = ?2");
    query_opt(c, &sql, params![user, id])
}

/// Whether another filter of the list has the name.
pub fn is_taken(c: &mut dyn Conn, filter: &SavedFilter) -> Result<bool> {
    let sql = "SELECT COUNT(*) FROM saved_filters WHERE user_id = ?1 AND list = ?2 AND name = ?3 AND id <> ?4";
    let params = params![&filter.user_id, filter.list, &filter.name, &filter.id];
    let others: u64 = query_one(c, sql, params)?;
    Ok(others > 0)
}

/// The filters of a user by list and name.
pub fn list(c: &mut dyn Conn, user: &UserId) -> Result<Vec<SavedFilter>> {
    let sql = format!("SELECT {COLUMNS} FROM saved_filters WHERE user_id = ?1 ORDER BY list, name");
    query_all(c, &sql, params![user])
}

pub fn count(c: &mut dyn Conn, user: &UserId) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM saved_filters WHERE user_id = ?1";
    query_one(c, sql, params![user])
}

/// Returns whether it existed.
pub fn remove(c: &mut dyn Conn, user: &UserId, id: &SavedFilterId) -> Result<bool> {
    let sql = "DELETE FROM saved_filters WHERE user_id = ?1 AND id = ?2";
    Ok(c.execute(sql, params![user, id])? == 1)
}
