//! Sends of steps (`$.send`): held until their run ends or waits, then sent, then kept as history. And notifications, which are
//! sent at once.

pub mod notifications;
pub mod outbox;

use sluice_model::{EmitId, InvocationId, TraceContext, UserId, WorkflowId};

use crate::{
    conn::{Conn, query_all},
    error::Result,
    params,
    row::{FromRow, Row},
    text_enum::text_enum,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SendKind {
    Http,
    Email,
    S3,
    Emit,
    Sse,
    /// A notification of the server by mail.
    NotificationEmail,
    /// A notification of the server to a webhook.
    NotificationWebhook,
}

text_enum!(SendKind {
    Http = "http",
    Email = "email",
    S3 = "s3",
    Emit = "emit",
    Sse = "sse",
    NotificationEmail = "notification_email",
    NotificationWebhook = "notification_webhook",
});

impl SendKind {
    /// Whether the server itself sends it.
    pub fn is_notification(self) -> bool {
        matches!(
            self,
            SendKind::NotificationEmail | SendKind::NotificationWebhook
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendState {
    /// Its run is in progress.
    Held,
    Pending,
    Sent,
    Failed,
}

text_enum!(SendState {
    Held = "held",
    Pending = "pending",
    Sent = "sent",
    Failed = "failed",
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRow {
    /// In the order of sending.
    pub id: EmitId,
    /// The step that sends it; none for a notification.
    pub step: Option<SendStep>,
    pub user_id: UserId,
    pub kind: SendKind,
    pub state: SendState,
    /// When the next attempt is due; none while it is held and when it is over.
    pub due_at: Option<i64>,
    pub tries: u32,
    /// The result of the last attempt.
    pub result: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
    /// JSON.
    pub payload: String,
    /// The span of the step.
    pub trace: Option<TraceContext>,
}

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendStep {
    pub workflow_id: WorkflowId,
    pub run_id: InvocationId,
    pub name: String,
}

const COLUMNS: &str = "id, workflow_id, user_id, run_id, step, kind, state, due_at, tries, \
     result, created_at, updated_at, payload, trace";

impl FromRow for SendRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let step = match (row.get(1)?, row.get(3)?, row.get(4)?) {
            (Some(workflow_id), Some(run_id), Some(name)) => Some(SendStep {
                workflow_id,
                run_id,
                name,
            }),
            _ => None,
        };
        Ok(SendRow {
            id: row.get(0)?,
            step,
            user_id: row.get(2)?,
            kind: row.get(5)?,
            state: row.get(6)?,
            due_at: row.get(7)?,
            tries: row.get(8)?,
            result: row.get(9)?,
            created_at: row.get(10)?,
            updated_at: row.get(11)?,
            payload: row.get(12)?,
            trace: row.get(13)?,
        })
    }
}

/// Deferred.
pub fn insert(c: &mut dyn Conn, send: &SendRow) -> Result<()> {
    let SendRow {
        id,
        step,
        user_id,
        kind,
        state,
        due_at,
        tries,
        result,
        created_at,
        updated_at,
        payload,
        trace,
    } = send;
    c.execute_later(
        &format!(
            "INSERT INTO sends ({COLUMNS}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        ),
        params![
            id,
            step.as_ref().map(|step| &step.workflow_id),
            user_id,
            step.as_ref().map(|step| &step.run_id),
            step.as_ref().map(|step| &step.name),
            *kind,
            *state,
            *due_at,
            *tries,
            result.as_ref(),
            *created_at,
            *updated_at,
            payload,
            trace.as_ref()
        ],
    )?;
    Ok(())
}

/// A send without its payload, which may be large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendSummary {
    pub id: EmitId,
    pub step: String,
    pub kind: SendKind,
    pub state: SendState,
    pub due_at: Option<i64>,
    pub tries: u32,
    pub result: Option<String>,
}

impl FromRow for SendSummary {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SendSummary {
            id: row.get(0)?,
            step: row.get(1)?,
            kind: row.get(2)?,
            state: row.get(3)?,
            due_at: row.get(4)?,
            tries: row.get(5)?,
            result: row.get(6)?,
        })
    }
}

/// The sends of one run, in the order of sending.
pub fn of_run(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
) -> Result<Vec<SendSummary>> {
    query_all(
        c,
        "SELECT id, step, kind, state, due_at, tries, result FROM sends \
         WHERE workflow_id = ?1 AND run_id = ?2 ORDER BY id",
        params![workflow, run],
    )
}

/// The held sends of a run, in the order of sending.
pub fn held(c: &mut dyn Conn, workflow: &WorkflowId, run: &InvocationId) -> Result<Vec<SendRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM sends WHERE workflow_id = ?1 AND run_id = ?2 AND state = 'held' \
         ORDER BY id"
    );
    query_all(c, &sql, params![workflow, run])
}

/// Saves the state of a send. Deferred.
pub fn update(c: &mut dyn Conn, send: &SendRow) -> Result<()> {
    c.execute_later(
        "UPDATE sends SET state = ?2, due_at = ?3, tries = ?4, result = ?5, updated_at = ?6 \
         WHERE id = ?1",
        params![
            &send.id,
            send.state,
            send.due_at,
            send.tries,
            send.result.as_ref(),
            send.updated_at
        ],
    )?;
    Ok(())
}
