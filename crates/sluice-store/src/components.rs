//! Saved component code and the shape it was found to have. An update of the code is a new component: all that ever changes
//! in a row is that the packages of an imported component are resolved, once.

use std::collections::HashMap;

use sluice_model::{
    CodeFile, CodeFiles, ComponentId, ComponentShape, FileLink, UserId, WorkflowId,
};

use crate::{
    code_files,
    conn::{Conn, query_all, query_opt},
    error::Result,
    id_list::{IdList, ids_in},
    params,
    row::{FromRow, Row, to_json},
    value::Value,
};

/// The npm packages that a component runs with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packages {
    /// The component was imported and not used yet: its packages were not resolved, and its shape was read without
    /// them.
    Unresolved,
    /// With a lock when the code names packages.
    Resolved(Option<StoredLock>),
}

/// The exact npm packages of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLock {
    /// Tells locks apart.
    pub hash: String,
    /// JSON: the packages with their versions.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    pub id: ComponentId,
    pub user_id: UserId,
    pub key: Option<String>,
    pub name: String,
    pub version: String,
    pub code: CodeFiles,
    /// The hash of the entry.
    pub code_hash: String,
    /// Where the code was fetched from, if it was.
    pub url: Option<String>,
    pub packages: Packages,
    pub shape: ComponentShape,
    pub created_at: i64,
    pub updated_at: i64,
    /// The workflow whose step has this code; none for components that a user saved.
    pub workflow_id: Option<WorkflowId>,
    /// Whether it was imported with a tree. It is not listed among the components that its user saved.
    pub imported: bool,
}

pub(crate) const SELECT: &str = "SELECT c.id, c.user_id, c.key, c.name, c.version, c.code, \
     c.code_hash, c.url, c.link, c.packages, c.shape, c.created_at, c.updated_at, \
     c.workflow_id, c.resolved, c.imported, c.packages_hash FROM components c";

/// A component without the files that it imports.
struct ComponentRow(Component);

impl FromRow for ComponentRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let shape: ComponentShape = row.json(10)?;
        let text: String = row.get(5)?;
        let link: Option<String> = row.get(8)?;
        let mut code = CodeFiles::single(text, shape.format);
        if link.is_some() {
            code.entry.link = row.json(8)?;
        }
        Ok(ComponentRow(Component {
            id: row.get(0)?,
            user_id: row.get(1)?,
            key: row.get(2)?,
            name: row.get(3)?,
            version: row.get(4)?,
            code,
            code_hash: row.get(6)?,
            url: row.get(7)?,
            packages: if row.get(14)? {
                Packages::Resolved(stored_lock(row.get(16)?, row.get(9)?))
            } else {
                Packages::Unresolved
            },
            shape,
            created_at: row.get(11)?,
            updated_at: row.get(12)?,
            workflow_id: row.get(13)?,
            imported: row.get(15)?,
        }))
    }
}

fn stored_lock(hash: Option<String>, text: Option<String>) -> Option<StoredLock> {
    let (hash, text) = hash.zip(text)?;
    Some(StoredLock { hash, text })
}

/// A component with its files. The statement begins with [`SELECT`].
pub(crate) fn query_component(
    c: &mut dyn Conn,
    sql: &str,
    params: &[Value<'_>],
) -> Result<Option<Component>> {
    let Some(ComponentRow(mut component)) = query_opt(c, sql, params)? else {
        return Ok(None);
    };
    if stored_link(&component).is_some() {
        component.code.others = code_files::of_component(c, &component.id)?;
    }
    Ok(Some(component))
}

/// The link of the entry, unless it is that of JavaScript in one file.
fn stored_link(component: &Component) -> Option<&FileLink> {
    let CodeFiles { entry, .. } = &component.code;
    let CodeFile { link, .. } = CodeFiles::single("", component.shape.format).entry;
    (entry.link != link).then_some(&entry.link)
}

pub fn insert(c: &mut dyn Conn, component: &Component) -> Result<()> {
    let Component {
        id,
        user_id,
        key,
        name,
        version,
        code,
        code_hash,
        url,
        packages,
        shape,
        created_at,
        updated_at,
        workflow_id,
        imported,
    } = component;
    let link = stored_link(component).map(to_json).transpose()?;
    let (resolved, lock) = match packages {
        Packages::Unresolved => (false, None),
        Packages::Resolved(lock) => (true, lock.as_ref()),
    };
    c.execute(
        "INSERT INTO components (id, user_id, key, name, version, code, code_hash, url, link, \
         packages, shape, created_at, updated_at, workflow_id, resolved, imported, packages_hash) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        params![
            id,
            user_id,
            key.as_deref(),
            name,
            version,
            &*code.entry.text,
            code_hash,
            url.as_deref(),
            link.as_deref(),
            lock.map(|lock| &lock.text),
            &to_json(shape)?,
            *created_at,
            *updated_at,
            workflow_id.as_ref(),
            resolved,
            *imported,
            lock.map(|lock| &lock.hash)
        ],
    )?;
    code_files::insert(c, id, &code.others, *created_at)
}

