//! The outbox: events on their way to webhooks, and what became of them.

use sluice_model::{DeliveryId, EmitId, EventId, SourceId, WebhookId};

use crate::{conn::Conn, error::Result, params, text_enum::text_enum};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is tried when it is due.
    Pending,
    Delivered,
    /// Given up; it can be replayed.
    Failed,
}

text_enum!(DeliveryState {
    Pending = "pending",
    Delivered = "delivered",
    Failed = "failed",
});

/// An event on its way out.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// That of the event, or a fresh one when it is replayed.
    pub emit_id: &'a EmitId,
    pub emitter: &'a SourceId,
    pub id: EventId,
    pub channel: &'a str,
    /// JSON.
    pub data: &'a str,
}

/// Stores what deliveries to webhooks will carry.
pub fn insert_payload(c: &mut dyn Conn, event: &Outgoing<'_>) -> Result<()> {
    let Outgoing {
        emit_id,
        emitter,
        id,
        channel,
        data,
    } = *event;
    c.execute(
        "INSERT INTO payloads (id, emitter_id, event_id, channel, data) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![emit_id, emitter, &id.to_string(), channel, data],
    )?;
    Ok(())
}

/// Puts the delivery of a stored payload into the outbox, due at once.
pub fn insert(c: &mut dyn Conn, payload: &EmitId, webhook: &WebhookId, now_ms: i64) -> Result<()> {
    c.execute(
        "INSERT INTO deliveries (id, webhook_id, payload_id, state, due_at, tries, attempts, \
         created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, 0, '[]', ?5, ?5)",
        params![
            &DeliveryId::of(payload, webhook),
            webhook,
            payload,
            DeliveryState::Pending,
            now_ms
        ],
    )?;
    Ok(())
}
