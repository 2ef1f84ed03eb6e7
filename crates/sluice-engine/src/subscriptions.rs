//! Subscriptions and auto-subscriptions.

use sluice_model::{EmitterId, SubscriptionId, UserId};
use sluice_store::{
    Conn, StoreError,
    routes::Listener,
    sources,
    subscriptions::{self, Connection, Emitter, Subscription},
    webhooks, workflows,
};

use crate::{Engine, error::EngineError};

impl Engine {
    /// Subscribes a listener; what is there already stays as it is, and is answered.
    pub async fn subscribe(
        &self,
        user: &UserId,
        connects: Connection,
    ) -> Result<Subscription, EngineError> {
        let wanted = new_subscription(user, connects, self.context.infra.clock.now_ms());
        let subscribed = self.context.infra.store.write(move |c| {
            match missing_end(c, &wanted.user_id, &wanted.connects)? {
                Some(missing) => Ok(Err(missing)),
                None => subscriptions::ensure(c, &wanted).map(Ok),
            }
        });
        subscribed.await?.map_err(EngineError::NotFound)
    }

    pub async fn unsubscribe(
        &self,
        user: &UserId,
        connects: Connection,
    ) -> Result<(), EngineError> {
        let user = user.clone();
        let removed = self
            .context
            .infra
            .store
            .write(move |c| subscriptions::remove(c, &user, &connects))
            .await?;
        if removed {
            Ok(())
        } else {
            Err(EngineError::NotFound("subscription"))
        }
    }

    /// All of the user's, newest first.
    pub async fn subscriptions(&self, user: &UserId) -> Result<Vec<Subscription>, EngineError> {
        let user = user.clone();
        let listed = self
            .context
            .infra
            .store
            .read(move |c| subscriptions::list(c, &user));
        Ok(listed.await?)
    }
}

/// Gives an emitter that is being created the subscriptions that its user's auto-subscriptions promise.
pub(crate) fn subscribe_created(
    c: &mut dyn Conn,
    user: &UserId,
    emitter: &EmitterId,
    now: i64,
) -> Result<(), StoreError> {
    for promise in subscriptions::created_later(c, user)? {
        let connects = Connection {
            emitter: Emitter::One(emitter.clone()),
            ..promise.connects
        };
        if hold(c, user, &connects.listener)? {
            let made = new_subscription(user, connects, now);
            subscriptions::ensure(c, &made)?;
        }
    }
    Ok(())
}

pub(crate) fn new_subscription(
    user: &UserId,
    connects: Connection,
    created_at: i64,
) -> Subscription {
    Subscription {
        id: SubscriptionId::random(&mut rand::rng()),
        user_id: user.clone(),
        connects,
        created_at,
    }
}

/// The end of a connection that the user does not have. Those that are there stay until the transaction ends.
fn missing_end(
    c: &mut dyn Conn,
    user: &UserId,
    connects: &Connection,
) -> Result<Option<&'static str>, StoreError> {
    let mut ends = vec![("listener", connects.listener.clone())];
    match &connects.emitter {
        Emitter::One(id) => ends.push(("emitter", Listener::of(id))),
        Emitter::AllSources | Emitter::AllWorkflows | Emitter::CreatedLater => {}
    }
    // In the order of ids, so that no two requests wait for each other.
    ends.sort_by(|(_, a), (_, b)| a.as_str().cmp(b.as_str()));
    for (name, end) in ends {
        if !hold(c, user, &end)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Whether the user has it; if so, it stays until the transaction ends.
pub(crate) fn hold(c: &mut dyn Conn, user: &UserId, end: &Listener) -> Result<bool, StoreError> {
    match end {
        Listener::Source(id) => sources::hold(c, user, id),
        Listener::Workflow(id) => workflows::hold(c, user, id),
        Listener::Webhook(id) => Ok(webhooks::hold(c, user, id)?.is_some()),
    }
}
