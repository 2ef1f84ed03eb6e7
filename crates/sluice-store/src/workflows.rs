//! Workflows, each with the version that runs now.

use std::collections::BTreeMap;

use sluice_model::{DeploymentId, UserId, WorkflowId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    count_ledger,
    emitters::EmitterFilter,
    error::Result,
    page::Page,
    params,
    row::{FromRow, Row},
    state,
    value::Value,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    pub id: WorkflowId,
    pub user_id: UserId,
    pub name: String,
    /// Unique for each user.
    pub name_slug: String,
    pub active: bool,
    /// The version that new runs take.
    pub deployment_id: DeploymentId,
    pub created_at: i64,
    pub updated_at: i64,
    /// Whether its runs are single actions, each with a version of its own.
    pub internal: bool,
}

const COLUMNS: &str = "id, user_id, name, name_slug, active, deployment_id, created_at, updated_at, \
     internal";

impl FromRow for Workflow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Workflow {
            id: row.get(0)?,
            user_id: row.get(1)?,
            name: row.get(2)?,
            name_slug: row.get(3)?,
            active: row.get(4)?,
            deployment_id: row.get(5)?,
            created_at: row.get(6)?,
            updated_at: row.get(7)?,
            internal: row.get(8)?,
        })
    }
}

/// Conflicts on the id and on the user's slug.
pub fn insert(c: &mut dyn Conn, workflow: &Workflow) -> Result<()> {
    let Workflow {
        id,
        user_id,
        name,
        name_slug,
        active,
        deployment_id,
        created_at,
        updated_at,
        internal,
    } = workflow;
    c.execute(
        &format!("INSERT INTO workflows ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
        params![
            id,
            user_id,
            name,
            name_slug,
            *active,
            deployment_id,
            *created_at,
            *updated_at,
            *internal
        ],
    )?;
    state::insert(c, id)
}

pub fn get(c: &mut dyn Conn, user: &UserId, id: &WorkflowId) -> Result<Option<Workflow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM workflows WHERE id = ?1 AND user_id = ?2 AND NOT internal");
    query_opt(c, &sql, params![id, user])
}

/// The workflow of the user's action runs.
pub fn of_actions(c: &mut dyn Conn, user: &UserId) -> Result<Option<Workflow>> {
    let sql = format!("SELECT {COLUMNS} FROM workflows WHERE user_id = ?1 AND internal");
    query_opt(c, &sql, params![user])
}

/// Whether the user has it. If so, it is locked until the transaction ends.
pub fn hold(c: &mut dyn Conn, user: &UserId, id: &WorkflowId) -> Result<bool> {
    // The lock that both databases have.
    let held = c.execute(
        "UPDATE workflows SET id = id WHERE id = ?1 AND user_id = ?2 AND NOT internal",
        params![id, user],
    )?;
    Ok(held == 1)
}

/// Locks a workflow until the transaction ends.
pub fn lock(c: &mut dyn Conn, id: &WorkflowId) -> Result<()> {
    let sql = "UPDATE workflows SET id = id WHERE id = ?1";
    c.execute(sql, params![id]).map(drop)
}

/// A workflow of any user: for its owner in the engine.
pub fn get_for_run(c: &mut dyn Conn, id: &WorkflowId) -> Result<Option<Workflow>> {
    let sql = format!("SELECT {COLUMNS} FROM workflows WHERE id = ?1");
    query_opt(c, &sql, params![id])
}

pub fn by_slug(c: &mut dyn Conn, user: &UserId, slug: &str) -> Result<Option<Workflow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM workflows WHERE user_id = ?1 AND name_slug = ?2 AND NOT internal"
    );
    query_opt(c, &sql, params![user, slug])
}

/// Whether the user has a workflow with this slug.
pub fn slug_taken(c: &mut dyn Conn, user: &UserId, slug: &str) -> Result<bool> {
    query_one(
        c,
        "SELECT EXISTS (SELECT 1 FROM workflows WHERE user_id = ?1 AND name_slug = ?2)",
        params![user, slug],
    )
}

/// A page of the user's workflows that the filter admits, newest first.
pub fn page(
    c: &mut dyn Conn,
    user: &UserId,
    filter: &EmitterFilter,
    page: &Page,
) -> Result<Vec<Workflow>> {
    let mut params = page.params(Value::from(user)).to_vec();
    let sql = format!(
        "SELECT {COLUMNS} FROM workflows WHERE user_id = ?1 AND NOT internal{} AND {} LIMIT ?6",
        filter.conditions(c.dialect(), "workflows", &mut params),
        page.condition()
    );
    let mut workflows: Vec<Workflow> = query_all(c, &sql, &params)?;
    workflows.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(workflows)
}

