//! Visiting the spots of a trace: each becomes a node, and its effects are visited after it.

use std::collections::HashMap;

use sluice_model::{EmitId, EmitterId, EmitterKind, EventAddress, InvocationId, UserId};
use sluice_store::{
    Conn, StoreError, emitters, event_replays, held_events, inbox,
    routes::{self, ERROR_CHANNEL, Listener},
    traces::{self, TracedDelivery, TracedEvent},
};

use super::{
    node::{TraceKind, TraceNode, TraceStatus},
    source::{Records, SourceRun},
    spot::Spot,
    tree::Tree,
};

/// The most deliveries or runs of one event.
const MOST_EACH: u32 = 200;
/// Queries for the deliveries and runs of an event, besides those for each listener.
const QUERIES: usize = 2;

/// A walk through the effects of a root.
pub(super) struct Visit<'a> {
    pub(super) c: &'a mut dyn Conn,
    pub(super) user: &'a UserId,
    pub(super) tree: &'a mut Tree,
    pub(super) records: &'a mut Records,
    /// The emit ids of events, by their places in the tree.
    pub(super) emits: HashMap<usize, EmitId>,
}

impl Visit<'_> {
    /// Visits everything below the spots that wait, until the tree is full.
    pub(super) fn all(mut self) -> Result<(), StoreError> {
        while let Some((parent, spot)) = self.tree.next() {
            let at = match &spot {
                Spot::Event(address) => self.event(parent, address)?,
                Spot::Delivery(id) => self.delivery(parent, id)?,
                Spot::Invocation(emitter, id) => match emitter.kind() {
                    EmitterKind::Source(_) => self.source_run(parent, emitter, id)?,
                    EmitterKind::Workflow(workflow) => self.run(parent, &workflow, id)?,
                },
            };
            if let Some(at) = at {
                self.tree.visited(&spot, at);
            }
        }
        Ok(())
    }

    fn event(
        &mut self,
        parent: Option<usize>,
        address: &EventAddress,
    ) -> Result<Option<usize>, StoreError> {
        let spot = Spot::Event(address.clone());
        let found = traces::event(self.c, address)?;
        let is_held = held_events::is_held(self.c, &address.emitter, address.id)?;
        let mut node = TraceNode {
            started_at: address.id.ms,
            emitter_id: Some(address.emitter.clone()),
            event_id: Some(address.id),
            ..TraceNode::new(
                TraceKind::Event,
                spot.key(),
                address.id.to_string(),
                String::new(),
            )
        };
        let Some(event) = found else {
            // It was deleted.
            return Ok(self.tree.add(parent, node));
        };
        node.name = event_name(&event);
        node.status = if event.channel == ERROR_CHANNEL {
            TraceStatus::Failed
        } else if is_held {
            TraceStatus::Waiting
        } else {
            TraceStatus::Succeeded
        };
        let at = self.tree.add(parent, node);
        if let Some(at) = at
            && !is_held
        {
            self.listeners(at, &event)?;
        }
        Ok(at)
    }

    /// Visits the effects of an event and of its replays.
    fn listeners(&mut self, at: usize, event: &TracedEvent) -> Result<(), StoreError> {
        let Some(emit) = EmitId::parse(&event.emit_id) else {
            return Ok(());
        };
        self.emits.insert(at, emit);
        let replays = event_replays::of_event(self.c, &event.address)?;
        // Older ones may have been removed.
        if replays.len() >= event_replays::KEPT as usize {
            self.tree.cut(Some(at));
        }
        let routes = routes::of_emitter(self.c, self.user, &event.address.emitter)?;
        let listeners: Vec<EmitterId> = routes
            .to(&event.channel)
            .iter()
            .filter_map(|listener| match listener {
                Listener::Webhook(_) => None,
                Listener::Source(source) => Some(source.clone().into()),
                Listener::Workflow(workflow) => Some(workflow.clone().into()),
            })
            .collect();
        let queries = QUERIES + listeners.len();
        for (number, emit) in [emit].into_iter().chain(replays).enumerate() {
            let has_room = number == 0 || self.tree.has_room();
            if !has_room || !self.records.take_queries(queries) {
                self.tree.cut(Some(at));
                break;
            }
            self.effects(at, &emit, &listeners)?;
        }
        Ok(())
    }

    /// Visits what an event caused under an emit id.
    fn effects(
        &mut self,
        at: usize,
        emit: &EmitId,
        listeners: &[EmitterId],
    ) -> Result<(), StoreError> {
        let deliveries = traces::deliveries(self.c, self.user, emit.as_str(), MOST_EACH)?;
        self.cut_at(at, deliveries.len());
        for TracedDelivery { delivery, .. } in deliveries {
            self.tree.visit_later(Some(at), Spot::Delivery(delivery.id));
        }
        let invocation = InvocationId::from(*emit);
        let runs = traces::runs_of(self.c, self.user, &invocation, MOST_EACH)?;
        self.cut_at(at, runs.len());
        for run in runs {
            let spot = Spot::Invocation(run.workflow_id.into(), invocation);
            self.tree.visit_later(Some(at), spot);
        }
        // Runs of sources leave no row of their own, and runs that wait have none yet.
        for listener in listeners {
            if self.has_run(listener, &invocation)? {
                let spot = Spot::Invocation(listener.clone(), invocation);
                self.tree.visit_later(Some(at), spot);
            } else if self.records.are_spent() {
                self.tree.cut(Some(at));
            }
        }
        Ok(())
    }

    /// Whether a delivery or an invocation with this emit id belongs to a replay of the event above.
    pub(super) fn is_replay(&self, parent: Option<usize>, emit: &str) -> bool {
        let event = parent.and_then(|parent| self.emits.get(&parent));
        event.is_some_and(|original| original.as_str() != emit)
    }

    fn has_run(&mut self, listener: &EmitterId, id: &InvocationId) -> Result<bool, StoreError> {
        match listener.kind() {
            EmitterKind::Source(_) => Ok(self.records.of(self.c, listener, id)?.is_recorded()),
            EmitterKind::Workflow(_) => inbox::contains(self.c, listener, id),
        }
    }

    fn cut_at(&mut self, at: usize, found: usize) {
        if found >= MOST_EACH as usize {
            self.tree.cut(Some(at));
        }
    }

    fn source_run(
        &mut self,
        parent: Option<usize>,
        source: &EmitterId,
        id: &InvocationId,
    ) -> Result<Option<usize>, StoreError> {
        let key = Spot::Invocation(source.clone(), *id).key();
        let name = self.name(source)?;
        let is_replay = self.is_replay(parent, id.as_str());
        let run = self.records.of(self.c, source, id)?;
        let mut node = TraceNode {
            emitter_id: Some(source.clone()),
            started_at: id.time_ms(),
            is_replay,
            ..TraceNode::new(TraceKind::SourceRun, key, id.to_string(), name)
        };
        run.describe(&mut node);
        let at = self.tree.add(parent, node);
        if at.is_some() {
            if run.emitted.is_cut {
                self.tree.cut(at);
            }
            for event in &run.emitted.events {
                self.tree
                    .visit_later(at, Spot::Event(event.address.clone()));
            }
        }
        Ok(at)
    }

    /// The name of a source or workflow; its id when it was deleted.
    pub(super) fn name(&mut self, emitter: &EmitterId) -> Result<String, StoreError> {
        let mut names = emitters::names(self.c, std::slice::from_ref(emitter))?;
        let name = names.remove(emitter).map(|named| named.name);
        Ok(name.unwrap_or_else(|| emitter.to_string()))
    }
}

