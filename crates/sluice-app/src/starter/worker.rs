//! The task that registers the starter set after the start of the server.

use std::time::Duration;

use sluice_infra::{Backoff, Infra};

use super::{
    registration::{self, Registered},
    set::StarterSet,
};
use crate::import::Imports;

const JOB: &str = "starter set";
/// The other nodes wait this long for the one whose job it is.
const TURN: Duration = Duration::from_secs(15);
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// Runs until this set is registered, or the server drains. A failure never stops the server.
pub(crate) async fn run(infra: Infra, imports: Imports) {
    let shutdown = infra.shutdown.clone();
    tokio::select! {
        () = shutdown.draining() => {}
        () = work(infra, imports) => {}
    }
}

async fn work(infra: Infra, imports: Imports) {
    // The node whose job it is may run an older program, which has registered its own set. Then this one does it.
    if !infra.cluster.does_job(JOB) {
        tokio::time::sleep(TURN).await;
    }
    let set = StarterSet::embedded();
    let mut backoff = Backoff::new(FIRST_PAUSE, LONGEST_PAUSE);
    loop {
        match registration::register(&infra, &imports, &set).await {
            Ok(Registered::Before) => return,
            Ok(Registered::Now(count)) => {
                tracing::info!(count, "starter components registered");
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "cannot register the starter components; retrying later");
            }
        }
        backoff.sleep().await;
    }
}
