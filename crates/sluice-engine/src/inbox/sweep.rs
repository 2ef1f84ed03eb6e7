//! The sweep finds stored work that no owner of this node knows of: work of a node that is not alive any more, and rows that
//! another node stored. Every second, beneath all wake-ups, and when a node was found dead.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_store::{StoreError, inbox};

use crate::owner::Owners;

const PERIOD: Duration = Duration::from_secs(1);

/// Runs until the server drains. A server that is alone knows of all its work.
pub(crate) async fn run(infra: Infra, owners: Owners) {
    if infra.cluster.owns_database() {
        return;
    }
    let mut deaths = infra.cluster.deaths();
    loop {
        tokio::select! {
            () = infra.shutdown.sleep(PERIOD) => {}
            // The sender lives as long as the cluster.
            _ = deaths.changed() => {}
        }
        if infra.shutdown.is_draining() {
            return;
        }
        if infra.cluster.lease().is_held()
            && let Err(error) = sweep(&infra, &owners).await
        {
            tracing::warn!(%error, "sweep of the inbox failed; retrying");
        }
    }
}

async fn sweep(infra: &Infra, owners: &Owners) -> Result<(), StoreError> {
    let node = infra.cluster.incarnation().to_owned();
    let may_take_over = infra.cluster.lease().may_take_over();
    let read = infra
        .store
        .read(move |c| inbox::backlogs(c, &node, may_take_over));
    let backlogs = read.await?;
    for inbox::Backlog { emitter_id, newest } in backlogs {
        if !owners.know(&emitter_id, &newest) {
            owners.wake(&emitter_id);
        }
    }
    Ok(())
}
