//! The task that registers the starter set after the start of the server.

use std::time::Duration;

use sluice_engine::EngineError;
use sluice_infra::{Backoff, Infra};

use super::{
    registration::{self, Claim},
    set::StarterSet,
};
use crate::import::Imports;

const JOB: &str = "starter set";
/// Nodes that start together wait this long for the one whose job it is.
const TURN: Duration = Duration::from_secs(2);
/// The pause between looks at a registration elsewhere.
const LOOK: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// Runs until this set is registered, or the server drains. A failure never stops the server.
pub(crate) async fn run(infra: Infra, imports: Imports) {
    let shutdown = infra.shutdown.clone();
    tokio::select! {
        () = shutdown.draining() => {}
        () = work(&infra, &imports) => {}
    }
}

async fn work(infra: &Infra, imports: &Imports) {
    if !infra.cluster.does_job(JOB) {
        tokio::time::sleep(TURN).await;
    }
    let set = StarterSet::embedded();
    let mut backoff = Backoff::new(FIRST_PAUSE, LONGEST_PAUSE);
    loop {
        match attempt(infra, imports, &set).await {
            Ok(true) => return,
            Ok(false) => tokio::time::sleep(LOOK).await,
            Err(error) => {
                tracing::warn!(%error, "cannot register the starter components; retrying later");
                backoff.sleep().await;
            }
        }
    }
}

/// Whether the set is registered now.
async fn attempt(infra: &Infra, imports: &Imports, set: &StarterSet) -> Result<bool, EngineError> {
    match registration::claim(infra, set).await? {
        Claim::Registered => return Ok(true),
        Claim::Elsewhere => return Ok(false),
        Claim::Here => {}
    }
    match registration::register(infra, imports, set).await {
        Ok(count) => {
            tracing::info!(count, "starter components registered");
            Ok(true)
        }
        Err(error) => {
            registration::release(infra).await?;
            Err(error)
        }
    }
}
