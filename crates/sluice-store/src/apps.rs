//! Apps that components authenticate to: the operator's, for every user of this server.

use sluice_model::{AppAuth, AppId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    page::Page,
    params,
    row::{FromRow, Row, to_json},
    value::Value,
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
    pub created_at: i64,
    pub updated_at: i64,
}

const SELECT: &str =
    "SELECT id, slug, name, description, auth, secret_sealed, created_at, updated_at FROM apps";
/// `?1` is a pattern in lower case.
const MATCHES: &str = "(slug LIKE ?1 ESCAPE '!' OR LOWER(name) LIKE ?1 ESCAPE '!')";

impl FromRow for App {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(App {
            id: row.get(0)?,
            slug: row.get(1)?,
            name: row.get(2)?,
            description: row.get(3)?,
            auth: row.json(4)?,
            secret_sealed: row.get(5)?,
            created_at: row.get(6)?,
            updated_at: row.get(7)?,
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
        created_at,
        updated_at,
    } = app;
    c.execute(
        "INSERT INTO apps (id, slug, name, description, auth, secret_sealed, created_at, \
         updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (slug) DO UPDATE SET \
         name = excluded.name, description = excluded.description, auth = excluded.auth, \
         secret_sealed = excluded.secret_sealed, updated_at = excluded.updated_at",
        params![
            id,
            slug,
            name,
            description.as_ref(),
            &to_json(auth)?,
            secret_sealed.as_ref(),
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

/// Apps whose slug or name contains `text`, newest first.
pub fn list(c: &mut dyn Conn, text: &str, page: &Page) -> Result<Vec<App>> {
    let sql = format!("{SELECT} WHERE {MATCHES} AND {} LIMIT ?6", page.condition());
    let pattern = pattern(text);
    let mut apps: Vec<App> = query_all(c, &sql, &page.params(Value::from(&pattern)))?;
    apps.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(apps)
}

/// How many apps [`list`] has in all.
pub fn count(c: &mut dyn Conn, text: &str) -> Result<u64> {
    let sql = format!("SELECT COUNT(*) FROM apps WHERE {MATCHES}");
    query_one(c, &sql, params![&pattern(text)])
}

/// Returns whether it existed.
pub fn remove(c: &mut dyn Conn, id: &AppId) -> Result<bool> {
    Ok(c.execute("DELETE FROM apps WHERE id = ?1", params![id])? == 1)
}

/// Both databases lower only ASCII letters, in the stored text and in the wanted one.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.to_ascii_lowercase().chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
