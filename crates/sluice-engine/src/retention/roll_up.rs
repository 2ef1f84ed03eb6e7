//! Adds the counts of commits to the counters of emitters and users, in small batches.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_store::{StoreError, count_ledger};

use super::prune::{BATCH, in_batches};

/// Short, because readers of the counters add up the rows that wait.
const PERIOD: Duration = Duration::from_secs(5);

/// Runs until the server drains. One node does it for all; two that do it at the same time count everything once.
pub(crate) async fn run(infra: Infra) {
    while !infra.shutdown.is_draining() {
        if let Err(error) = roll_up(&infra).await {
            tracing::warn!(%error, "rolling up counts failed; retrying later");
        }
        infra.shutdown.sleep(PERIOD).await;
    }
}

async fn roll_up(infra: &Infra) -> Result<(), StoreError> {
    if !infra.cluster.does_job("roll-up") {
        return Ok(());
    }
    if infra.store.read(count_ledger::has_rows).await? {
        in_batches(infra, |c| count_ledger::roll_up(c, BATCH.rows)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sluice_cluster::testing as cluster;
    use sluice_infra::testing;
    use sluice_model::{EmitterId, UserId};
    use sluice_store::{activity::Counts, kept_rows::Kept};

    use super::*;

    #[tokio::test]
    async fn one_node_rolls_up_for_all() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (infra, _) = testing::infra(folder.path());
        let (a, b) = (cluster::node("a").await, cluster::node("b").await);
        cluster::prefer(&b, &[&a, &b]);
        let written = infra.store.write(|c| {
            let (user, emitter) = (UserId::parse("u_a"), EmitterId::parse("dc_a"));
            let counts = Counts {
                events: 1,
                ..Counts::default()
            };
            count_ledger::add(
                c,
                &user.unwrap(),
                &emitter.unwrap(),
                1,
                counts,
                Kept::default(),
            )
        });
        written.await.unwrap();
        for (cluster, is_left) in [(a, true), (b, false)] {
            let infra = Infra {
                cluster,
                ..infra.clone()
            };
            roll_up(&infra).await.unwrap();
            assert_eq!(
                infra.store.read(count_ledger::has_rows).await.unwrap(),
                is_left
            );
        }
    }
}
