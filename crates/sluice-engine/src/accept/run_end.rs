//! Waiting for the end of a run that the caller stores itself.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_model::{InvocationId, UserId};
use tokio::{sync::oneshot, time};

use crate::{
    error::EngineError,
    owner::{NoReply, Replies},
    quotas::Quotas,
};

/// Starts runs that their callers store.
#[derive(Clone)]
pub struct StoredRuns {
    infra: Infra,
    quotas: Quotas,
    replies: Replies,
}

/// The end of a run, on any node.
pub struct RunEnd {
    id: InvocationId,
    end: oneshot::Receiver<Result<sluice_runtime::Reply, NoReply>>,
    replies: Replies,
}

impl StoredRuns {
    pub(crate) fn new(infra: Infra, quotas: Quotas, replies: Replies) -> StoredRuns {
        StoredRuns {
            infra,
            quotas,
            replies,
        }
    }

    /// Fails if the user has used up a quota.
    pub async fn check_quota(&self, user: &UserId) -> Result<(), EngineError> {
        self.quotas.check(user).await
    }

    /// The node to name in the inbox row, so that it learns of the end.
    pub fn node(&self) -> &str {
        self.infra.cluster.incarnation()
    }

    /// To be called before the run is stored.
    pub fn expect_end(&self, id: InvocationId) -> RunEnd {
        let (sender, end) = oneshot::channel();
        self.replies.expect(id, sender);
        RunEnd {
            id,
            end,
            replies: self.replies.clone(),
        }
    }
}

impl RunEnd {
    /// Waits until the run ends, waits for something, or responds. A run that lasts longer goes on.
    pub async fn wait(&mut self, within: Duration) {
        let _ = time::timeout(within, &mut self.end).await;
    }
}

impl Drop for RunEnd {
    fn drop(&mut self) {
        self.replies.withdraw(&self.id);
    }
}
