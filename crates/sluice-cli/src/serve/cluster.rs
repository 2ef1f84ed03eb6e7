//! Joining the servers of the database.

use anyhow::Context;
use sluice_cluster::{Cluster, NodeDescription, Peers};
use sluice_store::{Dialect, Store};

use crate::options::ClusterOptions;

pub(super) async fn join(
    options: &ClusterOptions,
    store: &Store,
    public_url: &str,
    now_ms: i64,
) -> anyhow::Result<Cluster> {
    let description = NodeDescription {
        name: options.node_name(),
        public_url: public_url.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    match store.read(|c| Ok(c.dialect())).await? {
        Dialect::Sqlite => Ok(Cluster::alone(store, description, now_ms)),
        Dialect::Postgres => Cluster::join(store, description, Peers::Excluded)
            .await
            .context("cannot join the servers of the database"),
    }
}
