//! The audit log: who changed what, when and from where.
//!
//! An entry is inserted in the transaction of its change, so there is none without the other. Entries are never changed, and
//! outlive the users and targets that they name.

mod existing;
mod list;
mod words;

use sluice_model::{AuditEntryId, UserId};

use crate::{
    conn::Conn,
    error::Result,
    params,
    row::{FromRow, Row},
};

pub use existing::{Existing, look_up};
pub use list::{AuditFilter, count, page};
pub use words::{Action, Credential, TargetKind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditEntryId,
    /// The account that was changed. None after a failed sign-in and for the server as a whole.
    pub user_id: Option<UserId>,
    pub actor: AuditActor,
    pub action: Action,
    pub target: AuditTarget,
    /// A JSON object without secrets and values of props.
    pub details: String,
    pub created_at: i64,
}

/// The author of a change at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditActor {
    /// None after a failed sign-in and for commands on the server's own machine.
    pub id: Option<UserId>,
    pub name: String,
    pub credential: Credential,
    /// The named key, if it was one.
    pub credential_id: Option<String>,
    /// None when it was the server itself.
    pub address: Option<String>,
}

impl AuditActor {
    /// The server, which changes something on its own.
    pub fn server() -> AuditActor {
        AuditActor {
            id: Some(UserId::server()),
            name: "server".to_owned(),
            credential: Credential::Server,
            credential_id: None,
            address: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditTarget {
    pub kind: TargetKind,
    pub id: String,
    /// Empty for a target without a name.
    pub name: String,
}

const COLUMNS: &str = "id, user_id, actor_id, actor_name, credential, credential_id, address, action, \
                       target_kind, target_id, target_name, details, created_at";

impl FromRow for AuditEntry {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(AuditEntry {
            id: row.get(0)?,
            user_id: row.get(1)?,
            actor: AuditActor {
                id: row.get(2)?,
                name: row.get(3)?,
                credential: row.get(4)?,
                credential_id: row.get(5)?,
                address: row.get(6)?,
            },
            action: row.get(7)?,
            target: AuditTarget {
                kind: row.get(8)?,
                id: row.get(9)?,
                name: row.get(10)?,
            },
            details: row.get(11)?,
            created_at: row.get(12)?,
        })
    }
}

pub fn insert(c: &mut dyn Conn, entry: &AuditEntry) -> Result<()> {
    let AuditEntry {
        id,
        user_id,
        actor,
        action,
        target,
        details,
        created_at,
    } = entry;
    c.execute(
        &format!(
            "INSERT INTO audit_log ({COLUMNS}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        ),
        params![
            id,
            user_id.as_ref(),
            actor.id.as_ref(),
            &actor.name,
            actor.credential,
            actor.credential_id.as_ref(),
            actor.address.as_ref(),
            *action,
            target.kind,
            &target.id,
            &target.name,
            details,
            *created_at
        ],
    )?;
    Ok(())
}

/// Removes up to `limit` of the oldest entries of all accounts from before a time; returns their number.
pub fn remove_older_than(c: &mut dyn Conn, before: i64, limit: u32) -> Result<u64> {
    c.execute(
        "DELETE FROM audit_log WHERE id IN \
         (SELECT id FROM audit_log WHERE created_at < ?1 ORDER BY created_at, id LIMIT ?2)",
        params![before, limit],
    )
}
