//! The overview of an account: its last 24 hours, the busiest and the failing sources and workflows.

use std::cmp::Reverse;

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::{EmitterId, UserId, WebhookId};
use sluice_store::{
    Conn, StoreError, activity,
    delivery_lists::{self, UserTally},
    emitters::{self, EmitterActivity, EmitterFilter, EmitterState},
    sources, state,
    users::User,
    webhook_health, webhooks, workflows,
};

use crate::{
    activity::{Chart, LAST_DAY},
    health::{AccountHealth, Health},
    server_status::{ResourceUsage, ServerStatus},
    webhooks::{WebhookHealth, WebhookStatus},
};

/// Length of the lists of the busiest and of the failing.
const LISTED: usize = 5;

pub struct Overview {
    /// Of the last 24 hours.
    pub activity: Chart,
    pub sources: Tally,
    pub workflows: Tally,
    pub busiest: Vec<ActiveEmitter>,
    pub failing: Vec<ActiveEmitter>,
    pub deliveries: UserTally,
    pub webhooks: WebhookTally,
    /// Those that have failed longest.
    pub failing_webhooks: Vec<NamedWebhook>,
    /// For operators.
    pub server: Option<ResourceUsage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub total: u64,
    pub active: u64,
    /// Those with errors in the last 24 hours.
    pub failing: u64,
}

/// Numbers of active webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookTally {
    pub active: u64,
    /// With those that pause.
    pub failing: u64,
    pub paused: u64,
}

/// A webhook with its health.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedWebhook {
    pub id: WebhookId,
    pub name: String,
    pub health: WebhookHealth,
}

/// A source or a workflow, with its counts of the last 24 hours.
pub struct ActiveEmitter {
    pub id: EmitterId,
    pub name: String,
    pub name_slug: String,
    pub events: u64,
    pub errors: u64,
    pub last_event_at: Option<i64>,
}

/// Reads overviews.
#[derive(Clone)]
pub struct Overviews {
    infra: Infra,
    health: Health,
    server: ServerStatus,
}

impl Overviews {
    pub(crate) fn new(infra: &Infra, health: Health, server: ServerStatus) -> Overviews {
        Overviews {
            infra: infra.clone(),
            health,
            server,
        }
    }

    pub async fn of(&self, user: &User) -> Result<Overview, EngineError> {
        let (id, now_ms) = (user.id.clone(), self.infra.now_ms());
        let since = LAST_DAY.first_hour(now_ms);
        let health = self.health.of(&id).await?;
        let read = self.infra.store.read(move |c| {
            let hours = activity::of_user(c, &id, since)?;
            let mut count_sources = |state| sources::count(c, &id, &in_state(state));
            let sources = Tally {
                total: count_sources(None)?,
                active: count_sources(Some(EmitterState::Active))?,
                failing: failing(&health.sources),
            };
            let mut count_workflows = |state| workflows::count(c, &id, &in_state(state));
            let workflows = Tally {
                total: count_workflows(None)?,
                active: count_workflows(Some(EmitterState::Active))?,
                failing: failing(&health.workflows),
            };
            let webhooks = named_webhooks(c, &id, now_ms)?;
            let paused = |one: &&NamedWebhook| one.health.status == WebhookStatus::Paused;
            Ok(Overview {
                activity: LAST_DAY.chart(now_ms, &hours),
                sources,
                workflows,
                busiest: named(c, first_by(&health, |one| one.events))?,
                failing: named(c, first_by(&health, |one| one.errors))?,
                deliveries: delivery_lists::tally_of_user(c, &id)?,
                webhooks: WebhookTally {
                    active: webhooks::active(c, &id)?.len() as u64,
                    failing: webhooks.len() as u64,
                    paused: webhooks.iter().filter(paused).count() as u64,
                },
                failing_webhooks: webhooks.into_iter().take(LISTED).collect(),
                server: None,
            })
        });
        let overview = read.await?;
        let server = if user.operator {
            Some(self.server.usage().await?)
        } else {
            None
        };
        Ok(Overview { server, ..overview })
    }
}

/// The failing webhooks, the one that has failed longest first.
fn named_webhooks(
    c: &mut dyn Conn,
    user: &UserId,
    now_ms: i64,
) -> Result<Vec<NamedWebhook>, StoreError> {
    let failing = webhook_health::failing_of_user(c, user)?.into_iter();
    let named = failing.map(|one| NamedWebhook {
        health: WebhookHealth::new(one.active, Some(&one), now_ms),
        id: one.id,
        name: one.name,
    });
    Ok(named.collect())
}

fn in_state(state: Option<EmitterState>) -> EmitterFilter {
    EmitterFilter::new(None, state)
}

fn failing(some: &[EmitterActivity]) -> u64 {
    some.iter().filter(|one| one.errors > 0).count() as u64
}

/// Those with the highest numbers, without those at zero.
fn first_by(health: &AccountHealth, number: fn(&EmitterActivity) -> u64) -> Vec<&EmitterActivity> {
    let mut some: Vec<&EmitterActivity> = health.all().filter(|one| number(one) > 0).collect();
    some.sort_by_key(|one| (Reverse(number(one)), &one.id));
    some.truncate(LISTED);
    some
}

/// With their names. Those that were just removed are left out.
fn named(c: &mut dyn Conn, some: Vec<&EmitterActivity>) -> Result<Vec<ActiveEmitter>, StoreError> {
    let ids: Vec<EmitterId> = some.iter().map(|one| one.id.clone()).collect();
    let names = emitters::names(c, &ids)?;
    let last = state::last_emits(c, &ids)?;
    let active = |one: &EmitterActivity| {
        let found = names.get(&one.id)?;
        Some(ActiveEmitter {
            id: one.id.clone(),
            name: found.name.clone(),
            name_slug: found.name_slug.clone(),
            events: one.events,
            errors: one.errors,
            last_event_at: last.get(&one.id).copied(),
        })
    };
    Ok(some.into_iter().filter_map(active).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(id: &str, events: u64, errors: u64) -> EmitterActivity {
        EmitterActivity {
            id: EmitterId::parse(id).unwrap(),
            events,
            errors,
        }
    }

    #[test]
    fn the_highest_numbers_come_first_and_zeros_are_left_out() {
        let some = AccountHealth {
            since: 0,
            sources: vec![
                standing("dc_a", 0, 2),
                standing("dc_b", 5, 0),
                standing("dc_d", 5, 0),
            ],
            workflows: vec![standing("p_c", 9, 1)],
        };
        let ids = |number| {
            let first = first_by(&some, number);
            first.iter().map(|one| one.id.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(ids(|one| one.events), ["p_c", "dc_b", "dc_d"]);
        assert_eq!(ids(|one| one.errors), ["dc_a", "p_c"]);
        let many = AccountHealth {
            since: 0,
            sources: (0..9).map(|n| standing("dc_x", n, 0)).collect(),
            workflows: Vec::new(),
        };
        assert_eq!(first_by(&many, |one| one.events).len(), LISTED);
    }
}
