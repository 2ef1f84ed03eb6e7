//! A delivery in a trace, with its attempts.

use sluice_model::DeliveryId;
use sluice_store::{StoreError, deliveries::Attempt, traces};

use super::{
    node::{TraceKind, TraceNode, TraceStatus},
    visit::Visit,
};

impl Visit<'_> {
    pub(super) fn delivery(
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
            is_replay: self.is_replay(parent, found.payload_id.as_str()),
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
                let is_replay = found.replayed_at.is_some_and(|since| attempt.at >= since);
                let mut node = attempt_node(id, number, attempt);
                node.is_replay = is_replay;
                node.webhook_id = Some(delivery.webhook_id.clone());
                self.tree.add(at, node);
            }
        }
        Ok(at)
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
