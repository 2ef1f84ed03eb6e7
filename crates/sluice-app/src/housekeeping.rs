//! Housekeeping: periodic removal of expired rows.

use std::time::Duration;

use sluice_infra::{Infra, MS_PER_DAY, millis};
use sluice_outbox::Outbox;
use sluice_store::{connections, data_stores, dynamic_props, sessions, uploads};

const INTERVAL: Duration = Duration::from_mins(1);
const UPLOAD_BATCH: u32 = 100;
const DATA_STORE_BATCH: u32 = 1_000;
/// Dynamic props of a form are kept this long, so that a user can return to an open form.
const FORM_LIFETIME_MS: i64 = 7 * MS_PER_DAY;
const FORM_BATCH: u32 = 1_000;

/// Runs until the server drains.
pub(crate) async fn run(infra: Infra, outbox: Outbox) {
    while !infra.shutdown.is_draining() {
        remove_uploads_and_forms(&infra).await;
        prune_data_stores(&infra).await;
        outbox.prune().await;
        remove_sessions_and_connections(&infra).await;
        infra.shutdown.sleep(INTERVAL).await;
    }
}

async fn remove_uploads_and_forms(infra: &Infra) {
    let now = infra.now_ms();
    let before = now.saturating_sub(millis(infra.settings.upload_lifetime));
    let removed = infra.store.write(move |c| {
        dynamic_props::remove_older_than(c, now - FORM_LIFETIME_MS, FORM_BATCH)?;
        uploads::remove_older_than(c, before, UPLOAD_BATCH)
    });
    if let Err(error) = removed.await {
        tracing::warn!(%error, "cannot remove old uploads and forms; retrying later");
    }
}

async fn remove_sessions_and_connections(infra: &Infra) {
    let now = infra.now_ms();
    let removed = infra.store.write(move |c| {
        sessions::remove_expired(c, now)?;
        // Connections stay a day after they expire, so that their result can still be read.
        connections::remove_older_than(c, now - MS_PER_DAY)
    });
    if let Err(error) = removed.await {
        tracing::warn!(%error, "cannot remove old sessions and connections; retrying later");
    }
}

async fn prune_data_stores(infra: &Infra) {
    loop {
        let now = infra.now_ms();
        let pruned = infra
            .store
            .write(move |c| data_stores::prune(c, DATA_STORE_BATCH, now));
        match pruned.await {
            Ok(true) if !infra.shutdown.is_draining() => {}
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "cannot remove expired data store entries; retrying later");
                return;
            }
        }
    }
}
