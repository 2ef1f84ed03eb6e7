//! The triggers of a workflow, as rows: an endpoint, timers, and subscriptions.

use std::collections::BTreeMap;

use sluice_infra::Ids;
use sluice_model::{
    EndpointKey, TimerSpec, UserId, WorkflowId,
    workflow::{DeployedTrigger, WorkflowDefinition},
};
use sluice_store::{
    Conn, StoreError, endpoints,
    inbox::{self, InboxKind},
    routes::Listener,
    subscriptions::{self, Connection, Emitter},
    timers::{self, Timer},
    workflows::Workflow,
};

use crate::{
    subscriptions::{lock_listener, new_subscription},
    timer_rows::{Schedule, store_timers},
};

/// The only endpoint of a workflow.
const HTTP: &str = "http";

/// A workflow before a change.
pub(super) struct Before {
    pub(super) definition: WorkflowDefinition,
    pub(super) active: bool,
}

/// Stores the triggers of the new version in place of those of the previous one.
pub(super) fn store(
    c: &mut dyn Conn,
    workflow: &Workflow,
    before: Option<&Before>,
    definition: &WorkflowDefinition,
    ids: &Ids,
    now: i64,
) -> Result<(), StoreError> {
    let id = &workflow.id;
    store_endpoint(c, id, definition, ids)?;
    let was_active = before.is_some_and(|before| before.active);
    if was_active && !workflow.active {
        inbox::remove_kind(c, id, InboxKind::Timer)?;
    }
    let old = timers::of_emitter(c, id)?;
    let schedule = match (was_active, workflow.active) {
        (_, false) => Schedule::Stop,
        (false, true) => Schedule::Begin,
        (true, true) => Schedule::Keep(&old),
    };
    store_timers(c, id, &named(schedules(definition), &old), &schedule, now)?;
    let old = before.map_or_else(Vec::new, |before| connections(id, &before.definition));
    let new = connections(id, definition);
    store_subscriptions(c, &workflow.user_id, &old, new, ids, now)
}

fn store_endpoint(
    c: &mut dyn Conn,
    id: &WorkflowId,
    definition: &WorkflowDefinition,
    ids: &Ids,
) -> Result<(), StoreError> {
    let wanted = definition
        .triggers
        .iter()
        .any(|trigger| matches!(trigger, DeployedTrigger::Http { .. }));
    match (wanted, endpoints::of_emitter(c, id)?.is_empty()) {
        (true, true) => endpoints::insert(c, &EndpointKey::random(&mut ids.rng()), id, HTTP),
        (false, false) => endpoints::remove(c, id, HTTP),
        (true, false) | (false, true) => Ok(()),
    }
}

pub(super) fn schedules(definition: &WorkflowDefinition) -> impl Iterator<Item = &TimerSpec> {
    definition
        .triggers
        .iter()
        .filter_map(|trigger| match trigger {
            DeployedTrigger::Schedule { timer } => Some(timer),
            DeployedTrigger::Http { .. } | DeployedTrigger::Events { .. } => None,
        })
}

/// Timers are named `schedule-0` and so on. A timer that the previous version has too keeps its name, and so its due time,
/// whatever its position.
fn named<'a>(
    specs: impl Iterator<Item = &'a TimerSpec>,
    before: &[Timer],
) -> BTreeMap<String, TimerSpec> {
    let mut named = BTreeMap::new();
    let mut others = Vec::new();
    for spec in specs {
        let kept = before
            .iter()
            .find(|timer| timer.spec == *spec && !named.contains_key(&timer.prop));
        match kept {
            Some(timer) => {
                named.insert(timer.prop.clone(), spec.clone());
            }
            None => others.push(spec),
        }
    }
    let mut numbers = 0_usize..;
    for spec in others {
        let free = numbers
            .by_ref()
            .map(|number| format!("schedule-{number}"))
            .find(|name| !named.contains_key(name));
        named.extend(free.map(|name| (name, spec.clone())));
    }
    named
}

fn connections(id: &WorkflowId, definition: &WorkflowDefinition) -> Vec<Connection> {
    let events = definition
        .triggers
        .iter()
        .filter_map(|trigger| match trigger {
            DeployedTrigger::Events {
                emitter_id,
                event_name,
            } => Some((Emitter::parse(emitter_id)?, event_name)),
            DeployedTrigger::Http { .. } | DeployedTrigger::Schedule { .. } => None,
        });
    let connections = events.map(|(emitter, event_name)| Connection {
        emitter,
        event_name: event_name.clone(),
        listener: Listener::Workflow(id.clone()),
    });
    connections.collect()
}

fn store_subscriptions(
    c: &mut dyn Conn,
    user: &UserId,
    old: &[Connection],
    mut new: Vec<Connection>,
    ids: &Ids,
    now: i64,
) -> Result<(), StoreError> {
    for removed in old.iter().filter(|connection| !new.contains(connection)) {
        subscriptions::remove(c, user, removed)?;
    }
    // Locked in the order of ids, so that two deploys cannot deadlock.
    new.sort_by(|a, b| a.emitter.as_str().cmp(b.emitter.as_str()));
    for connects in new {
        if let Emitter::One(emitter) = &connects.emitter
            && !lock_listener(c, user, &Listener::of(emitter))?
        {
            return Err(StoreError::Invalid(format!(
                "{emitter}, whose events trigger this version, does not exist any more"
            )));
        }
        subscriptions::ensure(c, &new_subscription(user, connects, ids, now))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sluice_model::EmitterId;

    use super::*;

    fn every(seconds: u32) -> TimerSpec {
        TimerSpec::Interval { seconds }
    }

    fn timer(prop: &str, seconds: u32) -> Timer {
        Timer {
            emitter_id: EmitterId::parse("p_a").unwrap(),
            prop: prop.to_owned(),
            spec: every(seconds),
            due_at: Some(1),
        }
    }

    fn names(specs: &[TimerSpec], before: &[Timer]) -> Vec<(String, TimerSpec)> {
        named(specs.iter(), before).into_iter().collect()
    }

    #[test]
    fn a_schedule_keeps_its_name_at_any_position() {
        let before = [timer("schedule-0", 10), timer("schedule-1", 20)];
        let of = |number: usize, seconds| (format!("schedule-{number}"), every(seconds));
        assert_eq!(names(&[every(20)], &before), [of(1, 20)]);
        assert_eq!(
            names(&[every(30), every(20)], &before),
            [of(0, 30), of(1, 20)]
        );
        assert_eq!(names(&[every(10), every(10)], &[]), [of(0, 10), of(1, 10)]);
    }
}
