//! Webhooks as their users manage them. The outbox delivers to them.

mod address;
mod deliveries;
mod secret;

pub use deliveries::ReplayRange;

use sluice_infra::MS_PER_DAY;
use sluice_model::{TextChange, UserId, WebhookId};
use sluice_store::{
    Conn, Page, StoreError, delivery_history,
    webhooks::{self, PreviousSecret, Webhook, WebhookFilter},
};

use self::secret::NewSecret;
use crate::{Engine, Listing, error::EngineError};

/// How long a secret still signs, beside the new one, after it was replaced.
const OLD_SECRET_SIGNS_FOR_MS: i64 = MS_PER_DAY;
const DEFAULT_CONCURRENCY: u32 = 1;
const MAX_CONCURRENCY: u32 = 64;
/// Deliveries that are removed in one transaction.
const REMOVED_AT_ONCE: u32 = 500;

pub struct NewWebhook {
    pub url: String,
    pub name: Option<String>,
    pub description: Option<String>,
    pub concurrency: Option<u32>,
}

/// What is none stays as it is.
pub struct WebhookChange {
    pub url: Option<String>,
    pub name: TextChange,
    pub description: TextChange,
    pub active: Option<bool>,
    pub concurrency: Option<u32>,
}

/// A webhook whose secret is new, and the only chance to see it.
pub struct WithSecret {
    pub webhook: Webhook,
    pub signing_secret: String,
}

impl Engine {
    pub async fn create_webhook(
        &self,
        user: &UserId,
        new: NewWebhook,
    ) -> Result<WithSecret, EngineError> {
        let NewWebhook {
            url,
            name,
            description,
            concurrency,
        } = new;
        check(Some(&url), concurrency)?;
        let secret = NewSecret::random(&self.context.infra.vault);
        let now = self.context.infra.clock.now_ms();
        let webhook = Webhook {
            id: WebhookId::random(&mut rand::rng()),
            user_id: user.clone(),
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
        self.context
            .infra
            .store
            .write(move |c| webhooks::insert(c, &row))
            .await?;
        Ok(WithSecret {
            webhook,
            signing_secret: secret.shown,
        })
    }

    pub async fn webhook(&self, user: &UserId, id: &WebhookId) -> Result<Webhook, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.context
            .infra
            .store
            .read(move |c| webhooks::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("webhook"))
    }

    /// The user's webhooks; with `text`, those with it in their name or address.
    pub async fn webhooks(
        &self,
        user: &UserId,
        text: Option<&str>,
        page: Page,
    ) -> Result<Listing<Webhook>, EngineError> {
        let (user, filter) = (user.clone(), WebhookFilter::new(text));
        let listing = self.context.infra.store.read(move |c| {
            Ok(Listing {
                total: webhooks::count(c, &user, &filter)?,
                rows: webhooks::page(c, &user, &filter, &page)?,
            })
        });
        Ok(listing.await?)
    }

    pub async fn update_webhook(
        &self,
        user: &UserId,
        id: &WebhookId,
        change: WebhookChange,
    ) -> Result<Webhook, EngineError> {
        check(change.url.as_deref(), change.concurrency)?;
        self.change_webhook(user, id, move |webhook| {
            let WebhookChange {
                url,
                name,
                description,
                active,
                concurrency,
            } = change;
            if let Some(url) = url {
                webhook.url = url;
            }
            name.apply(&mut webhook.name);
            description.apply(&mut webhook.description);
            webhook.active = active.unwrap_or(webhook.active);
            webhook.concurrency = concurrency.unwrap_or(webhook.concurrency);
        })
        .await
    }

    /// Gives a webhook a new secret. The one it had signs too for a day.
    pub async fn rotate_secret(
        &self,
        user: &UserId,
        id: &WebhookId,
    ) -> Result<WithSecret, EngineError> {
        let NewSecret { shown, sealed } = NewSecret::random(&self.context.infra.vault);
        let until = self.context.infra.clock.now_ms() + OLD_SECRET_SIGNS_FOR_MS;
        let webhook = self
            .change_webhook(user, id, move |webhook| {
                let secret = std::mem::replace(&mut webhook.secret, sealed);
                webhook.previous = Some(PreviousSecret { secret, until });
            })
            .await?;
        Ok(WithSecret {
            webhook,
            signing_secret: shown,
        })
    }

    async fn change_webhook(
        &self,
        user: &UserId,
        id: &WebhookId,
        change: impl FnOnce(&mut Webhook) + Send + 'static,
    ) -> Result<Webhook, EngineError> {
        let (user, row) = (user.clone(), id.clone());
        let now = self.context.infra.clock.now_ms();
        let write = move |c: &mut dyn Conn| {
            let Some(mut webhook) = webhooks::hold(c, &user, &row)? else {
                return Ok(None);
            };
            change(&mut webhook);
            webhook.updated_at = now;
            webhooks::update(c, &webhook)?;
            Ok(Some(webhook))
        };
        let id = id.clone();
        // The client may disconnect; the webhook worker must learn of the change all the same.
        let webhook = self
            .to_the_end(|Engine { context, .. }| async move {
                let webhook = context.infra.store.write(write).await?;
                context.outbox.webhook_changed(&id);
                Ok(webhook)
            })
            .await?;
        webhook.ok_or(EngineError::NotFound("webhook"))
    }

    /// Removes a webhook with its subscriptions and its deliveries.
    pub async fn remove_webhook(&self, user: &UserId, id: &WebhookId) -> Result<(), EngineError> {
        self.webhook(user, id).await?;
        let (user, id) = (user.clone(), id.clone());
        self.to_the_end(|engine| async move { engine.tear_webhook_down(user, id).await })
            .await
    }

    /// The many deliveries of a busy webhook go first and in batches, so that others can write between them; whoever finds
    /// the webhook gone finds all of it gone.
    async fn tear_webhook_down(&self, user: UserId, id: WebhookId) -> Result<(), EngineError> {
        loop {
            let webhook = id.clone();
            let removed = self
                .context
                .infra
                .store
                .write(move |c| delivery_history::remove_batch(c, &webhook, REMOVED_AT_ONCE));
            if removed.await? < u64::from(REMOVED_AT_ONCE) {
                break;
            }
        }
        let webhook = id.clone();
        let removed = self.context.infra.store.write(move |c| {
            let removed = webhooks::remove(c, &user, &webhook)?;
            while removed && delivery_history::remove_batch(c, &webhook, REMOVED_AT_ONCE)? > 0 {}
            Ok::<_, StoreError>(removed)
        });
        if !removed.await? {
            return Err(EngineError::NotFound("webhook"));
        }
        self.context.outbox.webhook_changed(&id);
        Ok(())
    }
}

fn check(url: Option<&str>, concurrency: Option<u32>) -> Result<(), EngineError> {
    if let Some(fault) = url.and_then(address::fault) {
        return Err(EngineError::BadRequest(fault));
    }
    if concurrency.is_some_and(|count| !(1..=MAX_CONCURRENCY).contains(&count)) {
        return Err(EngineError::BadRequest(format!(
            "concurrency must be from 1 to {MAX_CONCURRENCY}"
        )));
    }
    Ok(())
}
