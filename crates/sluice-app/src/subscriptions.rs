//! Subscriptions and auto-subscriptions.

use sluice_engine::EngineError;
use sluice_infra::{Ids, Infra};
use sluice_model::{EmitterId, SubscriptionId, UserId};
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    routes::Listener,
    sources,
    subscriptions::{self, Connection, Emitter, Subscription},
    webhooks, workflows,
};

use crate::audit::{Actor, Change, Target};

/// Manages subscriptions.
#[derive(Clone)]
pub struct Subscriptions {
    infra: Infra,
}

impl Subscriptions {
    pub fn new(infra: &Infra) -> Subscriptions {
        Subscriptions {
            infra: infra.clone(),
        }
    }

    /// Subscribes a listener. An existing subscription is returned unchanged, and leaves no entry in the audit log.
    pub async fn create(
        &self,
        actor: &Actor,
        connects: Connection,
    ) -> Result<Subscription, EngineError> {
        let action = if is_auto(&connects) {
            Action::AutoSubscriptionCreate
        } else {
            Action::SubscriptionCreate
        };
        let (ids, now) = (&self.infra.ids, self.infra.creation_ms());
        let wanted = new_subscription(&actor.user_id, connects, ids, now);
        let change = self.change(actor, action, wanted.id.as_str(), &wanted.connects);
        let subscribed = self.infra.store.write(move |c| {
            if let Some(missing) = missing_end(c, &wanted.user_id, &wanted.connects)? {
                return Ok(Err(missing));
            }
            let subscription = subscriptions::ensure(c, &wanted)?;
            if subscription.id == wanted.id {
                change.record(c)?;
            }
            Ok(Ok(subscription))
        });
        subscribed.await?.map_err(EngineError::NotFound)
    }

    pub async fn delete(&self, actor: &Actor, connects: Connection) -> Result<(), EngineError> {
        let action = if is_auto(&connects) {
            Action::AutoSubscriptionDelete
        } else {
            Action::SubscriptionDelete
        };
        let change = self.change(actor, action, "", &connects);
        let user = actor.user_id.clone();
        let removed = self.infra.store.write(move |c| {
            let removed = subscriptions::remove(c, &user, &connects)?;
            if removed {
                change.record(c)?;
            }
            Ok(removed)
        });
        if removed.await? {
            Ok(())
        } else {
            Err(EngineError::NotFound("subscription"))
        }
    }

    fn change(&self, actor: &Actor, action: Action, id: &str, connects: &Connection) -> Change {
        let target = Target::new(TargetKind::Subscription, id, "");
        Change::new(&self.infra, actor, action, target)
            .with("emitter", connects.emitter.as_str())
            .with("event_name", connects.event_name.as_str())
            .with("listener", connects.listener.as_str())
    }

    /// All subscriptions of the user, newest first.
    pub async fn list(&self, user: &UserId) -> Result<Vec<Subscription>, EngineError> {
        let user = user.clone();
        let listed = self
            .infra
            .store
            .read(move |c| subscriptions::list(c, &user));
        Ok(listed.await?)
    }
}

fn is_auto(connects: &Connection) -> bool {
    connects.emitter == Emitter::CreatedLater
}

/// Creates the subscriptions of a new emitter that its user's auto-subscriptions ask for.
pub(crate) fn subscribe_created(
    c: &mut dyn Conn,
    user: &UserId,
    emitter: &EmitterId,
    ids: &Ids,
    now: i64,
) -> Result<(), StoreError> {
    for auto in subscriptions::created_later(c, user)? {
        let connects = Connection {
            emitter: Emitter::One(emitter.clone()),
            ..auto.connects
        };
        if lock_listener(c, user, &connects.listener)? {
            let new = new_subscription(user, connects, ids, now);
            subscriptions::ensure(c, &new)?;
        }
    }
    Ok(())
}

pub(crate) fn new_subscription(
    user: &UserId,
    connects: Connection,
    ids: &Ids,
    created_at: i64,
) -> Subscription {
    Subscription {
        id: SubscriptionId::random(&mut ids.rng()),
        user_id: user.clone(),
        connects,
        created_at,
    }
}

/// The end of a connection that does not exist. Existing ends are locked until the transaction ends.
fn missing_end(
    c: &mut dyn Conn,
    user: &UserId,
    connects: &Connection,
) -> Result<Option<&'static str>, StoreError> {
    let mut ends = vec![("listener", connects.listener.clone())];
    match &connects.emitter {
        Emitter::One(id) => ends.push(("emitter", Listener::of(id))),
        Emitter::Account(account) if account != user => return Ok(Some("emitter")),
        Emitter::Account(_)
        | Emitter::AllSources
        | Emitter::AllWorkflows
        | Emitter::CreatedLater => {}
    }
    // Locked in the order of ids, so that two requests cannot deadlock.
    ends.sort_by(|(_, a), (_, b)| a.as_str().cmp(b.as_str()));
    for (name, end) in ends {
        if !lock_listener(c, user, &end)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Whether the user has it. If so, it cannot be removed until the transaction ends.
pub(crate) fn lock_listener(
    c: &mut dyn Conn,
    user: &UserId,
    end: &Listener,
) -> Result<bool, StoreError> {
    match end {
        Listener::Source(id) => sources::hold(c, user, id),
        Listener::Workflow(id) => workflows::hold(c, user, id),
        Listener::Webhook(id) => Ok(webhooks::hold(c, user, id)?.is_some()),
    }
}
