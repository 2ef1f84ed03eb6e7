//! The listeners of an event: the subscriptions to its emitter, read in the transaction that stores the event.

use std::{borrow::Cow, collections::BTreeMap};

use sluice_model::{EmitterId, EmitterKind, SourceId, UserId, WebhookId, WorkflowId};

use crate::{
    conn::{Conn, Dialect, Query},
    error::{Result, StoreError},
    params,
    row::Row,
    value::Value,
};

/// All sources of the user that owns the subscription.
pub const ALL_SOURCES: &str = "dc_*";
/// All workflows of the user that owns the subscription.
pub const ALL_WORKFLOWS: &str = "p_*";
/// Those that are created after the subscription.
pub const CREATED_LATER: &str = "*";

/// Errors of a source or a workflow.
pub const ERROR_CHANNEL: &str = "$errors";
/// Log lines of a source, one event for each.
pub const LOG_CHANNEL: &str = "$logs";

/// Events that a workflow sends to the readers of its stream.
pub const SSE_CHANNEL: &str = "$sse";

/// The other name of the default channel, which is "".
const DEFAULT: &str = "default";

/// The channel of an event, from the name that users give.
pub fn channel(event_name: &str) -> &str {
    if event_name == DEFAULT {
        ""
    } else {
        event_name
    }
}

/// The second name of a channel that has two.
pub(crate) fn other_name(event_name: &str) -> Option<&'static str> {
    match event_name {
        "" => Some(DEFAULT),
        DEFAULT => Some(""),
        _ => None,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Listener {
    Webhook(WebhookId),
    Source(SourceId),
    Workflow(WorkflowId),
}

impl Listener {
    pub fn parse(text: &str) -> Option<Listener> {
        if let Some(webhook) = WebhookId::parse(text) {
            return Some(Listener::Webhook(webhook));
        }
        EmitterId::parse(text).as_ref().map(Listener::of)
    }

    /// Whatever emits can listen too.
    pub fn of(emitter: &EmitterId) -> Listener {
        match emitter.kind() {
            EmitterKind::Source(id) => Listener::Source(id),
            EmitterKind::Workflow(id) => Listener::Workflow(id),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Listener::Webhook(id) => id.as_str(),
            Listener::Source(id) => id.as_str(),
            Listener::Workflow(id) => id.as_str(),
        }
    }
}

/// The active listeners of one emitter, by channel; each stands once in a channel.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Routes {
    by_channel: BTreeMap<String, Vec<Listener>>,
}

impl Routes {
    pub fn to(&self, channel: &str) -> &[Listener] {
        self.by_channel.get(channel).map_or(&[], Vec::as_slice)
    }

    pub fn all(&self) -> impl Iterator<Item = &Listener> {
        self.by_channel.values().flatten()
    }
}

/// Runs with every commit. Few rows have the route of one emitter or of one user, so the index on routes keeps it fast. The ids
/// of emitters do not: most rows may be for all sources.
pub const LISTENERS: &str = "WITH e (route) AS (VALUES (?2), (?1)) \
     SELECT s.event_name, s.listener_id FROM e \
     JOIN subscriptions s ON s.route = e.route AND s.user_id = ?1 AND s.emitter_id <> ?3 \
     LEFT JOIN webhooks w ON w.id = s.listener_id LEFT JOIN sources l ON l.id = s.listener_id \
     LEFT JOIN workflows f ON f.id = s.listener_id \
     WHERE w.active OR f.active OR (l.active AND l.phase = 'live') ORDER BY s.listener_id";

/// The listeners of an emitter. Inactive ones are left out: events are not kept for them.
#[derive(Debug)]
pub struct Listeners<'a> {
    user: &'a UserId,
    emitter: &'a EmitterId,
    pub routes: Routes,
}

impl<'a> Listeners<'a> {
    pub fn new(user: &'a UserId, emitter: &'a EmitterId) -> Listeners<'a> {
        Listeners {
            user,
            emitter,
            routes: Routes::default(),
        }
    }
}

impl<'a> Query<'a> for Listeners<'a> {
    fn sql(&self, _: Dialect) -> Cow<'static, str> {
        LISTENERS.into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        let other_kind = match self.emitter.kind() {
            EmitterKind::Source(_) => ALL_WORKFLOWS,
            EmitterKind::Workflow(_) => ALL_SOURCES,
        };
        params![self.user, self.emitter, other_kind].to_vec()
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        let event_name: String = row.get(0)?;
        let id: String = row.get(1)?;
        let listener = Listener::parse(&id)
            .ok_or_else(|| StoreError::Corrupt(format!("a subscription for {id}")))?;
        let channel = channel(&event_name);
        // A workflow that looks after the errors of all would go round in circles with its own.
        if channel == ERROR_CHANNEL
            && matches!(&listener, Listener::Workflow(own) if **own == *self.emitter)
        {
            return Ok(());
        }
        let by_channel = &mut self.routes.by_channel;
        let listeners = by_channel.entry(channel.to_owned()).or_default();
        // They come ordered, so one with several subscriptions stands beside itself.
        if listeners.last() != Some(&listener) {
            listeners.push(listener);
        }
        Ok(())
    }
}

pub fn of_emitter(c: &mut dyn Conn, user: &UserId, emitter: &EmitterId) -> Result<Routes> {
    let mut listeners = Listeners::new(user, emitter);
    c.query_together(&mut [&mut listeners])?;
    Ok(listeners.routes)
}