/// Saves the resolved form of an imported component at its first use. False when it was resolved before, or is
/// gone: then nothing changes.
pub fn resolve(
    c: &mut dyn Conn,
    id: &ComponentId,
    lock: Option<&StoredLock>,
    shape: &ComponentShape,
    updated_at: i64,
) -> Result<bool> {
    let changed = c.execute(
        "UPDATE components SET packages = ?2, packages_hash = ?3, shape = ?4, updated_at = ?5, \
         resolved = ?6 WHERE id = ?1 AND NOT resolved",
        params![
            id,
            lock.map(|lock| &lock.text),
            lock.map(|lock| &lock.hash),
            &to_json(shape)?,
            updated_at,
            true
        ],
    )?;
    Ok(changed == 1)
}

/// Removes an imported component that was never used. A used one stays for its sources, and one that an import replaced stays
/// until that import can no longer be undone.
pub(crate) fn remove_unused(c: &mut dyn Conn, id: &ComponentId) -> Result<()> {
    let sql = "DELETE FROM components WHERE id = ?1 AND NOT resolved \
               AND NOT EXISTS (SELECT 1 FROM registry r WHERE r.component_id = components.id) \
               AND NOT EXISTS (SELECT 1 FROM import_changes h WHERE h.old_component = components.id)";
    if c.execute(sql, params![id])? > 0 {
        let files = "DELETE FROM component_files WHERE component_id = ?1";
        c.execute(files, params![id])?;
    }
    Ok(())
}

pub fn get(c: &mut dyn Conn, user: &UserId, id: &ComponentId) -> Result<Option<Component>> {
    let sql = format!("{SELECT} WHERE c.id = ?1 AND c.user_id = ?2");
    query_component(c, &sql, params![id, user])
}

/// The user's component with this key that was saved last.
pub fn newest_by_key(c: &mut dyn Conn, user: &UserId, key: &str) -> Result<Option<Component>> {
    let sql = format!(
        "{SELECT} WHERE c.user_id = ?1 AND c.key = ?2 AND c.workflow_id IS NULL AND NOT c.imported \
         ORDER BY c.created_at DESC, c.id DESC LIMIT 1"
    );
    query_component(c, &sql, params![user, key])
}

/// Components that the user may read: their own, and those that their sources run.
pub fn readable(c: &mut dyn Conn, user: &UserId, id: &ComponentId) -> Result<Option<Component>> {
    let sql = format!(
        "{SELECT} WHERE c.id = ?1 AND (c.user_id = ?2 OR EXISTS \
         (SELECT 1 FROM sources s WHERE s.user_id = ?2 AND s.component_id = c.id))"
    );
    query_component(c, &sql, params![id, user])
}

/// Components that `?1` saved: the newest of each key, and without a key the newest of each name.
const NEWEST: &str = "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (\
     PARTITION BY key, CASE WHEN key IS NULL THEN name ELSE '' END ORDER BY created_at DESC, id DESC) AS place \
     FROM components WHERE user_id = ?1 AND workflow_id IS NULL AND NOT imported) ranked WHERE place = 1";

/// A component without its code.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    pub id: ComponentId,
    pub created_at: i64,
    pub shape: ComponentShape,
}

impl FromRow for Outline {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Outline {
            id: row.get(0)?,
            created_at: row.get(1)?,
            shape: row.json(2)?,
        })
    }
}

/// Components that the user saved, in no order: those that later ones of the same key, or without a key of the same name, have
/// not replaced. The code of workflow steps is not among them, nor are imported components.
pub fn newest(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Outline>> {
    let sql = format!("SELECT id, created_at, shape FROM components WHERE id IN ({NEWEST})");
    query_all(c, &sql, params![user])
}

/// A component of any user: for running a source, which may use a published one.
pub fn get_for_run(c: &mut dyn Conn, id: &ComponentId) -> Result<Option<Component>> {
    query_component(c, &format!("{SELECT} WHERE c.id = ?1"), params![id])
}

struct Shape(ComponentShape);

impl FromRow for Shape {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Shape(row.json(0)?))
    }
}

/// A component of any user, without its code: for finding the interfaces of a source.
pub fn shape_for_run(c: &mut dyn Conn, id: &ComponentId) -> Result<Option<ComponentShape>> {
    let found: Option<Shape> =
        query_opt(c, "SELECT shape FROM components WHERE id = ?1", params![id])?;
    Ok(found.map(|Shape(shape)| shape))
}

impl FromRow for (ComponentId, Shape) {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok((row.get(1)?, Shape::from_row(row)?))
    }
}

/// As [`shape_for_run`], of several: for showing sources. Those that are not there are left out.
pub fn shapes_for_run(
    c: &mut dyn Conn,
    ids: &[ComponentId],
) -> Result<HashMap<ComponentId, ComponentShape>> {
    let sql = format!(
        "SELECT shape, id FROM components WHERE id IN {}",
        ids_in(c.dialect(), "?1")
    );
    let found: Vec<(ComponentId, Shape)> = query_all(c, &sql, params![&IdList::new(ids)?])?;
    let pairs = found.into_iter();
    Ok(pairs.map(|(id, Shape(shape))| (id, shape)).collect())
}
