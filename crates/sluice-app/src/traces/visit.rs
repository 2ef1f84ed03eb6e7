//! Visiting the spots of a trace: each becomes a node, and its effects are visited after it.

use sluice_model::{
    DeliveryId, EmitId, EmitterId, EmitterKind, EventAddress, InvocationId, UserId,
};
use sluice_store::{
    Conn, StoreError,
    deliveries::Attempt,
    emitters, held_events, inbox,
    routes::{self, ERROR_CHANNEL, Listener},
    traces::{self, TracedDelivery, TracedEvent},
};

use super::{
    node::{TraceKind, TraceNode, TraceStatus},
    source::{SourceRun, was_here},
    spot::Spot,
    tree::Tree,
};

/// The most deliveries or runs of one event.
const MOST_EACH: u32 = 200;

/// A walk through the effects of a root.
pub(super) struct Visit<'a> {
    pub(super) c: &'a mut dyn Conn,
    pub(super) user: &'a UserId,
    pub(super) tree: &'a mut Tree,
}

impl Visit<'_> {
    /// Visits everything below the spots that wait.
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

    /// Visits what an event caused.
    fn listeners(&mut self, at: usize, event: &TracedEvent) -> Result<(), StoreError> {
        let Some(emit) = EmitId::parse(&event.emit_id) else {
            return Ok(());
        };
        let deliveries = traces::deliveries(self.c, self.user, &event.emit_id, MOST_EACH)?;
        self.cut_at(at, deliveries.len());
        for TracedDelivery { delivery, .. } in deliveries {
            self.tree.visit_later(Some(at), Spot::Delivery(delivery.id));
        }
        let invocation = InvocationId::from(emit);
        let runs = traces::runs_of(self.c, self.user, &invocation, MOST_EACH)?;
        self.cut_at(at, runs.len());
        for run in runs {
            let spot = Spot::Invocation(run.workflow_id.into(), invocation);
            self.tree.visit_later(Some(at), spot);
        }
        // Runs of sources leave no row of their own, and runs that wait have none yet.
        let emitter = &event.address.emitter;
        let routes = routes::of_emitter(self.c, self.user, emitter)?;
        for listener in routes.to(&event.channel) {
            let listener: EmitterId = match listener {
                Listener::Webhook(_) => continue,
                Listener::Source(source) => source.clone().into(),
                Listener::Workflow(workflow) => workflow.clone().into(),
            };
            if self.has_run(&listener, &invocation)? {
                let spot = Spot::Invocation(listener, invocation);
                self.tree.visit_later(Some(at), spot);
            }
        }
        Ok(())
    }

    fn has_run(&mut self, listener: &EmitterId, id: &InvocationId) -> Result<bool, StoreError> {
        match listener.kind() {
            EmitterKind::Source(_) => was_here(self.c, listener, id),
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
        let run = SourceRun::load(self.c, source, id)?;
        let key = Spot::Invocation(source.clone(), *id).key();
        let name = self.name(source)?;
        let mut node = TraceNode {
            emitter_id: Some(source.clone()),
            started_at: id.time_ms(),
            ..TraceNode::new(TraceKind::SourceRun, key, id.to_string(), name)
        };
        run.describe(&mut node);
        let at = self.tree.add(parent, node);
        if at.is_some() {
            if run.emitted.is_cut {
                self.tree.cut(at);
            }
            for event in run.emitted.events {
                self.tree.visit_later(at, Spot::Event(event.address));
            }
        }
        Ok(at)
    }

    fn delivery(
        &mut self,
        parent: Option<usize>,
        id: &DeliveryId,
    ) -> Result<Option<usize>, StoreError> {
        let Some(found) = traces::delivery(self.c, self.user, id)? else {
            return Ok(None);
        };
        let delivery = found.delivery;
        let attempts: Vec<Attempt> = serde_json::from_str(&delivery.attempts).unwrap_or_default();
        let status = TraceStatus::from(delivery.state);
        let end = attempts.last().map(end_of);
        let node = TraceNode {
            status,
            started_at: delivery.created_at,
            duration_ms: end
                .filter(|_| delivery.due_at.is_none())
                .map(|end| (end - delivery.created_at).max(0)),
            webhook_id: Some(delivery.webhook_id.clone()),
            emitter_id: Some(delivery.emitter_id),
            event_id: Some(delivery.event_id),
            error: attempts
                .last()
                .filter(|_| status != TraceStatus::Succeeded)
                .and_then(|last| last.error.clone()),
            ..TraceNode::new(
                TraceKind::Delivery,
                id.to_string(),
                id.to_string(),
                found.webhook,
            )
        };
        let at = self.tree.add(parent, node);
        if at.is_some() {
            for (number, attempt) in (1..).zip(attempts) {
                let mut node = attempt_node(id, number, attempt);
                node.webhook_id = Some(delivery.webhook_id.clone());
                self.tree.add(at, node);
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

fn end_of(attempt: &Attempt) -> i64 {
    let latency = i64::try_from(attempt.latency_ms).unwrap_or_default();
    attempt.at.saturating_add(latency)
}

fn attempt_node(delivery: &DeliveryId, number: u32, attempt: Attempt) -> TraceNode {
    let name = match attempt.status {
        Some(status) => format!("HTTP {status}"),
        None => "no response".to_owned(),
    };
    let key = format!("{delivery}#{number}");
    TraceNode {
        status: match attempt.error {
            None => TraceStatus::Succeeded,
            Some(_) => TraceStatus::Failed,
        },
        started_at: attempt.at,
        duration_ms: Some(end_of(&attempt) - attempt.at),
        error: attempt.error,
        ..TraceNode::new(TraceKind::Attempt, key, delivery.to_string(), name)
    }
}