impl SourceRun {
    /// Its times, status and error.
    fn describe(&self, node: &mut TraceNode) {
        if let Some(item) = &self.item {
            node.status = TraceStatus::Waiting;
            node.started_at = item.accepted_at;
            return;
        }
        let events = &self.emitted.events;
        if let Some(first) = events.first() {
            let duration = first
                .provenance
                .as_ref()
                .and_then(|cause| cause.duration_ms);
            let duration = duration.and_then(|duration| i64::try_from(duration).ok());
            // Its effects are committed at once when it ends.
            let started_at = first.address.id.ms - duration.unwrap_or_default();
            node.started_at = started_at.max(node.started_at);
            node.duration_ms = duration;
            let error = events.iter().find(|event| event.channel == ERROR_CHANNEL);
            node.error = error.map(event_name);
            node.status = match error {
                Some(_) => TraceStatus::Failed,
                None => TraceStatus::Succeeded,
            };
        } else if let Some((first, last)) = self.logged {
            node.started_at = first;
            node.duration_ms = Some((last - first).max(0));
            node.status = TraceStatus::Succeeded;
        }
    }
}

/// The summary of an event, or its channel.
fn event_name(event: &TracedEvent) -> String {
    let meta: serde_json::Value = serde_json::from_str(&event.meta).unwrap_or_default();
    match (meta["summary"].as_str(), event.channel.as_str()) {
        (Some(summary), _) if !summary.is_empty() => summary.to_owned(),
        (_, "") => "default".to_owned(),
        (_, channel) => channel.to_owned(),
    }
}
