//! Webhooks: create, read, change, delete. The outbox delivers to them.

use sluice_engine::EngineError;
use sluice_infra::{Infra, MS_PER_DAY};
use sluice_model::{TextChange, UserId, WebhookId};
use sluice_outbox::{NetGuard, Outbox};
use sluice_store::{
    Conn, Page, StoreError,
    audit::{Action, TargetKind},
    delivery_history,
    webhooks::{self, PreviousSecret, Webhook, WebhookFilter},
};

use super::{
    address,
    changed_fields::{describe, target},
    secret::NewSecret,
};
use crate::{
    audit::{Actor, Change, Target},
    detached,
    listing::Listing,
};

/// After a rotation, the old secret also signs for this long.
pub(crate) const OLD_SECRET_SIGNS_FOR_MS: i64 = MS_PER_DAY;
const DEFAULT_CONCURRENCY: u32 = 1;
const MAX_CONCURRENCY: u32 = 64;
/// Deliveries that are removed in one transaction.
const REMOVAL_BATCH: u32 = 500;

pub struct NewWebhook {
    pub url: String,
    pub name: Option<String>,
    pub description: Option<String>,
    pub concurrency: Option<u32>,
}

/// Fields that are `None` stay unchanged.
pub struct WebhookChange {
    pub url: Option<String>,
    pub name: TextChange,
    pub description: TextChange,
    pub active: Option<bool>,
    pub concurrency: Option<u32>,
}

impl WebhookChange {
    fn apply(self, webhook: &mut Webhook) {
        let WebhookChange {
            url,
            name,
            description,
            active,
            concurrency,
        } = self;
        if let Some(url) = url {
            webhook.url = url;
        }
        name.apply(&mut webhook.name);
        description.apply(&mut webhook.description);
        webhook.active = active.unwrap_or(webhook.active);
        webhook.concurrency = concurrency.unwrap_or(webhook.concurrency);
    }
}

/// A webhook with its new signing secret, which is shown only once.
pub struct WebhookWithSecret {
    pub webhook: Webhook,
    pub signing_secret: String,
}

/// Manages webhooks and their deliveries.
#[derive(Clone)]
pub struct Webhooks {
    pub(super) infra: Infra,
    pub(super) outbox: Outbox,
    guard: NetGuard,
}

impl Webhooks {
    pub fn new(infra: &Infra, outbox: Outbox) -> Webhooks {
        Webhooks {
            infra: infra.clone(),
            outbox,
            guard: NetGuard::new(infra.settings.allow_private_network),
        }
    }

    pub async fn create(
        &self,
        actor: &Actor,
        new: NewWebhook,
    ) -> Result<WebhookWithSecret, EngineError> {
        let NewWebhook {
            url,
            name,
            description,
            concurrency,
        } = new;
        check(Some(&url), concurrency, self.guard)?;
        let secret = NewSecret::random(&self.infra.vault, &mut self.infra.ids.rng());
        let now = self.infra.creation_ms();
        let webhook = Webhook {
            id: WebhookId::random(&mut self.infra.ids.rng()),
            user_id: actor.user_id.clone(),
            name,
            description,
            url,
            active: true,
            concurrency: concurrency.unwrap_or(DEFAULT_CONCURRENCY),
            secret: secret.sealed,
            previous: None,
            created_at: now,
            updated_at: now,
        };
        let row = webhook.clone();
        let change = Change::new(&self.infra, actor, Action::WebhookCreate, target(&webhook));
        let created = self.infra.store.write(move |c| {
            webhooks::insert(c, &row)?;
            change.record(c)
        });
        created.await?;
        Ok(WebhookWithSecret {
            webhook,
            signing_secret: secret.shown,
        })
    }

