//! Routing: the transaction that stores an event also stores a delivery for each listening webhook and an inbox row for
//! each listening source and workflow. The recipients are woken when the transaction is durable.

use std::collections::BTreeMap;

use serde::Serialize;
use sluice_model::{EmitId, EmitterId, InvocationId, UserId};
use sluice_store::{
    Conn, StoreError,
    deliveries::{self, Outgoing},
    inbox::{self, InboxKind, NewInboxItem},
    logs::{self, NewLog},
    routes::{self, LOG_CHANNEL, Listener, Routes},
};

/// Routes the events of one emitter within one transaction.
pub struct Router<'a> {
    emitter: &'a EmitterId,
    routes: Routes,
    now_ms: i64,
    max_depth: u32,
    recipients: Recipients,
}

/// The listeners that a transaction stored rows for, with the number of rows; zero when that is unknown.
#[derive(Debug, Default)]
pub struct Recipients {
    listeners: BTreeMap<Listener, u64>,
}

/// How far an event was routed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routed {
    ToAll,
    /// Listening sources and workflows were skipped: the chain of events is too long.
    ToWebhooksOnly,
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
    pub fn load(
        c: &mut dyn Conn,
        user: &UserId,
        emitter: &'a EmitterId,
        now_ms: i64,
        max_depth: u32,
    ) -> Result<Router<'a>, StoreError> {
        Ok(Router {
            emitter,
            routes: routes::of_emitter(c, user, emitter)?,
            now_ms,
            max_depth,
            recipients: Recipients::default(),
        })
    }

    /// Routes an event at the end of a chain of `depth` events.
    pub fn route(
        &mut self,
        c: &mut dyn Conn,
        event: &Outgoing<'_>,
        depth: u32,
    ) -> Result<Routed, StoreError> {
        let mut has_payload = false;
        // A listener runs once for an event, so the event's id is also the id of the invocation.
        let invocation = InvocationId::from(*event.emit_id);
        let item = |prop| NewInboxItem {
            id: &invocation,
            kind: InboxKind::Event,
            prop,
            payload: event.data,
            accepted_at: self.now_ms,
            depth: depth + 1,
        };
        for listener in self.routes.to(event.channel) {
            match listener {
                Listener::Webhook(webhook) => {
                    if !has_payload {
                        deliveries::insert_payload(c, event)?;
                        has_payload = true;
                    }
                    deliveries::insert(c, event.emit_id, webhook, self.now_ms)?;
                }
                Listener::Source(_) | Listener::Workflow(_) if depth >= self.max_depth => continue,
                Listener::Source(source) => {
                    let item = item(None);
                    inbox::insert(c, source, &item)?;
                }
                Listener::Workflow(workflow) => {
                    // A workflow learns which emitter triggered it.
                    let item = item(Some(self.emitter.as_str()));
                    inbox::insert(c, workflow, &item)?;
                }
            }
            self.recipients.add(listener);
        }
        Ok(self.forecast(event.channel, depth))
    }

    /// How far an event would be routed.
    pub fn forecast(&self, channel: &str, depth: u32) -> Routed {
        let runs = |listener: &Listener| !matches!(listener, Listener::Webhook(_));
        if depth >= self.max_depth && self.routes.to(channel).iter().any(runs) {
            Routed::ToWebhooksOnly
        } else {
            Routed::ToAll
        }
    }

    /// Stores a log line and routes it to the listeners of `$logs`.
    pub fn log(
        &mut self,
        c: &mut dyn Conn,
        line: &NewLog<'_>,
        emit_id: &EmitId,
        depth: u32,
    ) -> Result<(), StoreError> {
        let seq = logs::insert(c, self.emitter, line)?;
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
            emitter: self.emitter,
            id: logs::event_id(line.ts, seq),
            channel: LOG_CHANNEL,
            data: &data,
        };
        self.route(c, &outgoing, depth)?;
        Ok(())
    }

    pub fn into_recipients(self) -> Recipients {
        self.recipients
    }

    /// All listeners of the emitter, for a commit whose rows are unknown.
    pub fn all_listeners(self) -> Recipients {
        let listeners = self.routes.all();
        Recipients {
            listeners: listeners.map(|listener| (listener.clone(), 0)).collect(),
        }
    }
}

impl Recipients {
    pub fn add(&mut self, listener: &Listener) {
        *self.listeners.entry(listener.clone()).or_default() += 1;
    }

    /// Listeners with a known number of rows.
    pub fn counted(&self) -> impl Iterator<Item = (&Listener, u64)> {
        let listeners = self.listeners.iter();
        listeners
            .map(|(listener, count)| (listener, *count))
            .filter(|(_, count)| *count > 0)
    }

    pub fn listeners(&self) -> impl Iterator<Item = &Listener> {
        self.listeners.keys()
    }
}
