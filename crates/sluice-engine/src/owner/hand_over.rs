//! Handing emitters over to the nodes that should have them, after a node joined, left, or drains. Owners finish what runs; what
//! waits stays in the store for the next owner.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_model::EmitterId;

use super::{claims::Claims, registry::Owners};

const PERIOD: Duration = Duration::from_secs(1);
/// Emitters that move in one round, so that a new node is not flooded.
const MOST_AT_ONCE: usize = 50;

/// Runs until the server drains. A server with a database of its own keeps all.
pub(crate) async fn run(infra: Infra, owners: Owners, claims: Claims) {
    if infra.cluster.owns_database() {
        return;
    }
    while !infra.shutdown.is_draining() {
        infra.shutdown.sleep(PERIOD).await;
        if infra.cluster.lease().is_held() {
            hand_over(&infra, &owners, &claims).await;
        }
    }
}

/// Gives up what no owner task of this server runs.
pub(crate) async fn release_idle(infra: &Infra, owners: &Owners, claims: &Claims) {
    if infra.cluster.owns_database() {
        return;
    }
    let held = claims.held().into_iter();
    let idle: Vec<EmitterId> = held.filter(|id| !owners.is_running(id)).collect();
    claims.release(infra, &idle).await;
}

async fn hand_over(infra: &Infra, owners: &Owners, claims: &Claims) {
    let cluster = &infra.cluster;
    let most = if cluster.is_draining() {
        usize::MAX
    } else {
        MOST_AT_ONCE
    };
    let strangers = claims.movable().into_iter();
    let strangers = strangers.filter(|id| cluster.preferred(id.as_str()) != cluster.incarnation());
    // Those with an owner task release themselves when nothing runs any more.
    let idle: Vec<EmitterId> = strangers
        .take(most)
        .filter(|id| !owners.hand_over(id))
        .collect();
    claims.release(infra, &idle).await;
}
