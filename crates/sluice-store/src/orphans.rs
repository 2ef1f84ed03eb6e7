//! Rows whose source, workflow, webhook or user is gone. A removal deletes all rows of its owner that are stored at that
//! moment. A concurrent transaction may store more, which only a sweep removes.
//!
//! A sweep goes from owner to owner with an index, however many rows each has, so that it can run every minute: [`find`] in a
//! read, and [`remove`] in a write for each owner that is gone.

use sluice_model::WebhookId;

use crate::{
    conn::{Conn, query_opt},
    delivery_history,
    error::Result,
    params,
    row::{FromRow, Row},
};

/// A table whose rows belong to something that can be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnedTable {
    Inbox,
    Uploads,
    Endpoints,
    Timers,
    EmitterState,
    KeyValues,
    Events,
    HeldEvents,
    EventReplays,
    KeptRows,
    Logs,
    Activity,
    SourceVersions,
    LastRequests,
    SavedEvents,
    Deployments,
    WorkflowSecrets,
    Runs,
    RunSteps,
    Sends,
    /// With payloads that no other delivery has.
    Deliveries,
    QueueClaims,
    Usage,
    UserActivity,
    DataStores,
    DataStoreEntries,
}

/// The owner of rows, by the tables where it is.
#[derive(Clone, Copy)]
enum Owner {
    Emitter,
    Workflow,
    Webhook,
    /// A webhook. The send queues of a user are no orphans: they go with the user.
    Queue,
    User,
}

impl Owner {
    /// Whether the owner with this id exists, in SQL.
    fn exists(self, id: &str) -> String {
        let is_in = |table: &str| format!("EXISTS (SELECT 1 FROM {table} o WHERE o.id = {id})");
        match self {
            Owner::Emitter => format!("({} OR {})", is_in("sources"), is_in("workflows")),
            Owner::Workflow => is_in("workflows"),
            Owner::Webhook => is_in("webhooks"),
            Owner::Queue => format!("({} OR {id} LIKE '%/%')", is_in("webhooks")),
            Owner::User => is_in("users"),
        }
    }
}

/// How the rows of a table are found: there is an index on the owner's id and the key, in this order.
struct Layout {
    table: &'static str,
    owner: Owner,
    owner_id: &'static str,
    key: &'static str,
}

impl OwnedTable {
    pub const ALL: [OwnedTable; 26] = [
        OwnedTable::Inbox,
        OwnedTable::Uploads,
        OwnedTable::Endpoints,
        OwnedTable::Timers,
        OwnedTable::EmitterState,
        OwnedTable::KeyValues,
        OwnedTable::Events,
        OwnedTable::HeldEvents,
        OwnedTable::EventReplays,
        OwnedTable::KeptRows,
        OwnedTable::Logs,
        OwnedTable::Activity,
        OwnedTable::SourceVersions,
        OwnedTable::LastRequests,
        OwnedTable::SavedEvents,
        OwnedTable::Deployments,
        OwnedTable::WorkflowSecrets,
        OwnedTable::Runs,
        OwnedTable::RunSteps,
        OwnedTable::Sends,
        OwnedTable::Deliveries,
        OwnedTable::QueueClaims,
        OwnedTable::Usage,
        OwnedTable::UserActivity,
        OwnedTable::DataStores,
        OwnedTable::DataStoreEntries,
    ];

