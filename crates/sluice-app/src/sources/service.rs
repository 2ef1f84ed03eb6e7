//! The service for sources, and the steps that its operations share.
//!
//! Each operation runs in a task of its own, so that a client that disconnects does not leave it half done.

use sluice_engine::{
    DueTimes, Engine, EngineError, Retention,
    accept::{Accept, Endpoints},
    owner::{Owner, Owners, Waker, lifecycle::LifecycleLock},
    streams::Streams,
};
use sluice_infra::Infra;
use sluice_model::SourceId;
use sluice_store::sources;

use crate::{accounts::AccountProps, audit::Change, components::Components, forms::Forms};

/// Creates, changes, deletes, runs and replays sources.
#[derive(Clone)]
pub struct Sources {
    pub(super) infra: Infra,
    pub(super) accept: Accept,
    pub(super) endpoints: Endpoints,
    pub(super) owners: Owners,
    pub(super) timers: DueTimes,
    pub(super) streams: Streams,
    pub(super) retention: Retention,
    pub(super) waker: Waker,
    pub(super) components: Components,
    pub(super) account_props: AccountProps,
    pub(super) forms: Forms,
}

impl Sources {
    pub(crate) fn new(
        infra: &Infra,
        engine: &Engine,
        components: Components,
        account_props: AccountProps,
        forms: Forms,
    ) -> Sources {
        Sources {
            infra: infra.clone(),
            accept: engine.accept.clone(),
            endpoints: engine.endpoints.clone(),
            owners: engine.owners.clone(),
            timers: engine.timers.clone(),
            streams: engine.streams.clone(),
            retention: engine.retention.clone(),
            waker: Waker::new(engine.owners.clone(), engine.outbox.clone()),
            components,
            account_props,
            forms,
        }
    }

    /// Locks a source for a lifecycle operation. If its owner has just stopped, a new one is started.
    pub(super) async fn lock(&self, id: &SourceId) -> Result<LifecycleLock, EngineError> {
        loop {
            let handle = self.owners.source(id);
            if let Some(lock) = handle.clone().lock().await? {
                return Ok(lock);
            }
            self.owners.unregister(&Owner::Source(handle));
            self.infra.shutdown.check()?;
            if self.owners.owned_elsewhere(id) {
                let message = "the source is moving to another node; send the request again";
                return Err(EngineError::Unavailable(message.to_owned()));
            }
            let wanted = id.clone();
            let found = self
                .infra
                .store
                .read(move |c| sources::get_for_run(c, &wanted));
            if found.await?.is_none() {
                return Err(EngineError::NotFound("source"));
            }
        }
    }

    /// Removes a source from the store, its endpoints and its streams. One that never became visible leaves no entry.
    pub(super) async fn remove(
        &self,
        id: &SourceId,
        deleted: Option<Change>,
    ) -> Result<(), EngineError> {
        let removed = id.clone();
        self.infra
            .store
            .write(move |c| {
                sources::remove(c, &removed)?;
                deleted.map_or(Ok(()), |deleted| deleted.record(c))
            })
            .await?;
        self.endpoints.changed(id);
        self.streams.close(id);
        Ok(())
    }
}