    pub async fn get(&self, user: &UserId, id: &WebhookId) -> Result<Webhook, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.infra
            .store
            .read(move |c| webhooks::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("webhook"))
    }

    /// The user's webhooks. With `text`, only those that contain it in their name or address.
    pub async fn list(
        &self,
        user: &UserId,
        text: Option<&str>,
        page: Page,
    ) -> Result<Listing<Webhook>, EngineError> {
        let (user, filter) = (user.clone(), WebhookFilter::new(text));
        let listing = self.infra.store.read(move |c| {
            Ok(Listing {
                total: webhooks::count(c, &user, &filter)?,
                rows: webhooks::page(c, &user, &filter, &page)?,
            })
        });
        Ok(listing.await?)
    }

    pub async fn update(
        &self,
        actor: &Actor,
        id: &WebhookId,
        change: WebhookChange,
    ) -> Result<Webhook, EngineError> {
        check(change.url.as_deref(), change.concurrency, self.guard)?;
        self.change(
            actor,
            id,
            Action::WebhookUpdate,
            move |webhook, recorded| {
                let before = webhook.clone();
                change.apply(webhook);
                describe(recorded, &before, webhook);
            },
        )
        .await
    }

    /// Gives a webhook a new secret. The old one also signs for a day.
    pub async fn rotate_secret(
        &self,
        actor: &Actor,
        id: &WebhookId,
    ) -> Result<WebhookWithSecret, EngineError> {
        let NewSecret { shown, sealed } =
            NewSecret::random(&self.infra.vault, &mut self.infra.ids.rng());
        let until = self.infra.now_ms() + OLD_SECRET_SIGNS_FOR_MS;
        let webhook = self
            .change(actor, id, Action::WebhookRotateSecret, move |webhook, _| {
                let secret = std::mem::replace(&mut webhook.secret, sealed);
                webhook.previous = Some(PreviousSecret { secret, until });
            })
            .await?;
        Ok(WebhookWithSecret {
            webhook,
            signing_secret: shown,
        })
    }

    async fn change(
        &self,
        actor: &Actor,
        id: &WebhookId,
        action: Action,
        change: impl FnOnce(&mut Webhook, &mut Change) + Send + 'static,
    ) -> Result<Webhook, EngineError> {
        let unnamed = Target::new(TargetKind::Webhook, id, "");
        let mut recorded = Change::new(&self.infra, actor, action, unnamed);
        let (user, row) = (actor.user_id.clone(), id.clone());
        let now = self.infra.now_ms();
        let write = move |c: &mut dyn Conn| {
            let Some(mut webhook) = webhooks::hold(c, &user, &row)? else {
                return Ok(None);
            };
            change(&mut webhook, &mut recorded);
            webhook.updated_at = now;
            webhooks::update(c, &webhook)?;
            recorded.set_target(target(&webhook));
            recorded.record(c)?;
            Ok(Some(webhook))
        };
        // The worker must see a stored change even if the client disconnects.
        let (store, outbox, id) = (self.infra.store.clone(), self.outbox.clone(), id.clone());
        let webhook = detached::run(&self.infra.shutdown, async move {
            let webhook = store.write(write).await?;
            outbox.webhook_changed(&id);
            Ok(webhook)
        })
        .await?;
        webhook.ok_or(EngineError::NotFound("webhook"))
    }

    /// Deletes a webhook with its subscriptions and its deliveries.
    pub async fn delete(&self, actor: &Actor, id: &WebhookId) -> Result<(), EngineError> {
        self.delete_of(&actor.user_id, actor, id).await
    }

    /// As [`Webhooks::delete`], for a webhook of any user.
    pub(crate) async fn delete_of(
        &self,
        user: &UserId,
        actor: &Actor,
        id: &WebhookId,
    ) -> Result<(), EngineError> {
        let webhook = self.get(user, id).await?;
        let change = Change::new(&self.infra, actor, Action::WebhookDelete, target(&webhook));
        let change = change.of_account(user);
        let webhooks = self.clone();
        detached::run(&self.infra.shutdown, async move {
            webhooks.tear_down(webhook, change).await
        })
        .await
    }

    /// Deliveries are removed first, in batches, so that other writes run in between. Once the webhook is gone, all of it
    /// is gone.
    async fn tear_down(&self, webhook: Webhook, change: Change) -> Result<(), EngineError> {
        let Webhook { id, user_id, .. } = webhook;
        loop {
            let webhook = id.clone();
            let removed = self
                .infra
                .store
                .write(move |c| delivery_history::remove_batch(c, &webhook, REMOVAL_BATCH));
            if removed.await? < u64::from(REMOVAL_BATCH) {
                break;
            }
        }
        let webhook = id.clone();
        let removed = self.infra.store.write(move |c| {
            let removed = webhooks::remove(c, &user_id, &webhook)?;
            while removed && delivery_history::remove_batch(c, &webhook, REMOVAL_BATCH)? > 0 {}
            if removed {
                change.record(c)?;
            }
            Ok::<_, StoreError>(removed)
        });
        if !removed.await? {
            return Err(EngineError::NotFound("webhook"));
        }
        self.outbox.webhook_changed(&id);
        Ok(())
    }
}

fn check(url: Option<&str>, concurrency: Option<u32>, guard: NetGuard) -> Result<(), EngineError> {
    if let Some(error) = url.and_then(|url| address::error(url, guard)) {
        return Err(EngineError::BadRequest(error));
    }
    if concurrency.is_some_and(|count| !(1..=MAX_CONCURRENCY).contains(&count)) {
        return Err(EngineError::BadRequest(format!(
            "concurrency must be from 1 to {MAX_CONCURRENCY}"
        )));
    }
    Ok(())
}
