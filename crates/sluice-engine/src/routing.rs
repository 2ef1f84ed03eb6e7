//! Who gets an event is decided in the transaction that stores it: a delivery for each webhook that listens, work in
//! the inbox of each source and workflow that does. Whoever was reached is woken when the transaction is durable.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;
use sluice_model::{EmitId, EmitterId, InvocationId, UserId};
use sluice_store::{
    Conn, StoreError,
    deliveries::{self, Outgoing},
    inbox::{self, InboxKind, NewInboxItem},
    logs::{self, NewLog},
    routes::{self, LOG_CHANNEL, Listener, Routes},
};

use crate::context::Context;

/// Passes on the events of one emitter, within one transaction.
pub(crate) struct Router<'a> {
    emitter: &'a EmitterId,
    routes: Routes,
    now_ms: i64,
    max_depth: u32,
    reached: Reached,
}

/// Whom a transaction gave something to do, and how much; nothing where that is not known.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    listeners: BTreeMap<Listener, u64>,
}

/// How far an event got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    ToAll,
    /// Sources or workflows listen, but too many events have led to one another already.
    ToWebhooks,
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
        emitter: &'a EmitterId,
        now_ms: i64,
        max_depth: u32,
    ) -> Result<Router<'a>, StoreError> {
        Ok(Router {
            emitter,
            routes: routes::of_emitter(c, user, emitter)?,
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
        // A listener runs for an event once, so the event's id serves as that of the invocation.
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
                    // It is told who emitted the event.
                    let item = item(Some(self.emitter.as_str()));
                    inbox::insert(c, workflow, &item)?;
                }
            }
            self.reached.add(listener);
        }
        Ok(self.prospect(event.channel, depth))
    }

    /// How far an event would get.
    pub(crate) fn prospect(&self, channel: &str, depth: u32) -> Passed {
        let runs = |listener: &Listener| !matches!(listener, Listener::Webhook(_));
        if depth >= self.max_depth && self.routes.to(channel).iter().any(runs) {
            Passed::ToWebhooks
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
        self.pass_on(c, &outgoing, depth)?;
        Ok(())
    }

    pub(crate) fn into_reached(self) -> Reached {
        self.reached
    }

    /// Everybody who may have been reached, for when it is not known who was.
    pub(crate) fn everybody(self) -> Reached {
        let listeners = self.routes.all();
        Reached {
            listeners: listeners.map(|listener| (listener.clone(), 0)).collect(),
        }
    }
}

impl Reached {
    pub(crate) fn add(&mut self, listener: &Listener) {
        *self.listeners.entry(listener.clone()).or_default() += 1;
    }

    /// Those of whom it is known how many events they got.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (&Listener, u64)> {
        let listeners = self.listeners.iter();
        listeners
            .map(|(listener, count)| (listener, *count))
            .filter(|(_, count)| *count > 0)
    }

    pub(crate) fn wake(&self, context: &Arc<Context>) {
        for listener in self.listeners.keys() {
            match listener {
                Listener::Webhook(id) => context.outbox.wake_webhook(id),
                Listener::Source(id) => context.owners.wake(context, id),
                Listener::Workflow(id) => context.owners.wake(context, id),
            }
        }
    }
}
