//! Apps that components authenticate to: the operator's, for every user of this server.

use sluice_model::{AppAuth, AppId};

use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    id_list::{IdList, is_among},
    params,
    row::{FromRow, Row, to_json},
    text_enum::text_enum,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    pub id: AppId,
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    pub auth: AppAuth,
    /// The client secret of an OAuth app, sealed by the vault.
    pub secret_sealed: Option<String>,
    pub origin: Origin,
    pub created_at: i64,
    pub updated_at: i64,
}

/// Who described an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Nothing else changes it.
    Operator,
    /// The catalogue of the program, and the code of imported components.
    Program,
}

text_enum!(Origin {
    Operator = "operator",
    Program = "program",
});

const SELECT: &str = "SELECT id, slug, name, description, auth, secret_sealed, origin, created_at, \
     updated_at FROM apps";
impl FromRow for App {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(App {
            id: row.get(0)?,
            slug: row.get(1)?,
            name: row.get(2)?,
            description: row.get(3)?,
            auth: row.json(4)?,
            secret_sealed: row.get(5)?,
            origin: row.get(6)?,
            created_at: row.get(7)?,
            updated_at: row.get(8)?,
        })
    }
}

/// Saves an app in place of the one with the same slug, which keeps its id and its age.
pub fn upsert(c: &mut dyn Conn, app: &App) -> Result<()> {
    let App {
        id,
        slug,
        name,
        description,
        auth,
        secret_sealed,
        origin,
        created_at,
        updated_at,
    } = app;
    c.execute(
        "INSERT INTO apps (id, slug, name, description, auth, secret_sealed, origin, \
         created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
         ON CONFLICT (slug) DO UPDATE SET name = excluded.name, \
         description = excluded.description, auth = excluded.auth, \
         secret_sealed = excluded.secret_sealed, origin = excluded.origin, \
         updated_at = excluded.updated_at",
        params![
            id,
            slug,
            name,
            description.as_ref(),
            &to_json(auth)?,
            secret_sealed.as_ref(),
            *origin,
            *created_at,
            *updated_at
        ],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, id: &AppId) -> Result<Option<App>> {
    query_opt(c, &format!("{SELECT} WHERE id = ?1"), params![id])
}

pub fn by_slug(c: &mut dyn Conn, slug: &str) -> Result<Option<App>> {
    query_opt(c, &format!("{SELECT} WHERE slug = ?1"), params![slug])
}

/// Ids hold `app_` and then letters of either case, so one is rarely a slug; a slug goes first.
pub fn by_slug_or_id(c: &mut dyn Conn, slug_or_id: &str) -> Result<Option<App>> {
    match (by_slug(c, slug_or_id)?, AppId::parse(slug_or_id)) {
        (None, Some(id)) => get(c, &id),
        (found, _) => Ok(found),
    }
}

/// Those of the slugs that have an app, in no order.
pub fn slugs_among(c: &mut dyn Conn, slugs: &[&str]) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT slug FROM apps WHERE {}",
        is_among(c.dialect(), "slug", "?1")
    );
    query_all(c, &sql, params![&IdList::new(slugs)?])
}

/// All apps, in no order.
pub fn all(c: &mut dyn Conn) -> Result<Vec<App>> {
    query_all(c, SELECT, &[])
}

/// Returns whether it existed.
pub fn remove(c: &mut dyn Conn, id: &AppId) -> Result<bool> {
    Ok(c.execute("DELETE FROM apps WHERE id = ?1", params![id])? == 1)
}