    fn layout(self) -> Layout {
        let of = |owner, owner_id| {
            move |table, key| Layout {
                table,
                owner,
                owner_id,
                key,
            }
        };
        let of_emitter = of(Owner::Emitter, "emitter_id");
        let of_workflow = of(Owner::Workflow, "workflow_id");
        let of_user = of(Owner::User, "user_id");
        match self {
            OwnedTable::Inbox => of_emitter("inbox", "id"),
            OwnedTable::Uploads => of_emitter("uploads", "invocation_id"),
            OwnedTable::Endpoints => of_emitter("endpoints", "key"),
            OwnedTable::Timers => of_emitter("timers", "prop"),
            OwnedTable::EmitterState => of_emitter("emitter_state", "emitter_id"),
            OwnedTable::KeyValues => of_emitter("kv", "key"),
            OwnedTable::Events => of_emitter("events", "ms"),
            OwnedTable::HeldEvents => of_emitter("held_events", "ms"),
            OwnedTable::EventReplays => of_emitter("event_replays", "ms"),
            OwnedTable::KeptRows => of_emitter("kept_rows", "emitter_id"),
            OwnedTable::Logs => of_emitter("logs", "seq"),
            OwnedTable::Activity => of_emitter("activity", "hour"),
            OwnedTable::SourceVersions => {
                of(Owner::Emitter, "source_id")("source_versions", "number")
            }
            OwnedTable::LastRequests => of_emitter("last_requests", "emitter_id"),
            OwnedTable::SavedEvents => of_emitter("saved_events", "name"),
            OwnedTable::Deployments => of_workflow("deployments", "number"),
            OwnedTable::WorkflowSecrets => of_workflow("workflow_secrets", "name"),
            OwnedTable::Runs => of_workflow("runs", "id"),
            OwnedTable::RunSteps => of_workflow("run_steps", "run_id"),
            OwnedTable::Sends => of_workflow("sends", "run_id"),
            OwnedTable::Deliveries => of(Owner::Webhook, "webhook_id")("deliveries", "created_at"),
            OwnedTable::QueueClaims => of(Owner::Queue, "queue")("queue_claims", "queue"),
            OwnedTable::Usage => of_user("usage", "day"),
            OwnedTable::UserActivity => of_user("user_activity", "hour"),
            OwnedTable::DataStores => of_user("data_stores", "name"),
            OwnedTable::DataStoreEntries => of_user("data_store_entries", "store"),
        }
    }
}

/// The result of one step of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphans {
    /// Ids of owners that are gone and have rows.
    pub owners: Vec<String>,
    /// Where the next step goes on; none when this was the last.
    pub next: Option<String>,
}

/// An owner with rows, and whether it exists.
struct OwnerRow {
    id: String,
    exists: bool,
}

impl FromRow for OwnerRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(OwnerRow {
            id: row.get(0)?,
            exists: row.get(1)?,
        })
    }
}

/// Checks the owners of rows in a table, of all users, in the order of their ids behind `after`, `limit` at most.
pub fn find(
    c: &mut dyn Conn,
    table: OwnedTable,
    after: Option<&str>,
    limit: u32,
) -> Result<Orphans> {
    let Layout {
        table,
        owner,
        owner_id,
        ..
    } = table.layout();
    let sql = format!(
        "SELECT {owner_id}, {} FROM {table} WHERE {owner_id} > ?1 ORDER BY {owner_id} LIMIT 1",
        owner.exists(&format!("{table}.{owner_id}"))
    );
    let mut owners = Vec::new();
    let mut last = after.unwrap_or_default().to_owned();
    for _ in 0..limit {
        let next: Option<OwnerRow> = query_opt(c, &sql, params![&last])?;
        let Some(OwnerRow { id, exists }) = next else {
            return Ok(Orphans { owners, next: None });
        };
        if !exists {
            owners.push(id.clone());
        }
        last = id;
    }
    Ok(Orphans {
        owners,
        next: Some(last),
    })
}

/// Removes rows of an owner that is gone: `limit` of them, and those that have the same key as the last. Returns how many.
/// Rows of an owner that exists stay.
pub fn remove(c: &mut dyn Conn, table: OwnedTable, owner: &str, limit: u32) -> Result<u64> {
    if table == OwnedTable::Deliveries {
        return remove_deliveries(c, owner, limit);
    }
    let Layout {
        table,
        owner: kind,
        owner_id,
        key,
    } = table.layout();
    let sql = format!(
        "DELETE FROM {table} WHERE {owner_id} = ?1 AND {key} <= (SELECT MAX({key}) FROM \
         (SELECT {key} FROM {table} WHERE {owner_id} = ?1 ORDER BY {key} LIMIT ?2) page) \
         AND NOT {}",
        kind.exists("?1")
    );
    c.execute(&sql, params![owner, limit])
}

/// Deliveries share payloads with those of other webhooks.
fn remove_deliveries(c: &mut dyn Conn, webhook: &str, limit: u32) -> Result<u64> {
    let Some(id) = WebhookId::parse(webhook) else {
        return Ok(0);
    };
    let sql = "SELECT id FROM webhooks WHERE id = ?1";
    let existing: Option<WebhookId> = query_opt(c, sql, params![&id])?;
    match existing {
        Some(_) => Ok(0),
        None => delivery_history::remove_batch(c, &id, limit),
    }
}
