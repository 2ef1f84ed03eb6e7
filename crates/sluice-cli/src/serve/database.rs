//! Opening the database of a server.

use std::path::Path;

use anyhow::Context;
use sluice_infra::{Backoff, Ids};
use sluice_store::{Location, Pooler, Store, StoreOptions};

use crate::options::StorageOptions;

/// Opens the database. While PostgreSQL is away it is retried.
pub(crate) async fn open(
    options: &StorageOptions,
    data_dir: &Path,
    ids: &Ids,
) -> anyhow::Result<Store> {
    let location = options.place.location(data_dir);
    let is_remote = matches!(location, Location::Postgres(_));
    let store_options = StoreOptions {
        postgres_connections: options.database_connections.max(1),
        postgres_pooler: options.database_pooler_url.clone().map(Pooler),
        incarnation: ids.incarnation(),
        ..StoreOptions::new(location)
    };
    let mut backoff = Backoff::store();
    loop {
        let attempt = store_options.clone();
        let opened = tokio::task::spawn_blocking(move || Store::open(attempt)).await?;
        match opened {
            Err(error) if is_remote && error.is_retryable() => {
                tracing::warn!(%error, "cannot open the database; retrying");
                backoff.sleep().await;
            }
            opened => return opened.context("cannot open the database"),
        }
    }
}
