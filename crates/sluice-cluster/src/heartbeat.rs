//! The heartbeat: renews the lease of this node every second, and learns of the others with the same answer.

use std::{sync::Arc, time::Duration};

use sluice_store::{Store, StoreError, nodes};

use crate::{boot_time, this_node::ThisNode};

const INTERVAL: Duration = Duration::from_secs(1);
/// After a failure.
const RETRY: Duration = Duration::from_millis(200);

/// Beats until the node leaves.
pub(crate) async fn beat(store: Store, node: Arc<ThisNode>) {
    let mut pause = INTERVAL;
    let stop = &node.stop;
    while stop.run_until_cancelled(rest(&node, pause)).await.is_some() {
        pause = match renew(&store, &node).await {
            Ok(()) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "lease not renewed; retrying");
                RETRY
            }
        };
    }
}

/// Waits for the next beat. A lease that runs out meanwhile is reported.
async fn rest(node: &ThisNode, pause: Duration) {
    let end = node.lease.end().map_or(Duration::MAX, boot_time::until);
    tokio::time::sleep(pause.min(end)).await;
    node.lease.tell();
    tokio::time::sleep(pause.saturating_sub(end)).await;
}

async fn renew(store: &Store, node: &ThisNode) -> Result<(), StoreError> {
    let (description, state) = (node.description.clone(), *node.state.lock());
    let sent = boot_time::now_ms();
    let renewed = store.heartbeat(move |c| {
        if let Some(nodes) = nodes::renew(c, &description.incarnation, state)? {
            return Ok(nodes);
        }
        // Others have removed it, because it was away for so long.
        nodes::insert(c, &description)?;
        nodes::list(c)
    });
    let members = renewed.await;
    node.lease.tell();
    let members = members?;
    let was_held = node.lease.is_held();
    node.lease.renewed(sent);
    if !was_held {
        tracing::info!("lease regained");
    }
    node.members.send_replace(members.into());
    Ok(())
}
