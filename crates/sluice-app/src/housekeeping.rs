//! Housekeeping: periodic removal of expired rows.

use std::time::Duration;

use sluice_infra::{Infra, MS_PER_DAY, millis};
use sluice_outbox::Outbox;
use sluice_store::{
    StoreError, connections, data_stores, dynamic_props,
    orphans::{self, OwnedTable},
    sessions, uploads,
};

use crate::audit;

const INTERVAL: Duration = Duration::from_mins(1);
const UPLOAD_BATCH: u32 = 100;
const DATA_STORE_BATCH: u32 = 1_000;
/// Dynamic props of a form are kept this long, so that a user can return to an open form.
const FORM_LIFETIME_MS: i64 = 7 * MS_PER_DAY;
const FORM_BATCH: u32 = 1_000;
/// Owners that one read checks.
const OWNER_BATCH: u32 = 500;
const ORPHAN_BATCH: u32 = 500;

/// Runs until the server drains. One node does it for all.
pub(crate) async fn run(infra: Infra, outbox: Outbox) {
    // One table each time: a sweep of all of them at once would delay other reads on a large database.
    let mut owned_tables = OwnedTable::ALL.into_iter().cycle();
    while !infra.shutdown.is_draining() {
        if infra.cluster.does_job("housekeeping") {
            if let Some(table) = owned_tables.next() {
                remove_orphans(&infra, table).await;
            }
            remove_expired(&infra, &outbox).await;
        }
        infra.shutdown.sleep(INTERVAL).await;
    }
}

async fn remove_expired(infra: &Infra, outbox: &Outbox) {
    remove_uploads_and_forms(infra).await;
    prune_data_stores(infra).await;
    outbox.prune().await;
    remove_sessions_and_connections(infra).await;
    audit::prune(infra).await;
}

/// Removes rows whose source, workflow, webhook or user is gone.
async fn remove_orphans(infra: &Infra, table: OwnedTable) {
    if let Err(error) = sweep_orphans(infra, table).await {
        tracing::warn!(?table, %error, "cannot remove orphaned rows; retrying later");
    }
}

async fn sweep_orphans(infra: &Infra, table: OwnedTable) -> Result<(), StoreError> {
    let mut position: Option<String> = None;
    while !infra.shutdown.is_draining() {
        let after = position.take();
        let find = move |c: &mut dyn sluice_store::Conn| {
            orphans::find(c, table, after.as_deref(), OWNER_BATCH)
        };
        let found = infra.store.read(find).await?;
        for owner in found.owners {
            let remove = move |c: &mut dyn sluice_store::Conn| {
                orphans::remove(c, table, &owner, ORPHAN_BATCH)
            };
            while infra.store.write(remove.clone()).await? >= u64::from(ORPHAN_BATCH) {}
        }
        match found.next {
            Some(next) => position = Some(next),
            None => break,
        }
    }
    Ok(())
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
