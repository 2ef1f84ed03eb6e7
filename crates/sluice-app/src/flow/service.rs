//! The map of an account: emitters, listeners and the subscriptions between them.

use std::collections::HashMap;

use sluice_engine::EngineError;
use sluice_infra::{Infra, MS_PER_HOUR};
use sluice_model::UserId;
use sluice_store::{
    Conn, StoreError, flow,
    subscriptions::{self, Emitter},
    webhook_health::{self, FailingWebhook},
};

use super::map::{self, Edge, Flow, FlowQuery, Kind, Node};
use crate::{
    components::apps_by_component,
    health::{AccountHealth, Health},
    webhooks::WebhookHealth,
};

/// Draws the map.
#[derive(Clone)]
pub struct FlowMap {
    infra: Infra,
    health: Health,
}

impl FlowMap {
    pub(crate) fn new(infra: &Infra, health: Health) -> FlowMap {
        FlowMap {
            infra: infra.clone(),
            health,
        }
    }

    pub async fn draw(&self, user: &UserId, query: FlowQuery) -> Result<Flow, EngineError> {
        let user = user.clone();
        let health = self.health.of(&user).await?;
        let now_ms = self.infra.now_ms();
        let read = self.infra.store.read(move |c| {
            let edges = edges(c, &user)?;
            let nodes = nodes(c, &user, &health, now_ms)?;
            let mut flow = map::draw(nodes, edges, &query);
            add_apps(c, &mut flow.nodes)?;
            Ok(flow)
        });
        Ok(read.await?)
    }
}

fn add_apps(c: &mut dyn Conn, nodes: &mut [Node]) -> Result<(), StoreError> {
    let used = nodes
        .iter()
        .filter_map(|node| node.party.component_id.as_ref());
    let apps = apps_by_component(c, &used.collect())?;
    for node in nodes {
        let component = node.party.component_id.as_ref();
        node.app = component.and_then(|id| apps.get(id).cloned());
    }
    Ok(())
}

/// All sources, workflows and webhooks, with their counts of the last 24 hours.
fn nodes(
    c: &mut dyn Conn,
    user: &UserId,
    health: &AccountHealth,
    now_ms: i64,
) -> Result<Vec<Node>, StoreError> {
    let since = health.since;
    let numbers: HashMap<&str, (u64, u64)> = health
        .all()
        .map(|one| (one.id.as_str(), (one.events, one.errors)))
        .collect();
    let waiting = by_text(flow::waiting(c, user)?);
    let failed = by_text(flow::failed(c, user, since * MS_PER_HOUR)?);
    let emitter = |kind| {
        let numbers = &numbers;
        move |party: flow::Party| {
            let (events, errors) = numbers.get(party.id.as_str()).copied().unwrap_or_default();
            Node {
                kind,
                events,
                errors,
                waiting: 0,
                health: None,
                app: None,
                party,
            }
        }
    };
    let failing = webhook_health::failing_of_user(c, user)?;
    let failing: HashMap<&str, &FailingWebhook> =
        failing.iter().map(|one| (one.id.as_str(), one)).collect();
    let webhook = |party: flow::Party| Node {
        health: Some(WebhookHealth::new(
            party.active,
            failing.get(party.id.as_str()).copied(),
            now_ms,
        )),
        kind: Kind::Webhook,
        events: 0,
        errors: failed.get(&party.id).copied().unwrap_or_default(),
        waiting: waiting.get(&party.id).copied().unwrap_or_default(),
        app: None,
        party,
    };
    let sources = flow::sources(c, user)?.into_iter();
    let workflows = flow::workflows(c, user)?.into_iter();
    let webhooks = flow::webhooks(c, user)?.into_iter();
    Ok(sources
        .map(emitter(Kind::Source))
        .chain(workflows.map(emitter(Kind::Workflow)))
        .chain(webhooks.map(webhook))
        .collect())
}

fn by_text<K: AsRef<str>>(counts: HashMap<K, u64>) -> HashMap<String, u64> {
    let pairs = counts.into_iter();
    pairs
        .map(|(id, count)| (id.as_ref().to_owned(), count))
        .collect()
}

fn edges(c: &mut dyn Conn, user: &UserId) -> Result<Vec<Edge>, StoreError> {
    let edges = subscriptions::list(c, user)?.into_iter().map(|one| Edge {
        subscription_id: one.id,
        is_glob: !matches!(one.connects.emitter, Emitter::One(_)),
        from: one.connects.emitter.as_str().to_owned(),
        to: one.connects.listener.as_str().to_owned(),
        event_name: one.connects.event_name,
    });
    Ok(edges.collect())
}
