//! New deliveries, and the payloads that they share.

use sluice_model::{
    DeliveryId, EmitId, EmitterId, EventId, TraceContext, WebhookId, event_summary,
};

use super::DeliveryState;
use crate::{conn::Conn, error::Result, params, server_clock::AT_ONCE, value::Value};

/// An event on its way out.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// The id of the event, or a new one for a replay.
    pub emit_id: &'a EmitId,
    pub emitter: &'a EmitterId,
    pub id: EventId,
    pub channel: &'a str,
    /// The metadata of its emit, as JSON.
    pub meta: &'a str,
    /// JSON.
    pub data: &'a str,
    /// The span that emitted it.
    pub trace: Option<&'a TraceContext>,
}

const INSERT_PAYLOAD: &str = "INSERT INTO payloads (id, emitter_id, event_id, channel, data, trace, \
     summary) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

const INSERT: &str = "INSERT INTO deliveries (id, webhook_id, payload_id, state, due_at, tries, attempts, \
     created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?6, 0, '[]', ?5, ?5)";

/// The values of a delivery that is due at once.
fn delivery<'a>(
    id: &'a DeliveryId,
    payload: &'a EmitId,
    webhook: &'a WebhookId,
    now_ms: i64,
) -> [Value<'a>; 6] {
    *params![
        id,
        webhook,
        payload,
        DeliveryState::Pending,
        now_ms,
        AT_ONCE
    ]
}

/// Stores the payload of deliveries to webhooks.
pub fn insert_payload(c: &mut dyn Conn, event: &Outgoing<'_>) -> Result<()> {
    let Outgoing {
        emit_id,
        emitter,
        id,
        channel,
        meta,
        data,
        trace,
    } = *event;
    c.execute(
        INSERT_PAYLOAD,
        params![
            emit_id,
            emitter,
            &id.to_string(),
            channel,
            data,
            trace,
            &event_summary(meta, data)
        ],
    )?;
    Ok(())
}

/// Puts the delivery of a stored payload into the outbox, due at once, whatever the clock says.
pub fn insert(c: &mut dyn Conn, payload: &EmitId, webhook: &WebhookId, now_ms: i64) -> Result<()> {
    let id = DeliveryId::of(payload, webhook);
    c.execute(INSERT, &delivery(&id, payload, webhook, now_ms))?;
    Ok(())
}

/// Stores the payloads of deliveries. Deferred.
pub fn insert_payloads<'a>(
    c: &mut dyn Conn,
    events: impl Iterator<Item = Outgoing<'a>>,
) -> Result<()> {
    let events: Vec<(Outgoing<'a>, String, String)> = events
        .map(|event| {
            let summary = event_summary(event.meta, event.data);
            (event, event.id.to_string(), summary)
        })
        .collect();
    let mut values: Vec<Value<'_>> = Vec::with_capacity(events.len() * 7);
    for (event, id, summary) in &events {
        let Outgoing {
            emit_id,
            emitter,
            id: _,
            channel,
            meta: _,
            data,
            trace,
        } = *event;
        values.extend_from_slice(params![emit_id, emitter, id, channel, data, trace, summary]);
    }
    c.insert_later(INSERT_PAYLOAD, 7, &values)
}

/// Puts deliveries of stored payloads into the outbox, as [`insert`]. Deferred.
pub fn insert_all<'a>(
    c: &mut dyn Conn,
    deliveries: impl Iterator<Item = (&'a EmitId, &'a WebhookId)>,
    now_ms: i64,
) -> Result<()> {
    let deliveries: Vec<(DeliveryId, &EmitId, &WebhookId)> = deliveries
        .map(|(payload, webhook)| (DeliveryId::of(payload, webhook), payload, webhook))
        .collect();
    let mut values: Vec<Value<'_>> = Vec::with_capacity(deliveries.len() * 6);
    for (id, payload, webhook) in &deliveries {
        values.extend_from_slice(&delivery(id, payload, webhook, now_ms));
    }
    c.insert_later(INSERT, 6, &values)
}
