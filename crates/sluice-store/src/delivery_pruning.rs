//! Deletes finished deliveries. Pending ones are never deleted.
//!
//! The search reads many rows, so it runs as a read beside the writers. Only the removal is a write.

use sluice_model::{DeliveryId, EmitId, WebhookId};

use crate::{
    conn::{Conn, Dialect, query_all, query_opt},
    error::Result,
    params,
};

/// Finished deliveries of a webhook beyond the newest `keep` of them, the oldest first, `limit` at most.
pub fn beyond(
    c: &mut dyn Conn,
    webhook: &WebhookId,
    keep: u64,
    limit: u32,
) -> Result<Vec<DeliveryId>> {
    query_all(
        c,
        "SELECT id FROM deliveries WHERE webhook_id = ?1 AND due_at IS NULL AND (created_at, id) <= \
         (SELECT created_at, id FROM deliveries WHERE webhook_id = ?1 AND due_at IS NULL \
         ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?2) ORDER BY created_at, id LIMIT ?3",
        params![webhook, keep, limit],
    )
}

/// Finished deliveries of all users that were made before a time, `limit` at most.
pub fn older_than(c: &mut dyn Conn, created_before: i64, limit: u32) -> Result<Vec<DeliveryId>> {
    // Webhook by webhook: there is an index on the age of each one's deliveries, none on that of all.
    query_all(
        c,
        "SELECT d.id FROM webhooks w CROSS JOIN deliveries d WHERE d.webhook_id = w.id \
         AND d.created_at < ?1 AND d.due_at IS NULL LIMIT ?2",
        params![created_before, limit],
    )
}

/// Removes finished deliveries, with payloads that no delivery has any more.
pub fn remove(c: &mut dyn Conn, mut ids: Vec<DeliveryId>) -> Result<()> {
    let lock = match c.dialect() {
        Dialect::Sqlite => "",
        // So that of two transactions that remove the last two deliveries of a payload, one sees that it was the last.
        Dialect::Postgres => " FOR UPDATE OF p",
    };
    let sql = format!(
        "SELECT p.id FROM deliveries d JOIN payloads p ON p.id = d.payload_id WHERE d.id = ?1{lock}"
    );
    // All take the locks in this order.
    ids.sort();
    for id in &ids {
        let payload: Option<EmitId> = query_opt(c, &sql, params![id])?;
        c.execute(
            "DELETE FROM deliveries WHERE id = ?1 AND due_at IS NULL",
            params![id],
        )?;
        if let Some(payload) = payload {
            remove_unused_payload(c, &payload)?;
        }
    }
    Ok(())
}

/// Removes a payload unless a delivery has it. Their ids begin with the payload's, so they are a range.
pub(crate) fn remove_unused_payload(c: &mut dyn Conn, payload: &EmitId) -> Result<()> {
    let first = format!("{}{payload}", DeliveryId::PREFIX);
    // Beyond all letters and digits.
    let beyond = format!("{first}~");
    c.execute(
        "DELETE FROM payloads WHERE id = ?1 \
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id >= ?2 AND d.id < ?3)",
        params![payload, &first, &beyond],
    )?;
    Ok(())
}
