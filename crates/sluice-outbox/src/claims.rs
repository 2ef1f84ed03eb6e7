//! The queues that this node has claimed. A claim lasts beyond the worker of its queue, so that the next worker need not write.
//!
//! It counts in one term of the node's lease: once the lease has run out, another node may have the queue.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use sluice_cluster::LeaseTerm;
use sluice_infra::{Backoff, Infra};
use sluice_store::{
    StoreError,
    queue_claims::{self, OpenBreaker, QueueClaim},
};

use crate::queue_key::QueueKey;

/// For so long the node that has a queue is not asked for again. Every second the finder looks for queues that are free.
const KNOWN_FOR: Duration = Duration::from_secs(1);
/// Between two looks at a lease that does not come.
const LEASE_PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Claims {
    infra: Infra,
    known: Mutex<HashMap<QueueKey, Claim>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Claim {
    Here {
        term: LeaseTerm,
        /// As they were last saved.
        open: Vec<OpenBreaker>,
    },
    Elsewhere {
        node: String,
        asked_at: Instant,
    },
}

impl Claims {
    pub(crate) fn new(infra: Infra) -> Claims {
        Claims {
            infra,
            known: Mutex::default(),
        }
    }

    /// Claims a queue, unless this node has it. Waits for the lease, and while the store is unavailable. `None` when the server
    /// drains.
    pub(crate) async fn claim(&self, key: &QueueKey) -> Option<Claim> {
        let mut backoff = Backoff::store();
        loop {
            let term = self.lease_term().await?;
            if let Some(claim) = self.held(key, term) {
                return Some(claim);
            }
            let claim = match self.ask(key).await {
                Ok(QueueClaim::Claimed(open)) => Claim::Here { term, open },
                Ok(QueueClaim::Owned(node)) => Claim::Elsewhere {
                    node,
                    asked_at: Instant::now(),
                },
                Err(error) => {
                    tracing::warn!(queue = %key, %error, "queue not claimed; retrying");
                    self.infra.shutdown.sleep(backoff.next_delay()).await;
                    continue;
                }
            };
            // Otherwise the lease may have run out before the claim was made.
            if self.infra.cluster.lease().term() == Some(term) {
                self.known.lock().insert(key.clone(), claim.clone());
                return Some(claim);
            }
        }
    }

    async fn lease_term(&self) -> Option<LeaseTerm> {
        let lease = self.infra.cluster.lease();
        let shutdown = &self.infra.shutdown;
        while !shutdown.is_draining() {
            if let Some(term) = lease.term() {
                return Some(term);
            }
            tokio::select! {
                _ = lease.wait(LEASE_PATIENCE) => {}
                () = shutdown.draining() => {}
            }
        }
        None
    }

    fn held(&self, key: &QueueKey, now: LeaseTerm) -> Option<Claim> {
        let known = self.known.lock();
        let claim = known.get(key)?;
        matches!(claim, Claim::Here { term, .. } if *term == now).then(|| claim.clone())
    }

    async fn ask(&self, key: &QueueKey) -> Result<QueueClaim, StoreError> {
        let (queue, node) = (key.to_string(), self.node());
        let may_take_over = self.infra.cluster.lease().may_take_over();
        let claim = self
            .infra
            .store
            .write(move |c| queue_claims::claim(c, &queue, &node, may_take_over));
        claim.await
    }

    fn node(&self) -> String {
        self.infra.cluster.incarnation().to_owned()
    }

    /// Another node that is alive and had the queue a moment ago.
    pub(crate) fn elsewhere(&self, key: &QueueKey) -> Option<String> {
        match self.known.lock().get(key)? {
            Claim::Elsewhere { node, asked_at }
                if asked_at.elapsed() < KNOWN_FOR && self.infra.cluster.is_alive(node) =>
            {
                Some(node.clone())
            }
            Claim::Elsewhere { .. } | Claim::Here { .. } => None,
        }
    }

    /// Saves the circuit breakers of a queue, for its next worker here or on another node.
    pub(crate) async fn save(&self, key: &QueueKey, breakers: Vec<OpenBreaker>) {
        if let Some(Claim::Here { open, .. }) = self.known.lock().get_mut(key) {
            open.clone_from(&breakers);
        }
        let (queue, node) = (key.to_string(), self.node());
        let save = self
            .infra
            .store
            .write(move |c| queue_claims::save_breakers(c, &queue, &node, &breakers));
        if let Err(error) = save.await {
            tracing::warn!(queue = %key, %error, "circuit breakers not saved");
        }
    }

    /// Gives up all queues, so that other nodes need not wait for the end of the lease.
    pub(crate) async fn release(&self) -> Result<(), StoreError> {
        self.known.lock().clear();
        let node = self.node();
        let release = self
            .infra
            .store
            .write(move |c| queue_claims::release_all(c, &node));
        release.await
    }
}
