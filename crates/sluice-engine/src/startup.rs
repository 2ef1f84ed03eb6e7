//! Bringing the engine up from what the store holds, and down without losing what runs.

use std::{sync::Arc, time::Duration};

use sluice_infra::{Infra, MS_PER_DAY};
use sluice_outbox::{NetGuard, Outbox};
use sluice_runtime::Runtime;
use sluice_store::{connections, data_stores, dynamic_props, sessions, sources, uploads};

use crate::{
    Engine, accounts::Accounts, context::Context, error::EngineError, fetch::Fetcher, inbox::Inbox,
    memory_budget, retention, scheduler, streams::Streams,
};

const HOUSEKEEPING: Duration = Duration::from_mins(1);
const UPLOADS_AT_ONCE: u32 = 100;
const EXPIRED_AT_ONCE: u32 = 1_000;
/// What forms asked for is kept as long as somebody may come back to one.
const FORM_LIFETIME_MS: i64 = 7 * MS_PER_DAY;
const FORMS_AT_ONCE: u32 = 1_000;

impl Engine {
    /// Clears up after a crash, wakes the sources that have work, and starts the clockwork.
    pub async fn start(infra: Infra, runtime: Runtime) -> Result<Engine, EngineError> {
        let settings = &infra.settings;
        let guard = NetGuard::new(settings.allow_private_network);
        let fetcher = Fetcher::new(guard, settings.max_api_body)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        let accounts = Accounts::new(
            infra.store.clone(),
            infra.vault.clone(),
            Arc::clone(&infra.clock),
        )
        .map_err(|error| EngineError::Internal(error.to_string()))?;
        let streams = Arc::new(Streams::new(settings.max_streams));
        let outbox = Outbox::new(infra.clone(), Arc::clone(&streams) as _)?;
        let context = Arc::new(Context::new(infra, runtime, accounts, outbox, streams));
        let waiting = context
            .infra
            .store
            .write(|c| {
                for unfinished in sources::creating(c)? {
                    sources::remove(c, &unfinished)?;
                }
                sluice_store::inbox::remove_orphans(c)?;
                sluice_store::inbox::emitters_with_work(c)
            })
            .await?;
        context.runtime.warm_up();
        for source in waiting {
            context.owners.wake(&context, &source);
        }
        context.outbox.start().await?;
        context
            .infra
            .shutdown
            .spawn(scheduler::run(Arc::clone(&context)));
        context
            .infra
            .shutdown
            .spawn(keep_house(Arc::clone(&context)));
        context
            .infra
            .shutdown
            .spawn(retention::sweep(Arc::clone(&context)));
        context
            .infra
            .shutdown
            .spawn(memory_budget::keep(Arc::clone(&context)));
        Ok(Engine {
            inbox: Inbox::open(Arc::clone(&context)),
            context,
            endpoints: Arc::default(),
            fetcher: Arc::new(fetcher),
        })
    }

    /// No new work is begun; returns when what was running has ended and is committed, or after `patience`.
    pub async fn drain(&self, patience: Duration) {
        if !self.context.infra.shutdown.drain(patience).await {
            tracing::warn!(
                "some invocations did not end in time: they run again at the next start"
            );
        }
    }
}

async fn keep_house(context: Arc<Context>) {
    while !context.infra.shutdown.is_draining() {
        let lifetime =
            i64::try_from(context.infra.settings.upload_lifetime.as_millis()).unwrap_or(i64::MAX);
        let now = context.infra.clock.now_ms();
        let before = now.saturating_sub(lifetime);
        let removed = context
            .infra
            .store
            .write(move |c| {
                dynamic_props::remove_older_than(c, now - FORM_LIFETIME_MS, FORMS_AT_ONCE)?;
                uploads::remove_older_than(c, before, UPLOADS_AT_ONCE)
            })
            .await;
        if let Err(error) = removed {
            tracing::warn!(%error, "old uploads and forms could not be removed; they go later");
        }
        prune_data_stores(&context).await;
        context.outbox.prune().await;
        // Long after they have expired, so that whoever asks how one ended still learns it.
        let now = context.infra.clock.now_ms();
        let removed = context
            .infra
            .store
            .write(move |c| {
                sessions::remove_expired(c, now)?;
                connections::remove_older_than(c, now - MS_PER_DAY)
            })
            .await;
        if let Err(error) = removed {
            tracing::warn!(%error, "old connections and sessions could not be removed; they go later");
        }
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING) => {}
            () = context.infra.shutdown.draining() => {}
        }
    }
}

async fn prune_data_stores(context: &Context) {
    loop {
        let now = context.infra.clock.now_ms();
        let pruned = context
            .infra
            .store
            .write(move |c| data_stores::prune(c, EXPIRED_AT_ONCE, now))
            .await;
        match pruned {
            Ok(true) if !context.infra.shutdown.is_draining() => {}
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "expired entries of data stores could not be removed; they go later");
                return;
            }
        }
    }
}
