//! The accounts of an owner's processes are refreshed in the background, one refresh at a time.

use std::{sync::Arc, time::Duration};

use sluice_model::EmitterId;

use super::actor::{Actor, Core};
use crate::process::credentials::{AccountEntry, Credentials};

const RETRY_PAUSE: Duration = Duration::from_millis(100);

impl<A: Actor> Core<A> {
    /// Starts a refresh, unless one is running. The owner wakes when it ends.
    pub(super) fn refresh_accounts(&mut self, entries: Vec<Arc<AccountEntry>>) {
        if self.account_refresh.is_some() {
            return;
        }
        let credentials = self.services.credentials.clone();
        let refresh = refresh(credentials, self.id().clone(), entries);
        // Tracked by the shutdown, because renewed tokens must reach the store.
        self.account_refresh = Some(self.infra().shutdown.spawn(refresh));
    }

    pub(super) fn is_refreshing_accounts(&self) -> bool {
        self.account_refresh.is_some()
    }
}

async fn refresh(credentials: Credentials, emitter: EmitterId, entries: Vec<Arc<AccountEntry>>) {
    if let Err(error) = credentials.refresh_all(&entries).await {
        tracing::warn!(%emitter, %error, "account refresh failed; retrying");
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}