/// How many workflows [`page`] has in all.
pub fn count(c: &mut dyn Conn, user: &UserId, filter: &EmitterFilter) -> Result<u64> {
    let mut params = vec![Value::from(user)];
    let sql = format!(
        "SELECT COUNT(*) FROM workflows WHERE user_id = ?1 AND NOT internal{}",
        filter.conditions(c.dialect(), "workflows", &mut params)
    );
    query_one(c, &sql, &params)
}

/// Saves all fields of a workflow that can change. Returns whether it existed. Conflicts on the user's slug.
pub fn update(c: &mut dyn Conn, workflow: &Workflow) -> Result<bool> {
    let Workflow {
        id,
        user_id,
        name,
        name_slug,
        active,
        deployment_id,
        created_at: _,
        updated_at,
        internal: _,
    } = workflow;
    let updated = c.execute(
        "UPDATE workflows SET name = ?3, name_slug = ?4, active = ?5, deployment_id = ?6, \
         updated_at = ?7 WHERE id = ?1 AND user_id = ?2",
        params![
            id,
            user_id,
            name,
            name_slug,
            *active,
            deployment_id,
            *updated_at
        ],
    )?;
    state::definition_changed(c, id)?;
    Ok(updated == 1)
}

/// Removes a workflow and all its rows. Returns whether it existed.
pub fn remove(c: &mut dyn Conn, user: &UserId, id: &WorkflowId) -> Result<bool> {
    // The row first: this waits for a transaction that locks it to add a subscription, and then sees that.
    let removed = c.execute(
        "DELETE FROM workflows WHERE id = ?1 AND user_id = ?2",
        params![id, user],
    )?;
    if removed == 0 {
        return Ok(false);
    }
    count_ledger::forget_emitter(c, id)?;
    for belongings in [
        // First: a commit in progress ends before, and there is none after.
        "DELETE FROM emitter_state WHERE emitter_id = ?1",
        "DELETE FROM deployments WHERE workflow_id = ?1",
        "DELETE FROM workflow_secrets WHERE workflow_id = ?1",
        "DELETE FROM runs WHERE workflow_id = ?1",
        "DELETE FROM run_steps WHERE workflow_id = ?1",
        "DELETE FROM sends WHERE workflow_id = ?1",
        "DELETE FROM endpoints WHERE emitter_id = ?1",
        "DELETE FROM timers WHERE emitter_id = ?1",
        "DELETE FROM kv WHERE emitter_id = ?1",
        "DELETE FROM inbox WHERE emitter_id = ?1",
        "DELETE FROM uploads WHERE emitter_id = ?1",
        "DELETE FROM events WHERE emitter_id = ?1",
        "DELETE FROM saved_events WHERE emitter_id = ?1",
        "DELETE FROM subscriptions WHERE emitter_id = ?1",
        "DELETE FROM subscriptions WHERE listener_id = ?1",
        "DELETE FROM activity WHERE emitter_id = ?1",
        "DELETE FROM subject_health WHERE subject_id = ?1",
        // Last, as in all other transactions: two that lock rows in different orders end in a deadlock.
        "DELETE FROM kept_rows WHERE emitter_id = ?1",
    ] {
        c.execute(belongings, params![id])?;
    }
    Ok(true)
}

/// The sealed values of secrets, by name.
pub fn secrets(c: &mut dyn Conn, id: &WorkflowId) -> Result<BTreeMap<String, String>> {
    let mut secrets = BTreeMap::new();
    c.query(
        "SELECT name, sealed FROM workflow_secrets WHERE workflow_id = ?1",
        params![id],
        &mut |row| {
            secrets.insert(row.get(0)?, row.get(1)?);
            Ok(())
        },
    )?;
    Ok(secrets)
}

pub fn set_secret(c: &mut dyn Conn, id: &WorkflowId, name: &str, sealed: &str) -> Result<()> {
    c.execute(
        "INSERT INTO workflow_secrets (workflow_id, name, sealed) VALUES (?1, ?2, ?3) \
         ON CONFLICT (workflow_id, name) DO UPDATE SET sealed = excluded.sealed",
        params![id, name, sealed],
    )?;
    Ok(())
}
