//! Routing: the transaction that stores an event also stores a delivery for each listening webhook and an inbox row for
//! each listening source and workflow. The recipients are woken when the transaction is durable.
//!
//! Rows are collected and written at the end, all rows of a table together.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;
use sluice_model::{
    EmitId, EmitterId, EventAddress, EventId, InvocationId, TraceContext, UserId, WebhookId,
};
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
    events: Vec<RoutedEvent<'a>>,
    deliveries: Vec<(EmitId, WebhookId)>,
}

/// An event with its listeners.
struct RoutedEvent<'a> {
    emit_id: EmitId,
    /// A listener runs once for an event, so the event's id is also the id of the invocation.
    invocation: InvocationId,
    id: EventId,
    channel: Cow<'a, str>,
    meta: Cow<'a, str>,
    data: Cow<'a, str>,
    depth: u32,
    trace: Option<TraceContext>,
    has_deliveries: bool,
    /// Listening sources and workflows. They learn which event caused their run.
    runs: Vec<EmitterId>,
    address: String,
}

/// What an event carries to its listeners.
struct Content<'a> {
    channel: Cow<'a, str>,
    meta: Cow<'a, str>,
    data: Cow<'a, str>,
    trace: Option<TraceContext>,
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

/// The metadata of a log line as an event.
#[derive(Serialize)]
struct LogMeta<'a> {
    summary: &'a str,
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
    pub fn new(emitter: &'a EmitterId, routes: Routes, now_ms: i64, max_depth: u32) -> Router<'a> {
        Router {
            emitter,
            routes,
            now_ms,
            max_depth,
            recipients: Recipients::default(),
            events: Vec::new(),
            deliveries: Vec::new(),
        }
    }

    /// Reads the listeners of the emitter.
    pub fn load(
        c: &mut dyn Conn,
        user: &UserId,
        emitter: &'a EmitterId,
        now_ms: i64,
        max_depth: u32,
    ) -> Result<Router<'a>, StoreError> {
        let routes = routes::of_emitter(c, user, emitter)?;
        Ok(Router::new(emitter, routes, now_ms, max_depth))
    }

    /// Routes an event at the end of a chain of `depth` events.
    pub fn route(&mut self, event: &Outgoing<'a>, depth: u32) -> Routed {
        let content = Content {
            channel: event.channel.into(),
            meta: event.meta.into(),
            data: event.data.into(),
            trace: event.trace.cloned(),
        };
        self.route_any(*event.emit_id, event.id, content, depth)
    }

    /// As [`Router::route`], for an event that does not live long enough.
    pub fn route_copy(&mut self, event: &Outgoing<'_>, depth: u32) -> Routed {
        let content = Content {
            channel: Cow::Owned(event.channel.to_owned()),
            meta: Cow::Owned(event.meta.to_owned()),
            data: Cow::Owned(event.data.to_owned()),
            trace: event.trace.cloned(),
        };
        self.route_any(*event.emit_id, event.id, content, depth)
    }

    fn route_any(
        &mut self,
        emit_id: EmitId,
        id: EventId,
        content: Content<'a>,
        depth: u32,
    ) -> Routed {
        let Content {
            channel,
            meta,
            data,
            trace,
        } = content;
        let routed = self.forecast(&channel, depth);
        let listeners = self.routes.to(&channel);
        if listeners.is_empty() {
            return routed;
        }
        let mut event = RoutedEvent {
            emit_id,
            invocation: InvocationId::from(emit_id),
            id,
            channel: Cow::Borrowed(""),
            meta,
            data,
            depth,
            trace,
            has_deliveries: false,
            runs: Vec::new(),
            address: String::new(),
        };
        for listener in listeners {
            match listener {
                Listener::Webhook(webhook) => {
                    event.has_deliveries = true;
                    self.deliveries.push((emit_id, webhook.clone()));
                }
                Listener::Source(_) | Listener::Workflow(_) if depth >= self.max_depth => continue,
                Listener::Source(source) => event.runs.push(source.clone().into()),
                Listener::Workflow(workflow) => event.runs.push(workflow.clone().into()),
            }
            self.recipients.add(listener);
        }
        if !event.runs.is_empty() {
            event.address = EventAddress {
                emitter: self.emitter.clone(),
                id,
            }
            .to_string();
        }
        event.channel = channel;
        self.events.push(event);
        routed
    }

    /// Whether a channel has listeners.
    pub fn has_listeners(&self, channel: &str) -> bool {
        !self.routes.to(channel).is_empty()
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

    /// Routes a log line at this place to the listeners of `$logs`.
    pub fn route_log(
        &mut self,
        line: &NewLog<'_>,
        seq: i64,
        emit_id: &EmitId,
        depth: u32,
    ) -> Result<(), StoreError> {
        if self.routes.to(LOG_CHANNEL).is_empty() {
            return Ok(());
        }
        let event = LogEvent {
            ts: line.ts,
            k: line.kind,
            msg: &line.message.replace('\0', ""),
            level: line.level,
        };
        let internal = |error: serde_json::Error| StoreError::Internal(error.to_string());
        let data = serde_json::to_string(&event).map_err(internal)?;
        let meta = serde_json::to_string(&LogMeta { summary: event.msg }).map_err(internal)?;
        let id = logs::event_id(line.ts, seq);
        let content = Content {
            channel: LOG_CHANNEL.into(),
            meta: meta.into(),
            data: data.into(),
            trace: None,
        };
        self.route_any(*emit_id, id, content, depth);
        Ok(())
    }

    /// Writes the rows of all routed events. Returns the recipients, which are to be woken.
    pub fn write(self, c: &mut dyn Conn) -> Result<Recipients, StoreError> {
        let payloads = self.events.iter().filter(|event| event.has_deliveries);
        let payloads = payloads.map(|event| Outgoing {
            emit_id: &event.emit_id,
            emitter: self.emitter,
            id: event.id,
            channel: &event.channel,
            meta: &event.meta,
            data: &event.data,
            trace: event.trace.as_ref(),
        });
        deliveries::insert_payloads(c, payloads)?;
        let due = self.deliveries.iter();
        deliveries::insert_all(c, due.map(|(event, webhook)| (event, webhook)), self.now_ms)?;
        let items = self.events.iter().flat_map(|event| {
            event.runs.iter().map(|listener| {
                let item = NewInboxItem {
                    id: &event.invocation,
                    kind: InboxKind::Event,
                    prop: Some(&event.address),
                    payload: &event.data,
                    accepted_at: self.now_ms,
                    depth: event.depth + 1,
                    reply_to: None,
                    trace: event.trace.as_ref(),
                };
                (listener, item)
            })
        });
        inbox::insert_all(c, items)?;
        Ok(self.recipients)
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
