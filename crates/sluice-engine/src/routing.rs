//! Who gets an event is decided in the transaction that stores it: a delivery for each webhook that listens, work in
//! the inbox of each source that does. Whoever was reached is woken when the transaction is durable.

use std::{collections::BTreeSet, sync::Arc};

use serde::Serialize;
use sluice_model::{EmitId, InvocationId, SourceId, UserId, WebhookId};
use sluice_store::{
    Conn, StoreError,
    deliveries::{self, Outgoing},
    inbox::{self, InboxKind, NewInboxItem},
    logs::{self, NewLog},
    routes::{self, LOG_CHANNEL, Listener, Routes},
};

use crate::context::Context;

/// Passes on the events of one source, within one transaction.
pub(crate) struct Router<'a> {
    source: &'a SourceId,
    routes: Routes,
    now_ms: i64,
    max_depth: u32,
    reached: Reached,
}

/// Whom a transaction gave something to do.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    webhooks: BTreeSet<WebhookId>,
    sources: BTreeSet<SourceId>,
}

/// How far an event got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    ToAll,
    /// Sources listen, but too many events have led to one another already.
    NotToSources,
}

/// A log line as an event.
#[derive(Serialize)]
struct LogEvent<'a> {
    ts: i64,
    k: &'a str,
    msg: &'a str,
    level: &'a str,
}

impl<'a> Router<'a> {
    pub(crate) fn load(
        c: &mut dyn Conn,
        user: &UserId,
        source: &'a SourceId,
        now_ms: i64,
        max_depth: u32,
    ) -> Result<Router<'a>, StoreError> {
        Ok(Router {
            source,
            routes: routes::of_source(c, user, source)?,
            now_ms,
            max_depth,
            reached: Reached::default(),
        })
    }

    /// Passes an event on that came about after `depth` others, each of which led to the next.
    pub(crate) fn pass_on(
        &mut self,
        c: &mut dyn Conn,
        event: &Outgoing<'_>,
        depth: u32,
    ) -> Result<Passed, StoreError> {
        let mut has_payload = false;
        for listener in self.routes.to(event.channel) {
            match listener {
                Listener::Webhook(webhook) => {
                    if !has_payload {
                        deliveries::insert_payload(c, event)?;
                        has_payload = true;
                    }
                    deliveries::insert(c, event.emit_id, webhook, self.now_ms)?;
                    self.reached.webhooks.insert(webhook.clone());
                }
                Listener::Source(_) if depth >= self.max_depth => {}
                Listener::Source(source) => {
                    let item = NewInboxItem {
                        id: &invocation_of(event.emit_id)?,
                        kind: InboxKind::Event,
                        prop: None,
                        payload: event.data,
                        accepted_at: self.now_ms,
                        depth: depth + 1,
                    };
                    inbox::insert(c, source, &item)?;
                    self.reached.sources.insert(source.clone());
                }
            }
        }
        Ok(self.prospect(event.channel, depth))
    }

    /// How far an event would get.
    pub(crate) fn prospect(&self, channel: &str, depth: u32) -> Passed {
        let is_source = |listener: &Listener| matches!(listener, Listener::Source(_));
        if depth >= self.max_depth && self.routes.to(channel).iter().any(is_source) {
            Passed::NotToSources
        } else {
            Passed::ToAll
        }
    }

    /// Stores a log line and passes it on to those who listen to `$logs`.
    pub(crate) fn log(
        &mut self,
        c: &mut dyn Conn,
        line: &NewLog<'_>,
        emit_id: &EmitId,
        depth: u32,
    ) -> Result<(), StoreError> {
        let seq = logs::insert(c, self.source, line)?;
        if self.routes.to(LOG_CHANNEL).is_empty() {
            return Ok(());
        }
        let event = LogEvent {
            ts: line.ts,
            k: line.kind,
            msg: &line.message.replace('\0', ""),
            level: line.level,
        };
        let data = serde_json::to_string(&event)
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        let outgoing = Outgoing {
            emit_id,
            emitter: self.source,
            id: logs::event_id(line.ts, seq),
            channel: LOG_CHANNEL,
            data: &data,
        };
        self.pass_on(c, &outgoing, depth)?;
        Ok(())
    }

    pub(crate) fn into_reached(self) -> Reached {
        self.reached
    }

    /// Everybody who may have been reached, for when it is not known who was.
    pub(crate) fn everybody(self) -> Reached {
        let mut reached = Reached::default();
        for listener in self.routes.all() {
            match listener {
                Listener::Webhook(id) => reached.webhooks.insert(id.clone()),
                Listener::Source(id) => reached.sources.insert(id.clone()),
            };
        }
        reached
    }
}

impl Reached {
    pub(crate) fn wake(&self, context: &Arc<Context>) {
        for webhook in &self.webhooks {
            context.couriers.wake(context, webhook);
        }
        for source in &self.sources {
            context.owners.wake(context, source);
        }
    }
}

/// A listener runs for an event once, so the event's id serves as that of the invocation.
fn invocation_of(emit_id: &EmitId) -> Result<InvocationId, StoreError> {
    InvocationId::parse(emit_id.as_str())
        .ok_or_else(|| StoreError::Internal("an emit id is no invocation id".to_owned()))
}
