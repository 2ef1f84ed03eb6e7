//! Readers of emitters that other nodes own. They are announced to those nodes, which send a hint after each commit. Beneath
//! that, one read each second compares how far all followed emitters have come.

use std::{collections::HashMap, time::Duration};

use sluice_cluster::Hint;
use sluice_infra::Infra;
use sluice_model::EmitterId;
use sluice_store::{
    StoreError,
    progress::{self, Progress},
};
use tokio::time::Instant;

use super::{feed::Feeds, followers::Followers};

const PERIOD: Duration = Duration::from_secs(1);
/// How often other nodes are told what is followed here.
const RENEWAL: Duration = Duration::from_secs(10);

/// Runs until the server drains.
pub(super) async fn run(infra: Infra, feeds: Feeds, followers: Followers<EmitterId>) {
    if infra.cluster.owns_database() {
        return;
    }
    let mut renewed: Option<Instant> = None;
    loop {
        infra.shutdown.sleep(PERIOD).await;
        if infra.shutdown.is_draining() {
            return;
        }
        followers.expire();
        if infra.cluster.is_alone() {
            renewed = None;
            continue;
        }
        let followed = feeds.emitters();
        if followed.is_empty() {
            continue;
        }
        if renewed.is_none_or(|at| at.elapsed() >= RENEWAL) {
            for emitter in &followed {
                infra.cluster.hint_all(&Hint::Follow(emitter.clone()));
            }
            renewed = Some(Instant::now());
        }
        if let Err(error) = compare(&infra, &feeds, followed).await {
            tracing::warn!(%error, "cannot compare streams with the store; retrying");
        }
    }
}

async fn compare(infra: &Infra, feeds: &Feeds, followed: Vec<EmitterId>) -> Result<(), StoreError> {
    let ids = followed.clone();
    let read = infra.store.read(move |c| progress::of_emitters(c, &ids));
    let read = read.await?.into_iter();
    let stored: HashMap<EmitterId, Progress> = read
        .map(|progress| (progress.emitter_id.clone(), progress))
        .collect();
    for emitter in &followed {
        match stored.get(emitter) {
            Some(progress) => feeds.compare(progress),
            None => feeds.close(emitter),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
